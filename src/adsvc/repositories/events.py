"""The log of events: put in order by one sequencer, and read by all processes.

`nextval` is not the order of commits, and a reader that waits until no older transaction is open
waits for every long one. So each batch is what one snapshot sees and the one before it did not (the
ticks of PgQ, Skype 2007): a transaction that stays open delays its own events only.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

import asyncpg

from adsvc.enums import AdvisoryLock
from adsvc.kit.db.statements import Row, Statements
from adsvc.kit.invalidation import CHANNEL

# Parameters: the snapshot of the batch before, as text; its id; the last event's id.
MOVE_CHANGES_TO_LOG = """
    WITH new AS MATERIALIZED (
        SELECT * FROM changes
        WHERE xid >= pg_snapshot_xmax($1::text::pg_snapshot)::text::bigint
            OR xid = ANY(ARRAY(SELECT pg_snapshot_xip($1::text::pg_snapshot)::text::bigint))
    ), numbered AS (
        SELECT row_number() OVER (ORDER BY id) AS number, * FROM new WHERE type IS NOT NULL
    ), batch AS (
        INSERT INTO event_batches (id, last_event_id, snapshot)
        SELECT $2::bigint + 1, $3::bigint + (SELECT count(*) FROM numbered),
            pg_current_snapshot()::text
        WHERE EXISTS (SELECT FROM new)
        RETURNING id, last_event_id
    ), moved AS (
        INSERT INTO events (id, day, at, type, ad_id, user_id, data, change_id)
        SELECT $3 + number, (now() AT TIME ZONE 'UTC')::date, at, type, ad_id, user_id, data, id
        FROM numbered
    )
    SELECT pg_current_snapshot()::text AS snapshot, (SELECT id FROM batch) AS id,
        (SELECT last_event_id FROM batch) AS last_event_id, (SELECT count(*) FROM new) AS changes,
        ARRAY(
            -- They would not fit into a notification, and are of as many things as there are.
            SELECT DISTINCT CASE WHEN count(*) OVER (PARTITION BY kind) > 1000 THEN kind || ':'
                ELSE notice END
            FROM new CROSS JOIN split_part(notice, ':', 1) AS kind WHERE notice IS NOT NULL
        ) AS notices
"""

SELECT_LAST_BATCH = "SELECT id, last_event_id, snapshot FROM event_batches ORDER BY id DESC LIMIT 1"

# Parameters: the snapshots of the last cleaning and of the last batch; how many at most. What lies
# below both was deleted before: dead rows, which a long backup keeps in place, are not read again.
DELETE_MOVED_CHANGES = """
    DELETE FROM changes WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM changes WHERE xid >= pg_snapshot_xmin($1::text::pg_snapshot)::text::bigint
            AND xid < pg_snapshot_xmin($2::text::pg_snapshot)::text::bigint
        LIMIT $3
    ))
"""
DELETED_AT_ONCE = 20_000
DELETE_BATCHES = "DELETE FROM event_batches WHERE id >= $1 AND id < $2"

# A process that was stopped, or whose machine is gone, keeps its session and so the lock. One that
# waits for PostgreSQL is not idle.
END_SILENT_SEQUENCER = """
    SELECT count(pg_terminate_backend(pid)) FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND objsubid = 1 AND granted
        AND (classid::bigint << 32) + objid::bigint = $1
        AND datname = current_database() AND state LIKE 'idle%'
        AND state_change < clock_timestamp() - make_interval(secs => $2)
"""

# What holds the lock alone: triggers that look for a sequencer share it for a moment.
COUNT_SEQUENCERS = f"""
    SELECT count(*) AS number FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND mode = 'ExclusiveLock'
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (classid::bigint << 32) + objid::bigint = {AdvisoryLock.SEQUENCER}
"""

# Of what is committed and was not moved: the oldest of those that the last snapshot could not know,
# and those that it knew as open.
SELECT_LAG = """
    SELECT coalesce(extract(epoch FROM clock_timestamp() - min(at)), 0)::float8 AS seconds
    FROM (SELECT snapshot::pg_snapshot FROM event_batches ORDER BY id DESC LIMIT 1) AS last,
    LATERAL (
        (
            SELECT at FROM changes WHERE xid >= pg_snapshot_xmax(snapshot)::text::bigint
            ORDER BY xid LIMIT 1
        ) UNION ALL
        SELECT at FROM changes
        WHERE xid = ANY(ARRAY(SELECT pg_snapshot_xip(snapshot)::text::bigint))
    ) AS waiting
"""

SELECT_PARTITIONS = """
    SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'events'::regclass
"""

SELECT_TODAY = "SELECT (now() AT TIME ZONE 'UTC')::date AS day"

# PostgreSQL takes 8,000 bytes at most.
PAYLOAD_BYTES = 7_500


class LogStatus(NamedTuple):
    has_sequencer: bool
    lag_seconds: float
    # Without a partition for the day nothing can be moved.
    has_today: bool
    has_tomorrow: bool


async def log_status(db: Statements) -> LogStatus:
    [sequencers] = await db.fetch(COUNT_SEQUENCERS, keep_plan=True)
    [lag] = await db.fetch(SELECT_LAG, keep_plan=True)
    [today] = await db.fetch(SELECT_TODAY, keep_plan=True)
    days = {row["name"] for row in await db.fetch(SELECT_PARTITIONS, keep_plan=True)}
    has_today, has_tomorrow = (
        _partition(today["day"] + timedelta(days=ahead)) in days for ahead in (0, 1)
    )
    return LogStatus(sequencers["number"] > 0, lag["seconds"], has_today, has_tomorrow)


class Batch(NamedTuple):
    id: int
    last_event_id: int
    notices: Sequence[str] = ()
    # How many were moved, with those that are no event.
    changes: int = 0


class SequencerRepository:
    """By a connection that lasts, whose session holds the lock."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection
        self._batch = Batch(0, 0)
        self._snapshot = self._cleaned_until = "1:1:"
        self._batches_deleted_until = 0

    async def lead(self) -> bool:
        """Whether this process is the sequencer from now on; False if another one is."""
        if not await self._connection.fetchval(
            "SELECT pg_try_advisory_lock($1)", AdvisoryLock.SEQUENCER
        ):
            return False
        # A batch may take as long as it needs. If this process gives it up, its session goes on to
        # the end of the statement, and the next sequencer begins after it.
        await self._connection.execute("SET statement_timeout = 0")
        row = await self._connection.fetchrow(SELECT_LAST_BATCH)
        self._batch = Batch(row["id"], row["last_event_id"])
        self._snapshot = row["snapshot"]
        return True

    async def end_silent(self, seconds: float) -> int:
        """Ends the session of a sequencer that was idle for so long; how many there were."""
        ended: int = await self._connection.fetchval(
            END_SILENT_SEQUENCER, AdvisoryLock.SEQUENCER, seconds
        )
        return ended

    async def resign(self) -> None:
        """What is announced is no batch, so no process relies on what it has cached."""
        await self._connection.execute(
            "SELECT pg_advisory_unlock_all(), pg_notify($1, '')", CHANNEL
        )

    @property
    def last_batch(self) -> Batch:
        """Without what was in it."""
        return self._batch

    async def move(self) -> Batch | None:
        """What was committed since the last time; None if nothing was."""
        row = await self._connection.fetchrow(
            MOVE_CHANGES_TO_LOG, self._snapshot, self._batch.id, self._batch.last_event_id
        )
        self._snapshot = row["snapshot"]
        if row["id"] is None:
            return None
        self._batch = Batch(row["id"], row["last_event_id"])
        return self._batch._replace(notices=row["notices"], changes=row["changes"])

    async def announce(self, batch: Batch) -> None:
        """Writes nothing, so that no process waits for a disk under the lock of notifications."""
        words = ",".join(_fitting(batch.notices))
        payload = f"{batch.id}:{batch.last_event_id}:{words}"
        await self._connection.execute("SELECT pg_notify($1, $2)", CHANNEL, payload)

    async def delete_moved(self) -> bool:
        """Whether that was all. It is not if there was more than one statement should delete."""
        done = await self._connection.execute(
            DELETE_MOVED_CHANGES, self._cleaned_until, self._snapshot, DELETED_AT_ONCE
        )
        if done == f"DELETE {DELETED_AT_ONCE}":
            return False
        await self._connection.execute(DELETE_BATCHES, self._batches_deleted_until, self._batch.id)
        self._cleaned_until, self._batches_deleted_until = self._snapshot, self._batch.id
        return True

    async def keep_partitions(self, days: int) -> None:
        """One for today and each of the next two days. Those that are too old are dropped."""
        today: date = await self._connection.fetchval(SELECT_TODAY)
        existing = {row["name"] for row in await self._connection.fetch(SELECT_PARTITIONS)}
        for ahead in range(3):
            day = today + timedelta(days=ahead)
            if _partition(day) not in existing:
                await self._add_partition(day)
        oldest = _partition(today - timedelta(days=days))
        for name in sorted(existing):
            if name < oldest:
                await self._drop_partition(name)

    async def _add_partition(self, day: date) -> None:
        name = _partition(day)
        async with self._connection.transaction():
            # To attach it takes a weaker lock than to create it as a partition.
            await self._connection.execute(f"CREATE TABLE {name} (LIKE events INCLUDING ALL)")
            await self._connection.execute(
                f"ALTER TABLE events ATTACH PARTITION {name} "
                f"FOR VALUES FROM ('{day}') TO ('{day + timedelta(days=1)}')"
            )

    async def _drop_partition(self, name: str) -> None:
        """Readers wait behind this lock, so it is given up if it does not come at once."""
        try:
            async with self._connection.transaction():
                await self._connection.execute("SET LOCAL lock_timeout = '200ms'")
                await self._connection.execute(f"DROP TABLE {name}")
        except asyncpg.LockNotAvailableError:
            # A backup reads it. It is dropped another time.
            return


def _partition(day: date) -> str:
    return f"events_{day:%Y%m%d}"


def _whole_kind(notice: str) -> str:
    return notice.partition(":")[0] + ":"


def _fitting(notices: Sequence[str]) -> Sequence[str]:
    """As many as fit into a notification: of the most frequent kinds only the kind."""
    kinds = Counter(map(_whole_kind, notices))
    while len(",".join(notices).encode()) > PAYLOAD_BYTES and kinds:
        [(frequent, _)] = kinds.most_common(1)
        del kinds[frequent]
        notices = [*(one for one in notices if _whole_kind(one) != frequent), frequent]
    return notices


LAST_EVENT = "SELECT last_event_id AS id FROM event_batches ORDER BY event_batches.id DESC LIMIT 1"
# Ids of changes that are committed and not in the log yet: the newest, of very many.
NOT_IN_LOG = """ARRAY(
    SELECT changes.id FROM changes, (
        SELECT snapshot::pg_snapshot FROM event_batches ORDER BY id DESC LIMIT 1
    ) AS batch
    WHERE type IS NOT NULL AND (
        xid >= pg_snapshot_xmax(snapshot)::text::bigint
        OR xid = ANY(ARRAY(SELECT pg_snapshot_xip(snapshot)::text::bigint))
    )
    ORDER BY changes.id DESC LIMIT 2000
)"""
LOG_STATE = f"SELECT epoch::text, ({LAST_EVENT}) AS last_id FROM event_log"
SELECT_FIRST_EVENT = "SELECT id, day, at FROM events ORDER BY id LIMIT 1"
SELECT_LAST_EVENT = "SELECT id, day, at FROM events ORDER BY id DESC LIMIT 1"
SELECT_EVENT = "SELECT id, day, at FROM events WHERE id = $1 AND day >= $2::date - 1"
SELECT_EVENTS = """
    SELECT id, day, at, type, ad_id, user_id, data FROM events
    WHERE id > $1 AND id <= $2 AND day >= $3::date - 1 AND ($4::text[] IS NULL OR type = ANY($4))
    ORDER BY id LIMIT $5
"""
# Types may be rare, and one statement reads no more events than this.
MOST_READ = 10_000


class LogState(NamedTuple):
    epoch: str
    last_id: int


class LogPosition(NamedTuple):
    """An event of the log. Before the first event, `day` and `at` are None."""

    id: int
    # A later event may be of the day before, by a server whose clock is slow.
    day: date | None
    # By which it differs from an event with this id in a log that went on otherwise.
    at: datetime | None

    @classmethod
    def of(cls, row: Row) -> "LogPosition":
        return cls(row["id"], row["day"], row["at"])


async def state(db: Statements) -> LogState:
    [row] = await db.fetch(LOG_STATE, keep_plan=True)
    return LogState(*row.values())


async def start(db: Statements) -> LogPosition:
    """Before the oldest event that is kept."""
    for row in await db.fetch(SELECT_FIRST_EVENT):
        return LogPosition(row["id"] - 1, row["day"], None)
    return LogPosition((await state(db)).last_id, None, None)


async def end(db: Statements) -> LogPosition:
    """The newest event."""
    for row in await db.fetch(SELECT_LAST_EVENT):
        return LogPosition.of(row)
    return LogPosition((await state(db)).last_id, None, None)


async def can_resume_from(db: Statements, position: LogPosition, last_id: int) -> bool:
    """Whether the event is in the log, and all after it."""
    if position.at is None:
        following = await db.fetch(SELECT_EVENT, position.id + 1, position.day or date.min)
        return bool(following) or position.id == last_id
    found = await db.fetch(SELECT_EVENT, position.id, position.day or date.min)
    if found:
        return LogPosition.of(found[0]).at == position.at
    # Nothing came after it until it was too old.
    return position.id == last_id


async def after(
    db: Statements, position: LogPosition, types: Sequence[str] | None, limit: int, last_id: int
) -> tuple[Sequence[Row], LogPosition]:
    """Events of these types, and the position up to which the log was read."""
    until = min(last_id, position.id + MOST_READ)
    since = position.day or date.min
    rows = await db.fetch(SELECT_EVENTS, position.id, until, since, types, limit)
    if len(rows) == limit:
        return rows, LogPosition.of(rows[-1])
    for row in await db.fetch(SELECT_EVENT, until, since):
        return rows, LogPosition.of(row)
    return rows, position


CLAIM_CONSUMER = f"""
    SELECT position, coalesce(
        (SELECT position FROM consumers WHERE name = $2), ({LAST_EVENT})
    ) AS last FROM consumers WHERE name = $1
    FOR NO KEY UPDATE SKIP LOCKED
"""
MOVE_CONSUMER = "UPDATE consumers SET position = $2 WHERE name = $1"


# The position of `endings` is a moment.
# Of a consumer. The positions of the others are moments (`fan_outs`).
FOLLOWS_LOG = "name NOT IN ('endings', 'own-endings')"
SELECT_LATE_CONSUMERS = f"""
    SELECT name, extract(epoch FROM now() - event.at)::float8 AS seconds
    FROM consumers CROSS JOIN LATERAL (
        SELECT at FROM events WHERE id > position ORDER BY id LIMIT 1
    ) AS event
    WHERE {FOLLOWS_LOG} AND event.at < now() - make_interval(secs => $1::float8) ORDER BY name
"""


async def late_consumers(db: Statements, seconds: float) -> Mapping[str, float]:
    """Those whose next event is older, with its age in seconds."""
    rows = await db.fetch(SELECT_LATE_CONSUMERS, seconds)
    return {row["name"]: row["seconds"] for row in rows}


async def claim_consumer(
    db: Statements, name: str, limit: int, behind: str | None = None
) -> range | None:
    """The ids of the next events, at most so many. None if another process is at them.

    Only events that the consumer `behind` has handled, if one is given.
    """
    row = await db.fetchrow(CLAIM_CONSUMER, name, behind)
    if row is None:
        return None
    first = row["position"] + 1
    return range(first, min(first + limit, row["last"] + 1))


async def move_consumer(db: Statements, name: str, position: int) -> None:
    await db.fetch(MOVE_CONSUMER, name, position)
