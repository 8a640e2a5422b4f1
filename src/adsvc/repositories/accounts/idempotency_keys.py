"""Claims of idempotency keys, and stored answers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from asyncpg import ForeignKeyViolationError

from adsvc.errors import UnauthenticatedError
from adsvc.kit.db.statements import Row, Statements

# How long a stored answer is replayed.
ANSWER_HOURS = 24

# An expired row counts as absent until it is deleted.
CLAIM_KEY = """
    INSERT INTO idempotency_keys AS kept (id, user_id, fingerprint, claim, expires_at)
    VALUES ($1, $2, $3, $4, clock_timestamp() + make_interval(secs => $5))
    ON CONFLICT (id) DO UPDATE SET
        user_id = excluded.user_id, fingerprint = excluded.fingerprint, claim = excluded.claim,
        expires_at = excluded.expires_at, status = NULL, headers = NULL, body = NULL
    WHERE kept.expires_at <= clock_timestamp()
    RETURNING TRUE
"""
SELECT_ANSWER = """
    SELECT fingerprint, status, headers::text AS headers, body FROM idempotency_keys
    WHERE id = $1 AND expires_at > clock_timestamp()
"""
# A request that took too long may have lost its claim to another one.
STORE_ANSWER = f"""
    UPDATE idempotency_keys SET
        status = $3::smallint, headers = $4::text::jsonb, body = $5::text,
        user_id = coalesce($6::bigint, user_id),
        expires_at = clock_timestamp() + interval '{ANSWER_HOURS} hours'
    WHERE id = $1::bytea AND claim = $2::bytea
    RETURNING TRUE AS kept
"""
RELEASE_CLAIM = "DELETE FROM idempotency_keys WHERE id = $1 AND claim = $2 AND status IS NULL"


class StoredAnswer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True, slots=True)
class Claim:
    """`id` is the key's; `token` is random for each attempt."""

    id: bytes
    token: bytes


class StoredRequest(NamedTuple):
    """The request that is stored for a key."""

    fingerprint: bytes
    # None while the request is being carried out.
    answer: StoredAnswer | None


async def claim(
    db: Statements, claim: Claim, fingerprint: bytes, *, user_id: int | None, seconds: float
) -> bool:
    """Claims the key for some seconds. False if another request has the claim, or was answered.

    `UnauthenticatedError` if the account was deleted.
    """
    values = claim.id, user_id, fingerprint, claim.token, seconds
    try:
        return await db.fetchrow(CLAIM_KEY, *values) is not None
    except ForeignKeyViolationError as error:
        raise UnauthenticatedError from error


async def find(db: Statements, key_id: bytes) -> StoredRequest | None:
    row = await db.fetchrow(SELECT_ANSWER, key_id, keep_plan=True)
    return None if row is None else StoredRequest(row["fingerprint"], _answer_of(row))


async def release(db: Statements, claim: Claim) -> None:
    """Releases the claim, unless the request was answered."""
    await db.fetch(RELEASE_CLAIM, claim.id, claim.token)


async def store_answer(
    db: Statements, claim: Claim, answer: StoredAnswer, *, user_id: int | None = None
) -> bool:
    """Stores the answer in the transaction of the change. False if the claim was lost.

    `user_id` is an account that the transaction has made: the answer is deleted with it.
    """
    headers = json.dumps(dict(answer.headers))
    values = claim.id, claim.token, answer.status, headers, answer.body, user_id
    return await db.fetchrow(STORE_ANSWER, *values) is not None


def _answer_of(row: Row) -> StoredAnswer | None:
    if row["status"] is None:
        return None
    return StoredAnswer(row["status"], json.loads(row["headers"]), row["body"])
