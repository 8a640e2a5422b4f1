"""The schema, the server and the installation of a database; figures for metrics and console."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import asyncpg
from sqlalchemy import func, select, update
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.orm import InstrumentedAttribute

from adsvc.db.engine import DatabaseSession
from adsvc.db.faults import UNDEFINED_COLUMN, UNDEFINED_TABLE, lacks
from adsvc.db.migrations import SEARCH_LANGUAGE
from adsvc.db.statements import Row, Statements
from adsvc.models import Ad, Installation, User
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
            f"SELECT '{self.name}' AS name, {label} AS label, value::float8"  # noqa: S608 - no input
            f" FROM ({self.sql}) AS found ({columns})"
        )


# Another queue in a table is one more row here, and one in `observability/metrics/definitions.py`.
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
        " WHERE webhook_id = webhooks.id AND status = 'pending') FROM webhooks WHERE enabled",
        has_label=True,
    ),
    Figure(
        "adsvc_webhook_oldest_seconds",
        "SELECT id, coalesce(extract(epoch FROM now() - (SELECT min(created_at)"
        " FROM webhook_deliveries WHERE webhook_id = webhooks.id AND status = 'pending')), 0)"
        "::float8 FROM webhooks WHERE enabled",
        has_label=True,
    ),
    Figure(
        "adsvc_webhook_lag_events",
        "SELECT id, greatest(0, (SELECT max(last_event_id) FROM event_batches) - position)"
        " FROM webhooks WHERE enabled",
        has_label=True,
    ),
    Figure(
        "adsvc_webhook_failures", "SELECT id, failures FROM webhooks WHERE enabled", has_label=True
    ),
    Figure(
        "adsvc_consumer_lag_events",
        "SELECT name,"  # noqa: S608 - no input
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
        # Backups have a metric of their own, because the operator decides their period.
        " FROM jobs WHERE succeeded_at IS NOT NULL AND name <> 'backup'",
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
        "adsvc_backup_success_age_seconds",
        "SELECT coalesce((SELECT extract(epoch FROM now() - succeeded_at)::float8"
        " FROM jobs WHERE name = 'backup'), 'Infinity')",
    ),
)


ALL_FIGURES = "\nUNION ALL\n".join(figure.rows() for figure in FIGURES)


async def metric_figures(db: Statements) -> Mapping[str, Mapping[tuple[str, ...], float]]:
    """Values by labels by name; empty if it takes too long, or the schema lacks a table."""
    try:
        rows = await db.fetch(ALL_FIGURES, keep_plan=True)
    except (
        asyncpg.UndefinedTableError,
        asyncpg.UndefinedColumnError,
        asyncpg.QueryCanceledError,
    ):
        return {}
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for row in rows:
        labels = () if row["label"] is None else (row["label"],)
        found.setdefault(row["name"], {})[labels] = row["value"]
    return found


MOST_COUNTED = 10_000

# Ids are in the order of creation.
_COUNT_OF_TODAY = """(
    SELECT count(*) FROM (
        SELECT created_at FROM {table} ORDER BY id DESC LIMIT $1
    ) AS newest WHERE created_at >= date_trunc('day', now(), 'UTC')
)"""
_COUNTED = "(SELECT count(*) FROM (SELECT FROM {found} LIMIT $1) AS counted)"
# Beyond the bound as many as the last ANALYZE has estimated.
_CASES = _COUNTED.format(found="cases WHERE status = '{status}' AND author_id <> $2")
_COUNT_OF_ALL = f"""(
    SELECT CASE WHEN counted < $1 THEN counted
        ELSE greatest(counted, (SELECT reltuples FROM pg_class WHERE oid = '{{table}}'::regclass))
        END::bigint FROM {_COUNTED} AS found (counted)
)"""  # noqa: S608 - no input
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
"""  # noqa: S608 - no input


async def figures(db: Statements, reader_id: int) -> Row:
    """Without the cases about what the reader wrote, as the queue."""
    [row] = await db.fetch(SELECT_OVERVIEW, MOST_COUNTED, reader_id)
    return row
