"""The outbox: entries are written with a change, claimed by workers, then deleted or dead."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import JsonValue
from sqlalchemy import delete, func, insert, not_, select

from adsvc.enums import EntryStatus, MailOutcome
from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import BEYOND_ALL, Paged, Row, Statements, paged
from adsvc.kit.deliveries import Claimed
from adsvc.models.operation import MailAttempt, OutboxEntry

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


# Shares of mails about notices: a pace for each account that causes them, and for each receiver so
# many an hour. What is beyond becomes a digest.

# The kind of entries about one notice, and of those about many.
NOTICE, DIGEST = "notice", "digest"

# So many mails that one account causes are due at once, further ones one after the other.
MOST_DUE = 20
PAUSE = "interval '500 milliseconds'"
# To one account, without digests.
MOST_AN_HOUR = 20
# Of a digest, so many notices are looked at, the newest.
MOST_DIGESTED = 50


def queue_mails_sql(due: str, payload: str) -> str:
    """CTEs that queue a mail for each row of `due` with `mail`.

    `due` has `user_id` and `cause_id`, the account that causes it, or null; `payload` is an
    expression of its columns.
    """
    return f"""
    paced AS (
        INSERT INTO notice_paces (user_id, next_at)
        SELECT cause_id, now() + count(*) * {PAUSE} FROM {due}
        WHERE mail AND cause_id IS NOT NULL GROUP BY cause_id ORDER BY cause_id
        ON CONFLICT (user_id) DO UPDATE SET
            next_at = greatest(notice_paces.next_at, now()) + (excluded.next_at - now())
        RETURNING user_id AS cause_id, next_at
    ), mailed AS (
        INSERT INTO outbox ({OUTBOX_COLUMNS}, not_before)
        SELECT '{NOTICE}', content, greatest(
            date_trunc('milliseconds', now()), next_at - {PAUSE} * (total - number + {MOST_DUE})
        )
        FROM (
            SELECT cause_id, {payload} AS content,
                row_number() OVER (PARTITION BY cause_id ORDER BY user_id) AS number,
                count(*) OVER (PARTITION BY cause_id) AS total
            FROM {due} WHERE mail
        ) AS mail LEFT JOIN paced USING (cause_id)
    )"""


# Ids of entries, and when they were sent.
_NOW = "extract(epoch FROM now())"
_LAST_HOUR = f"FROM jsonb_each(notice_mails.sent) WHERE value::float8 > {_NOW} - 3600"
_SENT_LAST_HOUR = f"(SELECT coalesce(jsonb_object_agg(key, value), '{{}}') {_LAST_HOUR})"
# A repeated attempt counts once.
TAKE_MAIL = f"""
    INSERT INTO notice_mails (user_id, sent) VALUES ($1, jsonb_build_object($2::bigint, {_NOW}))
    ON CONFLICT (user_id) DO UPDATE SET sent = {_SENT_LAST_HOUR} || excluded.sent
    WHERE notice_mails.sent ? $2::bigint::text
        OR (NOT notice_mails.has_digest AND (SELECT count(*) {_LAST_HOUR}) < {MOST_AN_HOUR})
    RETURNING TRUE AS taken
"""
INSERT_DIGESTED = f"""
    WITH put_off AS (
        INSERT INTO digested_notices (entry_id, user_id, kind, payload)
        VALUES ($2::bigint, $1, $3, $4::text::jsonb) ON CONFLICT DO NOTHING
    ), digest AS (
        UPDATE notice_mails SET has_digest = TRUE WHERE user_id = $1 AND NOT has_digest
        RETURNING (SELECT min(value::float8) {_LAST_HOUR}) AS first
    )
    INSERT INTO outbox ({OUTBOX_COLUMNS}, not_before)
    SELECT '{DIGEST}', jsonb_build_object('user_id', $1::bigint),
        coalesce(to_timestamp(first) + interval '1 hour', now())
    FROM digest
"""
SELECT_DIGEST = f"""
    SELECT users.mail, users.language,
        ARRAY(SELECT entry_id FROM digested_notices WHERE user_id = $1) AS ids,
        (
            SELECT coalesce(json_agg(json_build_array(kind, payload) ORDER BY entry_id DESC), '[]')
            FROM (
                SELECT * FROM digested_notices WHERE user_id = $1
                ORDER BY entry_id DESC LIMIT {MOST_DIGESTED}
            ) AS newest
        )::text AS newest
    FROM users WHERE id = $1
"""
# What was put off meanwhile is the next digest.
DELETE_DIGESTED = f"""
    WITH gone AS (
        DELETE FROM digested_notices WHERE user_id = $1 AND entry_id = ANY ($2::bigint[])
    ), digest AS (
        UPDATE notice_mails SET has_digest = EXISTS (
            SELECT FROM digested_notices WHERE user_id = $1 AND entry_id <> ALL ($2::bigint[])
        ) WHERE user_id = $1 RETURNING has_digest
    )
    INSERT INTO outbox ({OUTBOX_COLUMNS}, not_before)
    SELECT '{DIGEST}', jsonb_build_object('user_id', $1::bigint), now() + interval '1 hour'
    FROM digest WHERE has_digest
"""
DELETE_OLD_SHARES = """
    WITH mails AS (
        DELETE FROM notice_mails WHERE NOT has_digest AND NOT EXISTS (
            SELECT FROM jsonb_each(sent)
            WHERE value::float8 > extract(epoch FROM now() - interval '1 hour')
        )
    )
    DELETE FROM notice_paces WHERE next_at < now() - interval '1 minute' RETURNING TRUE
"""


@dataclass(frozen=True, slots=True)
class Digested:
    """The notices of a digest. `newest` are kinds of entries and their payloads."""

    mail: str | None
    language: str | None
    ids: Sequence[int]
    newest: Sequence[tuple[str, Mapping[str, Any]]]


async def take_share(
    db: Statements, user_id: int, entry_id: int, kind: str, payload: Mapping[str, Any]
) -> bool:
    """Counts a mail; False if the account has had its share, then it is in the digest."""
    if await db.fetchrow(TAKE_MAIL, user_id, entry_id) is not None:
        return True
    await db.fetch(INSERT_DIGESTED, user_id, entry_id, kind, json.dumps(payload))
    return False


async def digested(db: Statements, user_id: int) -> Digested | None:
    """None if the account is gone."""
    row = await db.fetchrow(SELECT_DIGEST, user_id)
    return None if row is None else Digested(**{**row, "newest": json.loads(row["newest"])})


async def end_digest(db: Statements, user_id: int, entries: Sequence[int]) -> None:
    await db.fetch(DELETE_DIGESTED, user_id, list(entries))


async def delete_old_shares(db: Statements) -> int:
    """What counts no longer; returns how many paces."""
    return len(await db.fetch(DELETE_OLD_SHARES))


# Attempts to send mails, for the question why an account got none.

# Of an account that exists. Its deletion waits, and removes the row.
ADD_ATTEMPT = """
    INSERT INTO mail_attempts (user_id, letter, message_id, attempt, outcome, answer)
    SELECT id, $2, $3, $4, $5, $6 FROM users WHERE id = $1 FOR KEY SHARE
"""


async def add_attempt(
    db: Statements,
    user_id: int,
    letter: str,
    message_id: UUID,
    attempt: int,
    outcome: MailOutcome,
    answer: str,
) -> None:
    await db.fetch(ADD_ATTEMPT, user_id, letter, message_id, attempt, outcome.value, answer)


async def attempts(
    db: DatabaseSession, user_id: int, limit: int, *, before: int | None = None
) -> Paged[MailAttempt]:
    """Those to an account with an id below `before`, the newest first."""
    found = select(MailAttempt).where(
        MailAttempt.user_id == user_id, MailAttempt.id < (before or BEYOND_ALL)
    )
    found = found.order_by(MailAttempt.id.desc()).limit(limit + 1)
    return paged((await db.scalars(found)).all(), limit)
