"""The database: version, schema, rights, clock, room for connections, and whether it can tell."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
from sqlalchemy.exc import DBAPIError

from adsvc.db import migrations
from adsvc.db.connections.servers import Servers
from adsvc.db.faults import is_database_fault
from adsvc.errors import DatabaseUnavailableError
from adsvc.repositories import JobRepository, SchemaRepository
from adsvc.repositories.operation.server import Ear, ServerRepository
from adsvc.services.doctor.findings import Finding, Installation, fault, ok, warning
from adsvc.settings import DatabasePooling

OLDEST_VERSION = 15
# More than statements take, less than matters to tokens.
CLOCK_SECONDS = 2.0
# One each night, and half a day for it to be late. As the alert AdsvcBackupOld has it.
OLDEST_BACKUP = timedelta(hours=36)
REACH = (
    "Compare ADSVC_DATABASE_URL with what PostgreSQL's operator says: hosts, ports, user, password "
    "and name. Of several hosts one must take writes."
)


async def _facts(it: Installation) -> Any:  # noqa: ANN401 - a row of `ServerRepository`
    async with it.database.autocommit() as session:
        return await ServerRepository(session).facts()


async def server(it: Installation) -> list[Finding]:
    try:
        facts = await _facts(it)
    except (DatabaseUnavailableError, DBAPIError, asyncpg.PostgresError) as error:
        seen = f"{it.database.location} cannot be used: {_cause_of(error)}"
        return [fault(seen, REACH)]
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
        found.append(fault("It takes no writes.", advice, "writes"))
    return found or [ok(f"PostgreSQL {major} with {facts.encoding}, sorted by {facts.collation}.")]


def _cause_of(error: Exception) -> object:
    """Without the statement, which SQLAlchemy adds."""
    return error.orig if isinstance(error, DBAPIError) else error.__cause__ or error


async def schema(it: Installation) -> list[Finding]:
    async with it.database.autocommit() as session:
        repository = SchemaRepository(session)
        revision = await repository.revision()
        oldest = await repository.oldest_head() if revision else None
    newest = migrations.head()
    if revision == newest:
        return [ok(f"It is at revision {revision}, which is this version's.")]
    if migrations.serves(revision, oldest):
        seen = f"It is at revision {revision}, which a newer version made, and this one can serve."
        return [warning(seen, "Bring this node to that version.")]
    seen = f"It is at revision {revision or 'none'}, and this version needs {newest}."
    return [fault(seen, migrations.remedy(revision))]


async def rights(it: Installation) -> list[Finding]:
    facts = await _facts(it)
    if facts.may_create and facts.may_alter:
        return [ok("The role may make and change tables.")]
    advice = "Let it own the tables and create in the schema public, or migrate as one that may."
    return [warning("The role may not make or change tables, so adsvc migrate fails.", advice)]


async def clock(it: Installation) -> list[Finding]:
    before = datetime.now(UTC)
    facts = await _facts(it)
    after = datetime.now(UTC)
    ahead = (before - facts.clock).total_seconds()
    behind = (facts.clock - after).total_seconds()
    off = max(ahead, behind)
    if off > CLOCK_SECONDS:
        advice = "Have both machines set by NTP: tokens are judged by one, ads by the other."
        return [fault(f"This machine and the database are {off:.0f} s apart.", advice)]
    return [ok("This machine and the database agree about the time.")]


async def connections(it: Installation) -> list[Finding]:
    """Of all processes that are connected now, as if each were configured like these."""
    facts = await _facts(it)
    settings = it.settings
    # A pooler lends the others; that it has enough of them is its own to say.
    lent = settings.database_pooling is DatabasePooling.TRANSACTION
    each = 1 if lent else settings.primary_connections
    processes = max(settings.workers, facts.processes)
    # The listener for /metrics asks the database by itself.
    needed = each * processes + (settings.metrics_port is not None)
    seen = f"A process opens up to {each} connections"
    if processes > 1:
        seen = f"{seen}, and {processes} of all nodes {needed}"
    if needed > facts.connections - facts.others:
        advice = (
            "Raise max_connections, lower ADSVC_DATABASE_POOL_SIZE or ADSVC_WORKERS, or have a "
            "pooler in between."
        )
        others = f", of which others have {facts.others}" if facts.others else ""
        return [fault(f"{seen}; there are {facts.connections}{others}.", advice)]
    return [ok(f"{seen}; there are {facts.connections}.")]


async def listener(it: Installation) -> list[Finding]:
    """What changes at other nodes is heard by NOTIFY, which not every pooler lets through."""
    servers = Servers(it.settings.database_session_url())
    connection: asyncpg.Connection | None = None
    try:
        connection = await servers.connect(timeout=it.settings.database_timeout_seconds)
        async with it.database.autocommit() as session:
            heard = await Ear(connection).hears(session)
    except Exception as error:
        if not is_database_fault(error):
            raise
        heard = False
    finally:
        if connection is not None:
            with suppress(OSError, asyncpg.InterfaceError):
                connection.terminate()
    if heard:
        return [ok("Notices of changes arrive.")]
    return [
        fault(
            "Notices of changes do not arrive: answers of other nodes would be old.",
            "Set ADSVC_DATABASE_LISTEN_URL to PostgreSQL itself, not to a pooler that lends "
            "connections for a transaction.",
        )
    ]


async def backups(it: Installation) -> list[Finding]:
    """How old the last good one is, wherever it was made."""
    async with it.database.autocommit() as session:
        made = await JobRepository(session).backed_up_at()
    advice = (
        "Run adsvc backup each night, by its timer or CronJob. If something else saves it all, "
    )
    advice += "ignore this."
    if made is None:
        return [warning("adsvc backup has never ended well.", advice, "none")]
    age = datetime.now(UTC) - made
    seen = f"The last good backup ended {round(age.total_seconds() / 3600)} hours ago."
    return [warning(seen, advice, "old") if age > OLDEST_BACKUP else ok(seen)]
