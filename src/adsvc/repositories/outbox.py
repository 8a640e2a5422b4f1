"""The outbox: entries are written with a change, claimed by workers, then deleted or dead."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import JsonValue
from sqlalchemy import delete, func, insert, not_, select

from adsvc.enums import EntryStatus
from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import BEYOND_ALL, Paged, Row, Statements, paged
from adsvc.kit.deliveries import Claimed
from adsvc.models.operation import OutboxEntry

# For an entry that a statement writes with its change: text and jsonb. A trigger wakes the workers
# at the commit.
OUTBOX_COLUMNS = "kind, payload"

# Claims go by `not_before`. What one person waits for, such as a new password, goes so far before
# what statements write for many: of one ad there may be 100,000 notices. Its index stays in order.
HEAD_START = timedelta(days=1)


class NewEntry(NamedTuple):
    """Work to be done if and when the transaction commits."""

    kind: str
    payload: Mapping[str, JsonValue]

    @property
    def payload_json(self) -> str:
        """For a parameter that is cast by `::text::jsonb`."""
        return json.dumps(self.payload)


async def add(db: DatabaseSession, *entries: NewEntry) -> None:
    """Written in the session's transaction. They are claimed before those of statements."""
    rows = [{"kind": each.kind, "payload": dict(each.payload)} for each in entries]
    if rows:
        first = insert(OutboxEntry).values(not_before=func.now() - HEAD_START)
        await db.execute(first, rows)


async def page(
    db: DatabaseSession, status: EntryStatus | None, limit: int, *, before: int | None = None
) -> Paged[OutboxEntry]:
    """Entries with an id below `before`, the newest first."""
    found = select(OutboxEntry).where(OutboxEntry.id < (before or BEYOND_ALL))
    if status is not None:
        is_dead = OutboxEntry.dead_at.is_not(None)
        found = found.where(is_dead if status is EntryStatus.DEAD else not_(is_dead))
    found = found.order_by(OutboxEntry.id.desc()).limit(limit + 1)
    return paged((await db.scalars(found)).all(), limit)


async def exists(db: DatabaseSession, entry_id: int) -> bool:
    query = select(OutboxEntry.id).where(OutboxEntry.id == entry_id)
    return await db.scalar(query) is not None


async def delete_entry(db: DatabaseSession, entry_id: int) -> bool:
    """False if there is none with this id. An attempt that has begun goes on."""
    deleted = delete(OutboxEntry).where(OutboxEntry.id == entry_id)
    return await db.scalar(deleted.returning(OutboxEntry.id)) is not None


# Entries of a kind that only a newer version knows are left to it.
CLAIM_ENTRIES = """
    WITH due AS MATERIALIZED (
        SELECT id FROM outbox
        WHERE dead_at IS NULL AND not_before <= now() AND kind = ANY ($1::text[])
        ORDER BY not_before, id LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    UPDATE outbox
    SET attempts = attempts + 1, not_before = now() + make_interval(secs => $3::float8)
    FROM due WHERE outbox.id = due.id
    RETURNING outbox.id, kind, payload::text AS payload, message_id, attempts, created_at,
        outbox.not_before AS claimed_until
"""
DELETE_ENTRIES = "DELETE FROM outbox WHERE id = ANY ($1::bigint[])"
POSTPONE = """
    UPDATE outbox SET
        not_before = now() + make_interval(secs => $4::float8), attempts = attempts - $5::int,
        error = $6::text
    WHERE id = $1 AND attempts = $2 AND not_before = $3 AND dead_at IS NULL
"""
MARK_DEAD = """
    UPDATE outbox SET dead_at = now(), error = $4
    WHERE id = $1 AND attempts = $2 AND not_before = $3
"""
SELECT_ENTRIES = """
    SELECT id, kind, payload::text AS payload, attempts, created_at, not_before, dead_at, error
    FROM outbox WHERE id > $1 AND (dead_at IS NOT NULL OR NOT $2::boolean) ORDER BY id LIMIT $3
"""
RETRY_ENTRY = """
    WITH again AS (
        UPDATE outbox SET dead_at = NULL, attempts = 0,
            -- Not rounded up, which would be a moment ahead.
            not_before = date_trunc('milliseconds', now())
        WHERE dead_at IS NOT NULL AND ($1::bigint[] IS NULL OR id = ANY ($1))
        RETURNING id
    ), noted AS (INSERT INTO changes (notice) SELECT 'outbox:' FROM again LIMIT 1)
    SELECT id FROM again ORDER BY id
"""
COUNT_ENTRIES = """
    SELECT
        (SELECT count(*) FROM outbox WHERE dead_at IS NULL) AS pending,
        (SELECT count(*) FROM outbox WHERE dead_at IS NOT NULL) AS dead,
        (
            SELECT extract(epoch FROM now() - min(created_at))::float8
            FROM outbox WHERE dead_at IS NULL
        ) AS oldest_seconds
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedEntry(Claimed):
    """Attempts that do not count are not among `attempts`."""

    kind: str
    payload: dict[str, Any]
    message_id: UUID
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """An entry as operators see it."""

    id: int
    kind: str
    payload: dict[str, Any]
    attempts: int
    created_at: datetime
    not_before: datetime
    dead_at: datetime | None
    error: str | None


@dataclass(frozen=True, slots=True)
class OutboxStatus:
    """The size of the outbox. `oldest_seconds` is the age of the entry that has waited longest."""

    pending: int
    dead: int
    oldest_seconds: float


async def claim(
    db: Statements, kinds: Collection[str], limit: int, *, seconds: float
) -> list[ClaimedEntry]:
    """Claims the next entries of these kinds, the longest due first."""
    rows = await db.fetch(CLAIM_ENTRIES, list(kinds), limit, seconds)
    return [ClaimedEntry(**_decoded(row)) for row in rows]


async def delete_claimed(db: Statements, ids: Sequence[int]) -> None:
    await db.fetch(DELETE_ENTRIES, ids)


async def postpone(
    db: Statements, entry: ClaimedEntry, error: str | None, *, seconds: float, counts: bool
) -> None:
    """Postpones the entry, unless the claim has expired.

    An attempt that does not count can be made once more.
    """
    uncounted = 0 if counts else 1
    await db.fetch(POSTPONE, *entry.identity, seconds, uncounted, error)


async def mark_dead(db: Statements, entry: ClaimedEntry, error: str) -> None:
    """Makes the entry a dead letter, unless the claim has expired."""
    await db.fetch(MARK_DEAD, *entry.identity, error)


async def list_after(db: Statements, last: int, limit: int, *, dead: bool) -> list[ListedEntry]:
    """Entries by id: dead ones, or all."""
    rows = await db.fetch(SELECT_ENTRIES, last, dead, limit)
    return [ListedEntry(**_decoded(row)) for row in rows]


async def retry(db: Statements, ids: Sequence[int] | None) -> Sequence[int]:
    """Retries these dead entries, or without ids all of them. Returns their ids."""
    return [row["id"] for row in await db.fetch(RETRY_ENTRY, ids)]


async def status(db: Statements) -> OutboxStatus:
    row = await db.fetchrow(COUNT_ENTRIES)
    if row is None:
        return OutboxStatus(0, 0, 0.0)
    return OutboxStatus(row["pending"], row["dead"], row["oldest_seconds"] or 0.0)


def _decoded(row: Row) -> dict[str, Any]:
    return {**row, "payload": json.loads(row["payload"])}
