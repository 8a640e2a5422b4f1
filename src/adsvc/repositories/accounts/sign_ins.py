"""From where accounts have logged in."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, select

from adsvc.db.engine import DatabaseSession
from adsvc.db.statements import Statements
from adsvc.models import SignIn

# After so many days a network and a device are new again.
KNOWN_DAYS = 90
# Of one account, so that a program that logs in from everywhere fills no table.
MOST_SIGN_INS = 100

# A session goes on by refreshing, which is a use of its network too. An account that has logged in
# only before there were sign-ins has sessions at most, which say nothing of its devices.
SELECT_KNOWN_PLACES = """
    WITH own AS (
        SELECT network, device, last_used_at > now() - make_interval(days => $5) AS is_recent
        FROM sign_ins WHERE user_id = $1
    ), open AS (
        SELECT network_hash = $4 AND last_used_at > now() - make_interval(days => $5) AS is_here
        FROM sessions WHERE user_id = $1
    )
    SELECT
        NOT EXISTS (SELECT FROM own) AND NOT EXISTS (SELECT FROM open) AS is_first,
        EXISTS (SELECT FROM own WHERE is_recent AND network = $2)
            OR EXISTS (SELECT FROM open WHERE is_here) AS knows_network,
        EXISTS (SELECT FROM own WHERE is_recent AND device = $3)
            OR NOT EXISTS (SELECT FROM own) AS knows_device
"""

UPSERT_SIGN_IN = """
    WITH noted AS (
        INSERT INTO sign_ins (user_id, network, device) VALUES ($1, $2, $3)
        ON CONFLICT (user_id, network, device) DO UPDATE SET last_used_at = now()
    )
    DELETE FROM sign_ins WHERE id IN (
        SELECT id FROM sign_ins WHERE user_id = $1
        ORDER BY last_used_at DESC OFFSET $4 FOR UPDATE SKIP LOCKED
    )
"""

# The newest of each account stays: without any, its next login would count as its first.
DELETE_OLD_SIGN_INS = """
    WITH deleted AS (
        DELETE FROM sign_ins WHERE id = ANY (ARRAY(
            SELECT id FROM sign_ins AS old
            WHERE last_used_at <= now() - make_interval(days => $1) AND EXISTS (
                SELECT FROM sign_ins AS newer WHERE newer.user_id = old.user_id
                AND (newer.last_used_at, newer.id) > (old.last_used_at, old.id)
            )
            ORDER BY last_used_at LIMIT 1000 FOR UPDATE SKIP LOCKED
        )) RETURNING TRUE
    )
    SELECT count(*)::int AS deleted FROM deleted
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What an account has of a network and a device in the last 90 days."""

    # Whether it has never logged in.
    is_first: bool
    knows_network: bool
    knows_device: bool


async def seen(
    db: Statements, user_id: int, network: str, device: str, network_hash: bytes
) -> Seen:
    """By the writer: a replica may not have the latest login yet."""
    row = await db.fetchrow(SELECT_KNOWN_PLACES, user_id, network, device, network_hash, KNOWN_DAYS)
    if row is None:
        raise AssertionError
    return Seen(**row)


async def delete_old_sign_ins(db: Statements) -> int:
    """Returns how many, up to 1000."""
    return int(await db.fetchval(DELETE_OLD_SIGN_INS, KNOWN_DAYS) or 0)


async def note(db: Statements, user_id: int, network: str, device: str) -> None:
    statements = db
    await statements.fetch(UPSERT_SIGN_IN, user_id, network, device, MOST_SIGN_INS - 1)


async def forget(db: DatabaseSession, user_id: int) -> None:
    await db.execute(delete(SignIn).where(SignIn.user_id == user_id))


async def exported(
    db: DatabaseSession, user_id: int, limit: int, *, after: int
) -> Sequence[SignIn]:
    query = select(SignIn).where(SignIn.user_id == user_id, SignIn.id > after)
    return (await db.scalars(query.order_by(SignIn.id).limit(limit))).all()
