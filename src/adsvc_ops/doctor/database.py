"""Checks of the database: version, schema, rights, clock, connections, notifications, backups."""

import asyncio
import time
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import asyncpg
from sqlalchemy import func, select
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from adsvc import migrations
from adsvc.errors import DatabaseUnavailableError
from adsvc.kit.db.database import Database
from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.db.replica import AT_PRIMARY, AT_REPLICA
from adsvc.kit.db.servers import Servers, each_alone
from adsvc.kit.db.statements import PooledStatements, Statements
from adsvc.repositories.events import log_status
from adsvc.repositories.operation import jobs as job_rows
from adsvc.repositories.operation import server as server_rows
from adsvc.repositories.operation.server import takes_writes
from adsvc.settings import DatabasePooling
from adsvc_ops.doctor.findings import CheckContext, Finding, fault, ok, reason_of, warning

NOTICE_SECONDS = 2.0

# A replica has the identifier of its primary. No other server has it.
SELECT_SYSTEM = "SELECT system_identifier AS system FROM pg_control_system()"

COUNT_CONNECTIONS = """
    SELECT current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int AS connections
"""

SELECT_FACTS = """
    SELECT
        current_setting('server_version_num')::int AS version,
        pg_encoding_to_char(encoding) AS encoding,
        datcollate AS collation,
        clock_timestamp() AS clock,
        current_setting('max_connections')::int
            - current_setting('superuser_reserved_connections')::int AS connections,
        processes, here, others,
        pg_is_in_recovery() OR current_setting('transaction_read_only')::bool AS read_only,
        has_schema_privilege('public', 'CREATE') AS may_create,
        (
            SELECT coalesce(bool_and(pg_has_role(relowner, 'USAGE')), true)
            FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
        ) AS may_alter,
        (
            SELECT coalesce(string_agg(name, ', ' ORDER BY name), '') FROM pg_settings
            WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'
        ) AS careless
    FROM pg_database, (
        SELECT
            -- Each process listens once.
            count(*) FILTER (WHERE application_name LIKE 'adsvc/%/listener') AS processes,
            count(*) FILTER (
                WHERE application_name LIKE 'adsvc/%/listener' AND datname = current_database()
            ) AS here,
            count(*) FILTER (WHERE application_name NOT LIKE 'adsvc%') AS others
        FROM pg_stat_activity
        -- What another role's session is for is hidden too; those of clients have a database.
        WHERE datname IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend'
    ) AS activity
    WHERE datname = current_database()
"""


async def system_of(reader: Statements) -> int | None:
    """None if the server requires a privilege for it."""
    try:
        row: Any = await reader.fetchrow(SELECT_SYSTEM, keep_plan=True)
    except asyncpg.InsufficientPrivilegeError:
        return None
    return int(row["system"])


async def connections_of(reader: Statements) -> int:
    """The number of connections that the server allows."""
    row: Any = await reader.fetchrow(COUNT_CONNECTIONS, keep_plan=True)
    return int(row["connections"])


# A usable replica is 0.2 s behind at most; this is more than a slow network takes.
LAG_SECONDS = 2.0
POLL_SECONDS = 0.05


async def replicas(context: CheckContext) -> list[Finding]:
    url = context.settings.database_replica()
    if url is None:
        return [ok("There is no replica.")]
    system = await system_of(context.database.reader)
    # Otherwise the primary is skipped.
    any_will_do = url.query.get("target_session_attrs", "any") == "any"
    looking = (
        _look(context, name, one, system, any_will_do=any_will_do)
        for name, one in each_alone(url).items()
    )
    return list(await asyncio.gather(*looking))


async def _behind(context: CheckContext, replica: Statements) -> int:
    """The bytes of the primary's log, as of now, that do not arrive in time."""
    wanted: Any = await context.database.reader.fetchrow(AT_PRIMARY, keep_plan=True)
    until = time.monotonic() + LAG_SECONDS
    while True:
        found: Any = await replica.fetchrow(AT_REPLICA, keep_plan=True)
        behind: int = max(0, wanted["log"] - found["log"])
        if behind == 0 or time.monotonic() > until:
            return behind
        await asyncio.sleep(POLL_SECONDS)


async def _look(
    context: CheckContext, name: str, url: URL, system: int | None, *, any_will_do: bool
) -> Finding:
    seconds = context.settings.database_timeout_seconds
    with closing(
        PooledStatements(Servers(url), "reads", pool_size=1, timeout=seconds, server_settings={})
    ) as reader:
        try:
            theirs, connections = await system_of(reader), await connections_of(reader)
            writable = await takes_writes(reader)
            behind = await _behind(context, reader) if theirs == system else 0
        except Exception as error:
            if not is_database_fault(error):
                raise
            advice = "Bring it back, or take it out of ADSVC_DATABASE_REPLICA_URL."
            seen = f"{name} does not answer. The primary is used instead."
            return fault(seen, advice, name)
    if theirs != system:
        advice = "Set ADSVC_DATABASE_REPLICA_URL to standbys of ADSVC_DATABASE_URL."
        return fault(f"{name} is no replica of this database.", advice, name)
    if behind > 0:
        advice = "See pg_stat_replication of the primary, which is used meanwhile."
        seen = (
            f"{name} lags: after {LAG_SECONDS:g} s it lacked {behind} bytes of the primary's log."
        )
        return warning(seen, advice, name)
    needed = context.settings.replica_connections * context.settings.workers
    if needed > connections:
        advice = "Raise max_connections there, or lower ADSVC_DATABASE_POOL_SIZE or ADSVC_WORKERS."
        seen = f"This node opens up to {needed} connections to {name}, of {connections}."
        return warning(seen, advice, name)
    if any_will_do and writable:
        advice = "Name its standbys, or let the address end with target_session_attrs=standby."
        seen = f"{name} accepts writes: it is the primary, so it relieves nothing."
        return warning(seen, advice, name)
    return ok(f"{name} answers; this node opens up to {needed} of {connections}.")


OLDEST_VERSION = 15
# Longer than statements take, shorter than what matters for tokens.
CLOCK_SECONDS = 2.0
# One each night, and half a day of delay. The same as in the alert AdsvcBackupOld.
OLDEST_BACKUP = timedelta(hours=36)
# The part of a finding after which nothing else can be learned of the database.
UNUSABLE = "access"
REACH = (
    "Compare ADSVC_DATABASE_URL with what PostgreSQL's operator says: hosts, ports, user, password "
    "and name. One of several hosts must accept writes."
)


async def _facts(context: CheckContext) -> Any:  # noqa: ANN401 - a row with the columns of FACTS
    async with context.database.autocommit() as session:
        return SimpleNamespace(**(await session.fetch(SELECT_FACTS))[0])


async def database_server(context: CheckContext) -> list[Finding]:
    try:
        facts = await _facts(context)
    except (DatabaseUnavailableError, DBAPIError, asyncpg.PostgresError) as error:
        # Without the statement, which SQLAlchemy adds.
        cause = error.orig if isinstance(error, DBAPIError) else error.__cause__ or error
        reason = reason_of(error)
        meaning, advice = (f"{reason.meaning}. ", reason.advice) if reason else ("", REACH)
        seen = f"{context.database.location} cannot be used: {meaning}{cause}"
        return [fault(seen, advice, UNUSABLE)]
    major = facts.version // 10_000
    found = []
    if major < OLDEST_VERSION:
        advice = f"Use PostgreSQL {OLDEST_VERSION} or newer."
        found.append(fault(f"It is PostgreSQL {major}.", advice, "version"))
    if facts.encoding != "UTF8":
        advice = "Make a database with ENCODING 'UTF8', and restore a backup into it."
        found.append(fault(f"Its encoding is {facts.encoding}.", advice, "encoding"))
    if facts.careless:
        advice = "Switch it on: after a crash, writes that were acknowledged would be lost."
        found.append(fault(f"Switched off: {facts.careless}.", advice, "durability"))
    if facts.read_only:
        advice = "Name the primary in ADSVC_DATABASE_URL, or all servers, separated by commas."
        found.append(fault("It accepts no writes.", advice, "writes"))
    return found or [ok(f"PostgreSQL {major} with {facts.encoding}, sorted by {facts.collation}.")]


async def schema(context: CheckContext) -> list[Finding]:
    reader = context.database.reader
    revision = await server_rows.revision(reader)
    oldest = await server_rows.oldest_head(reader) if revision else None
    newest = migrations.head()
    if revision == newest:
        return [ok(f"It is at revision {revision}, which is this version's.")]
    if migrations.serves(revision, oldest):
        seen = f"It is at revision {revision}, which a newer version made, and this one can serve."
        return [warning(seen, "Bring this node to that version.")]
    seen = f"It is at revision {revision or 'none'}, and this version needs {newest}."
    return [fault(seen, migrations.remedy(revision))]


async def rights(context: CheckContext) -> list[Finding]:
    facts = await _facts(context)
    if facts.may_create and facts.may_alter:
        return [ok("The role may make and change tables.")]
    advice = "Let it own the tables and create in the schema public, or migrate as one that may."
    return [warning("The role may not make or change tables, so adsvc migrate fails.", advice)]


async def clock(context: CheckContext) -> list[Finding]:
    before = datetime.now(UTC)
    facts = await _facts(context)
    after = datetime.now(UTC)
    ahead = (before - facts.clock).total_seconds()
    behind = (facts.clock - after).total_seconds()
    off = max(ahead, behind)
    if off > CLOCK_SECONDS:
        advice = "Use NTP on both machines: one checks tokens, the other ads."
        return [fault(f"This machine and the database are {off:.0f} s apart.", advice)]
    return [ok("This machine and the database agree about the time.")]


async def connections(context: CheckContext) -> list[Finding]:
    """For all processes that are connected now, assuming the settings of this node."""
    facts = await _facts(context)
    settings = context.settings
    # The others are the pooler's, which has its own limit.
    lent = settings.database_pooling is DatabasePooling.TRANSACTION
    each = 1 if lent else settings.primary_connections
    processes = max(settings.workers, facts.processes)
    # One process is the sequencer. The metrics exporter has one connection of its own.
    needed = each * processes + 1 + (settings.metrics_port is not None)
    seen = f"A process opens up to {each} connections, and {processes} of all nodes {needed}"
    if needed > facts.connections - facts.others:
        advice = (
            "Raise max_connections, lower ADSVC_DATABASE_POOL_SIZE or ADSVC_WORKERS, or have a "
            "pooler in between."
        )
        others = f", and other programs use {facts.others}" if facts.others else ""
        return [fault(f"{seen}; there are {facts.connections}{others}.", advice)]
    return [ok(f"{seen}; there are {facts.connections}.")]


async def listener(context: CheckContext) -> list[Finding]:
    """Nodes learn of changes by NOTIFY, which not every pooler supports."""
    servers = Servers(context.settings.database_session_url())
    connection: asyncpg.Connection | None = None
    try:
        connection = await servers.connect(timeout=context.settings.database_timeout_seconds)
        arrives = await _receives(connection, context.database)
    except Exception as error:
        if not is_database_fault(error):
            raise
        arrives = False
    finally:
        if connection is not None:
            with suppress(OSError, asyncpg.InterfaceError):
                connection.terminate()
    if arrives:
        return [ok("Notifications of changes arrive.")]
    return [
        fault(
            "Notifications of changes do not arrive: answers of other nodes would be stale.",
            "Set ADSVC_DATABASE_LISTEN_URL to PostgreSQL itself, not to a pooler that lends "
            "connections for a transaction.",
        )
    ]


# More than an election takes, and more than a busy sequencer needs.
LOG_SECONDS = 4.0


async def event_log(context: CheckContext) -> list[Finding]:
    """Whether a process moves changes into the log, and can go on tomorrow."""
    if not (await _facts(context)).here:
        return [ok("No process is connected, so none is the sequencer.")]
    until = time.monotonic() + LOG_SECONDS
    while True:
        status = await log_status(context.database.reader)
        moves = status.has_sequencer and status.lag_seconds < LOG_SECONDS
        if moves or time.monotonic() > until:
            break
        await asyncio.sleep(POLL_SECONDS)
    found = []
    if not status.has_sequencer:
        advice = (
            "Read in the logs of adsvc.events why no process can be. Nothing is cached meanwhile."
        )
        found.append(fault("No process is the sequencer of events.", advice, "sequencer"))
    elif not moves:
        advice = "Read in the log of adsvc.events what the sequencer waits for, or fails at."
        seen = f"The oldest change that is not in the log is {status.lag_seconds:.0f} s old."
        found.append(fault(seen, advice, "lag"))
    if not (status.has_today and status.has_tomorrow):
        advice = "Let the role of the service create tables in the schema public, and own events."
        day = "tomorrow" if status.has_today else "today"
        found.append(fault(f"The log has no partition for {day}.", advice, "partitions"))
    return found or [ok(f"The sequencer is {status.lag_seconds:.1f} s behind.")]


async def _receives(connection: asyncpg.Connection, database: Database) -> bool:
    """Whether a notification that another session sends arrives on the connection."""
    arrived = asyncio.Event()
    channel = f"adsvc_doctor_{uuid4().hex}"
    await connection.add_listener(channel, lambda *_: arrived.set())
    async with database.autocommit() as session:
        await session.execute(select(func.pg_notify(channel, "")))
    with suppress(TimeoutError):
        async with asyncio.timeout(NOTICE_SECONDS):
            await arrived.wait()
    return arrived.is_set()


async def backups(context: CheckContext) -> list[Finding]:
    """The age of the last successful backup, from any machine."""
    async with context.database.autocommit() as session:
        made = await job_rows.backed_up_at(session)
    advice = (
        "Run adsvc backup each night, by its timer or CronJob. Ignore this if you back up by other "
        "means."
    )
    if made is None:
        return [warning("adsvc backup has never succeeded.", advice, "none")]
    age = datetime.now(UTC) - made
    seen = f"The last good backup ended {round(age.total_seconds() / 3600)} hours ago."
    return [warning(seen, advice, "old") if age > OLDEST_BACKUP else ok(seen)]
