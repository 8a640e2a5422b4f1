"""Shares of mails about notices: a pace for each account that causes them, and for each receiver so
many an hour. What is beyond becomes a digest.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adsvc.kit.db.statements import Row, Statements
from adsvc.repositories.outbox import OUTBOX_COLUMNS

# The kind of entries about one notice, and of those about many.
NOTICE, DIGEST = "notice", "digest"

# So many mails that one account causes are due at once, further ones one after the other.
AT_ONCE = 20
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
            date_trunc('milliseconds', now()), next_at - {PAUSE} * (total - number + {AT_ONCE})
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
DELETE_OLD = """
    WITH paces AS (
        DELETE FROM notice_paces WHERE next_at < now() - interval '1 minute' RETURNING TRUE
    ), mails AS (
        DELETE FROM notice_mails WHERE NOT has_digest AND NOT EXISTS (
            SELECT FROM jsonb_each(sent)
            WHERE value::float8 > extract(epoch FROM now() - interval '1 hour')
        )
    )
    SELECT count(*)::int AS deleted FROM paces
"""


@dataclass(frozen=True, slots=True)
class Digested:
    """The notices of a digest. `newest` are kinds of entries and their payloads."""

    mail: str | None
    language: str | None
    ids: Sequence[int]
    newest: Sequence[tuple[str, Mapping[str, Any]]]


async def take(
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


async def delete_old(db: Statements) -> int:
    """What counts no longer; returns how many paces."""
    row: Row | None = await db.fetchrow(DELETE_OLD)
    return 0 if row is None else int(row["deleted"])
