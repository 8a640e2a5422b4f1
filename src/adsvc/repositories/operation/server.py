"""The schema, the server and the installation of a database; figures for metrics and console."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

import asyncpg
from sqlalchemy import func, select, update
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.orm import InstrumentedAttribute

from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.faults import UNDEFINED_COLUMN, UNDEFINED_TABLE, lacks
from adsvc.kit.db.statements import Row, Statements
from adsvc.kit.invalidation import CHANNEL
from adsvc.migrations import SEARCH_LANGUAGE
from adsvc.models.accounts import User
from adsvc.models.ads import Ad
from adsvc.models.operation import Installation
from adsvc.repositories.events import COUNT_SEQUENCERS, FOLLOWS_LOG, SELECT_LAG

SELECT_REVISION = "SELECT version_num FROM alembic_version"
OLDEST_HEAD = "SELECT oldest_head FROM installation"

# False on a standby, and on a server that its operator or a full disk has made read-only.
WRITABLE = "SELECT current_setting('transaction_read_only') = 'off' AS writable"


async def takes_writes(db: Statements) -> bool:
    return bool(await db.fetchval(WRITABLE, keep_plan=True))


async def revision(db: Statements) -> str | None:
    """The database's migration; None before the first."""
    return await _text_of(db, SELECT_REVISION)


async def oldest_head(db: Statements) -> str | None:
    """The head of the oldest version that works on the schema; None if the database has none."""
    return await _text_of(db, OLDEST_HEAD)


async def _text_of(db: Statements, sql: str) -> str | None:
    """None if the schema lacks what the statement names."""
    try:
        found: str | None = await db.fetchval(sql, keep_plan=True)
    except (ProgrammingError, asyncpg.SyntaxOrAccessError) as error:
        if not lacks(error, UNDEFINED_TABLE, UNDEFINED_COLUMN):
            raise
        return None
    return found


async def operator_state(db: Statements) -> str | None:
    """As JSON: the maintenance, null if there is none, the access rules by subject, the version of
    the site, and its OpenID providers.
    """
    sql = (
        "SELECT json_build_array(maintenance, access_rules,"
        " (SELECT coalesce(max(id), 0) FROM site_changes),"
        " (SELECT json_agg(json_build_object('id', slug, 'name', name) ORDER BY name, id)"
        " FROM providers))::text FROM installation"
    )
    return await _text_of(db, sql)


async def set_maintenance(db: Statements, members: str | None) -> None:
    await db.fetch("UPDATE installation SET maintenance = $1::text::jsonb", members)


# Those that are over go too.
SET_ACCESS_RULE = """
    UPDATE installation SET access_rules = (
        SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(access_rules)
        WHERE key <> $1 AND (value ->> 'until')::bigint > extract(epoch FROM now()) * 1000
    ) || jsonb_strip_nulls(jsonb_build_object($1, $2::text::jsonb))
    RETURNING (SELECT count(*) FROM jsonb_object_keys(access_rules))
"""


async def set_access_rule(db: Statements, subject: str, members: str | None) -> int:
    """Replaces the rule, or removes it. Returns how many there are then."""
    found: int = await db.fetchval(SET_ACCESS_RULE, subject, members)
    return found


async def search_language(db: Statements) -> str | None:
    """The language of the search's stems; `adsvc migrate` changes it."""
    found: str | None = await db.fetchval(SEARCH_LANGUAGE)
    return found


async def installation_id(db: DatabaseSession) -> UUID | None:
    """None in a database before the migration that adds it."""
    try:
        found: UUID | None = await db.scalar(select(Installation.id))
    except ProgrammingError:
        return None
    return found


async def renew(db: DatabaseSession) -> None:
    await db.execute(update(Installation).values(id=func.gen_random_uuid()))


async def link_key(db: DatabaseSession, new: bytes) -> bytes:
    """The key that signs links in mails; `new` becomes it if there is none."""
    return await _key(db, Installation.link_key, new)


async def push_key(db: DatabaseSession, new: bytes) -> bytes:
    """The private key of Web Push; `new` becomes it if there is none."""
    return await _key(db, Installation.push_key, new)


async def _key(
    db: DatabaseSession, column: InstrumentedAttribute[bytes | None], new: bytes
) -> bytes:
    found: bytes | None = await db.scalar(select(column))
    if found is None:
        statement = update(Installation).values({column: func.coalesce(column, new)})
        found = await db.scalar(statement.returning(column))
    assert found is not None  # noqa: S101 - the row is there since the first migrations
    return found


async def newest_pictures(db: DatabaseSession, limit: int) -> Sequence[str]:
    ads = select(Ad.image).order_by(Ad.id.desc()).limit(limit)
    avatars = select(User.image).where(User.image.is_not(None))
    avatars = avatars.order_by(User.id.desc()).limit(limit)
    names = [*await db.scalars(ads), *await db.scalars(avatars)]
    return [name for name in names if name]


@dataclass(frozen=True, slots=True)
class Figure:
    """A gauge. Each row of its query has the value, behind its label if it has one."""

    name: str
    sql: str
    has_label: bool = False

    def rows(self) -> str:
        """The query with the name and the label of each value."""
        columns, label = ("label, value", "label::text") if self.has_label else ("value", "NULL")
        return (
            f"SELECT '{self.name}' AS name, {label} AS label, value::float8"
            f" FROM ({self.sql}) AS found ({columns})"
        )


# Another queue in a table is one more row here, and one in `metrics/__init__.py`.
# All together have a second, and should have no more to read than what waits.
FIGURES: Sequence[Figure] = (
    Figure("adsvc_picture_deletions_queued", "SELECT count(*) FROM picture_deletions"),
    Figure("adsvc_outbox_pending", "SELECT count(*) FROM outbox WHERE dead_at IS NULL"),
    Figure("adsvc_outbox_dead", "SELECT count(*) FROM outbox WHERE dead_at IS NOT NULL"),
    Figure(
        "adsvc_outbox_oldest_seconds",
        "SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8"
        " FROM outbox WHERE dead_at IS NULL",
    ),
    Figure("adsvc_event_log_sequencers", COUNT_SEQUENCERS),
    Figure("adsvc_event_log_lag_seconds", SELECT_LAG),
    Figure(
        "adsvc_webhook_pending",
        "SELECT id, (SELECT count(*) FROM webhook_deliveries"
        " WHERE webhook_id = webhooks.id AND status = 'pending')"
        " FROM webhooks WHERE enabled AND owner_id IS NULL",
        has_label=True,
    ),
    Figure(
        "adsvc_webhook_oldest_seconds",
        "SELECT id, coalesce(extract(epoch FROM now() - (SELECT min(created_at)"
        " FROM webhook_deliveries WHERE webhook_id = webhooks.id AND status = 'pending')), 0)"
        "::float8 FROM webhooks WHERE enabled AND owner_id IS NULL",
        has_label=True,
    ),
    Figure(
        "adsvc_webhook_lag_events",
        "SELECT id, greatest(0, (SELECT max(last_event_id) FROM event_batches) - position)"
        " FROM webhooks WHERE enabled AND owner_id IS NULL",
        has_label=True,
    ),
    Figure(
        "adsvc_webhook_failures",
        "SELECT id, failures FROM webhooks WHERE enabled AND owner_id IS NULL",
        has_label=True,
    ),
    Figure(
        "adsvc_consumer_lag_events",
        "SELECT name,"
        " greatest(0, (SELECT max(last_event_id) FROM event_batches) - position)"
        f" FROM consumers WHERE {FOLLOWS_LOG}",
        has_label=True,
    ),
    Figure("adsvc_fan_outs_pending", "SELECT count(*) FROM fan_outs WHERE ended_at IS NULL"),
    Figure("adsvc_search_alerts_due", "SELECT count(*) FROM saved_searches WHERE due_at <= now()"),
    Figure(
        "adsvc_messages_held",
        "SELECT count(*) FROM cases JOIN messages ON messages.id = target_id"
        " WHERE cases.status IN ('open', 'appealed') AND cases.kind = 'message' AND held",
    ),
    Figure("adsvc_push_pending", "SELECT count(*) FROM push_messages"),
    Figure(
        "adsvc_job_success_age_seconds",
        "SELECT name, extract(epoch FROM now() - succeeded_at)::float8"
        # Those of operators have metrics of their own.
        " FROM jobs WHERE succeeded_at IS NOT NULL"
        " AND name NOT IN ('backup', 'picture_check', 'test_alert')",
        has_label=True,
    ),
    Figure(
        "adsvc_database_sessions",
        # PostgreSQL may hide the state of other users' sessions.
        "SELECT coalesce(state, 'unknown'), count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() GROUP BY 1",
        has_label=True,
    ),
    Figure("adsvc_database_sessions_limit", "SELECT current_setting('max_connections')::int"),
    # Including what the statement takes on its way: alerts are about seconds.
    Figure(
        "adsvc_clock_skew_seconds",
        "SELECT $1::float8 - extract(epoch FROM clock_timestamp())",
    ),
    Figure(
        "adsvc_database_oldest_transaction_seconds",
        # A backup reads everything in one transaction (`jobs.MAY_LAST`).
        "SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)"
        " FROM pg_stat_activity WHERE datname = current_database()"
        " AND backend_type = 'client backend'"
        " AND application_name NOT IN ('pg_dump', 'adsvc/backup')",
    ),
    Figure("adsvc_database_autovacuum", "SELECT current_setting('autovacuum')::bool::int"),
    Figure(
        "adsvc_synchronous_standbys",
        # Some roles do not see the states of other sessions.
        "SELECT count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')) FROM pg_stat_replication"
        " HAVING count(*) = count(sync_state)",
    ),
    Figure(
        "adsvc_synchronous_standbys_required",
        "SELECT (current_setting('synchronous_standby_names') <> '')::int",
    ),
    Figure(
        "adsvc_test_alert",
        "SELECT coalesce((SELECT succeeded_at > now() - interval '3 minutes'"
        " FROM jobs WHERE name = 'test_alert'), false)::int",
    ),
    Figure(
        "adsvc_pictures_damaged",
        "SELECT coalesce((SELECT failed_at > coalesce(succeeded_at, '-infinity')"
        " FROM jobs WHERE name = 'picture_check'), false)::int",
    ),
    Figure(
        "adsvc_backup_success_age_seconds",
        "SELECT coalesce((SELECT extract(epoch FROM now() - succeeded_at)::float8"
        " FROM jobs WHERE name = 'backup'), 'Infinity')",
    ),
)


ALL_FIGURES = "\nUNION ALL\n".join(figure.rows() for figure in FIGURES)


async def metric_figures(db: Statements) -> Sequence[tuple[str, tuple[str, ...], float]]:
    """Names, labels and values; empty if it takes too long, or the schema lacks a table."""
    try:
        rows = await db.fetch(ALL_FIGURES, time.time(), keep_plan=True)
    except (
        asyncpg.UndefinedTableError,
        asyncpg.UndefinedColumnError,
        asyncpg.QueryCanceledError,
    ):
        return []
    return [
        (row["name"], () if row["label"] is None else (row["label"],), row["value"]) for row in rows
    ]


MOST_COUNTED = 10_000

# Ids are in the order of creation.
_COUNT_OF_TODAY = """(
    SELECT count(*) FROM (
        SELECT created_at FROM {table} ORDER BY id DESC LIMIT $1
    ) AS newest WHERE created_at >= date_trunc('day', now(), 'UTC')
)"""
_COUNTED = "(SELECT count(*) FROM (SELECT FROM {found} LIMIT $1) AS counted)"
# Beyond the bound as many as the last ANALYZE has estimated.
_CASES = _COUNTED.format(found="cases WHERE status = '{status}' AND author_id IS DISTINCT FROM $2")
_COUNT_OF_ALL = f"""(
    SELECT CASE WHEN counted < $1 THEN counted
        ELSE greatest(counted, (SELECT reltuples FROM pg_class WHERE oid = '{{table}}'::regclass))
        END::bigint FROM {_COUNTED} AS found (counted)
)"""
SELECT_OVERVIEW = f"""
    SELECT
        {_COUNT_OF_TODAY.format(table="ads")} AS ads_today,
        {_COUNT_OF_ALL.format(table="ads", found="ads")} AS ads,
        {_COUNT_OF_TODAY.format(table="users")} AS accounts_today,
        {_COUNT_OF_ALL.format(table="users", found="users")} AS accounts,
        {_CASES.format(status="open")} AS cases_open,
        {_CASES.format(status="appealed")} AS cases_appealed,
        {_COUNTED.format(found="outbox WHERE dead_at IS NULL")} AS outbox_waiting,
        {_COUNTED.format(found="outbox WHERE dead_at IS NOT NULL")} AS outbox_dead,
        (SELECT created_at FROM outbox WHERE dead_at IS NULL ORDER BY id LIMIT 1) AS outbox_oldest,
        (SELECT version_num FROM alembic_version) AS revision,
        current_setting('server_version') AS database_version
"""


CURVE_DAYS = 30
CURVES = {
    "accounts": ("users", "created_at"),
    "ads": ("ads", "created_at"),
    "messages": ("messages", "at"),
    "reports": ("reports", "at"),
}
_COUNTS_OF_DAYS = ", ".join(
    f"""{name} AS MATERIALIZED (
        SELECT ({at} AT TIME ZONE 'UTC')::date AS date, count(*) AS counted FROM (
            SELECT {at} FROM {table} ORDER BY id DESC LIMIT $1
        ) AS newest GROUP BY 1
    )"""
    for name, (table, at) in CURVES.items()
)
# Of a day that is not counted to its beginning the number is unknown.
_OF_DAY = """CASE
    WHEN date > (SELECT min(date) FROM {name})
        OR (SELECT sum(counted) FROM {name}) IS DISTINCT FROM $1
    THEN coalesce((SELECT counted FROM {name} WHERE {name}.date = days.date), 0) END AS {name}"""
SELECT_DAYS = f"""
    WITH {_COUNTS_OF_DAYS}, days AS (
        SELECT (now() AT TIME ZONE 'UTC')::date - ago AS date
        FROM generate_series(0, {CURVE_DAYS - 1}) AS ago
    )
    SELECT date, {", ".join(_OF_DAY.format(name=name) for name in CURVES)} FROM days ORDER BY date
"""


async def days(db: Statements) -> Sequence[Row]:
    """The last thirty, the oldest first: what was new on each."""
    return await db.fetch(SELECT_DAYS, MOST_COUNTED)


async def figures(db: Statements, reader_id: int) -> Row:
    """Without the cases about what the reader wrote, as the queue."""
    [row] = await db.fetch(SELECT_OVERVIEW, MOST_COUNTED, reader_id)
    return row


SELECT_FINGERPRINT = "SELECT secret_fingerprint FROM installation"
UPDATE_FINGERPRINT = "UPDATE installation SET secret_fingerprint = $1"
AT_ONCE = 500


class EncryptedColumn(NamedTuple):
    # As `security.encryption.Encryption` has it.
    kind: str
    table: str
    key: str
    column: str
    # Whether the key is the id of the account that the secret is bound to.
    has_owner: bool


APPS, WEBHOOKS, PROVIDERS = "authenticator apps", "webhooks", "providers"
ENCRYPTED = (
    EncryptedColumn(APPS, "totps", "user_id", "secret", has_owner=True),
    EncryptedColumn(APPS, "totps", "user_id", "pending", has_owner=True),
    EncryptedColumn(WEBHOOKS, "webhooks", "id", "secret", has_owner=False),
    EncryptedColumn(WEBHOOKS, "webhooks", "id", "old_secret", has_owner=False),
    EncryptedColumn(PROVIDERS, "providers", "id", "client_secret", has_owner=False),
)


async def fingerprint(db: Statements, *, for_update: bool = False) -> bytes | None:
    """None before the first start that has set it."""
    sql = f"{SELECT_FINGERPRINT} FOR UPDATE" if for_update else SELECT_FINGERPRINT
    found: bytes | None = await db.fetchval(sql)
    return found


async def set_fingerprint(db: Statements, fingerprint: bytes) -> None:
    await db.fetch(UPDATE_FINGERPRINT, fingerprint)


async def encrypted_page(db: Statements, of: EncryptedColumn, after: int) -> Sequence[Row]:
    """The next secrets by the id of their row, as `id` and `secret`."""
    return await db.fetch(
        f"SELECT {of.key} AS id, {of.column} AS secret FROM {of.table}"
        f" WHERE {of.key} > $1 AND {of.column} IS NOT NULL ORDER BY 1 LIMIT {AT_ONCE}",
        after,
    )


async def replace_encrypted(db: Statements, of: EncryptedColumn, row: Row, renewed: bytes) -> None:
    """Nothing if the row has another secret by now."""
    await db.fetch(
        f"UPDATE {of.table} SET {of.column} = $3 WHERE {of.key} = $1 AND {of.column} = $2",
        *(row["id"], row["secret"], renewed),
    )


# The log stays: cursors name its events by their moments.
SELECT_MOMENTS = """
    SELECT quote_ident(relname) AS table_name, array_agg(quote_ident(attname)) AS columns
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
        AND atttypid = 'timestamptz'::regtype AND NOT attisdropped AND attnum > 0
        AND relname NOT LIKE 'events%' AND relname <> 'changes'
    GROUP BY relname ORDER BY relname
"""
# Positions that are moments.
MOVE_POSITIONS = f"UPDATE consumers SET position = position - $1::bigint WHERE NOT ({FOLLOWS_LOG})"


async def advance_clock(db: Statements, milliseconds: int) -> None:
    """Makes all stored moments older, for developers: `now()` of PostgreSQL is in hundreds of
    statements, defaults and triggers, and cannot be moved.

    In a transaction. All processes drop what they have cached.

    The role of the database must be a superuser, or be allowed to set `session_replication_role`.
    """
    # No trigger fires: nothing has happened to the rows.
    await db.fetch("SET LOCAL session_replication_role = replica")
    for row in await db.fetch(SELECT_MOMENTS):
        table = row["table_name"]
        changes = ", ".join(
            f"{column} = {column} - make_interval(secs => $1::float8)" for column in row["columns"]
        )
        await db.fetch(f"UPDATE {table} SET {changes}", milliseconds / 1000)
    await db.fetch(MOVE_POSITIONS, milliseconds)
    await db.fetch("SELECT pg_notify($1, '')", CHANNEL)
