from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Function, ScalarSelect, Select, delete, exists, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import Statements
from adsvc.kit.security.tokens import RefreshToken
from adsvc.models.accounts import Session, SignIn, User
from adsvc.repositories.accounts.callers import IS_NOT_SUSPENDED, CallerAccount

# There is no index by expiry, which every refresh would have to write. A statement that deleted
# more sessions than this would make all processes drop all cached tokens.
DELETE_EXPIRED_SESSIONS = """
    WITH looked_at AS (
        SELECT id, expires_at <= now() AS is_over FROM sessions
        WHERE id > $1 ORDER BY id LIMIT 2000
    ), expired AS (
        SELECT id FROM looked_at WHERE is_over ORDER BY id LIMIT 100
    ), deleted AS (
        DELETE FROM sessions USING expired
        WHERE sessions.id = expired.id AND sessions.expires_at <= now() RETURNING TRUE
    )
    SELECT (SELECT count(*)::int FROM deleted) AS deleted, CASE
        WHEN (SELECT count(*) FROM expired) = 100 THEN (SELECT max(id) FROM expired)
        ELSE (SELECT max(id) FROM looked_at)
    END AS last
"""


async def delete_expired_sessions(db: Statements) -> int:
    """Deletes expired sessions. Returns how many."""
    total, last = 0, 0
    while (row := await db.fetchrow(DELETE_EXPIRED_SESSIONS, last)) and row["last"] is not None:
        total, last = total + row["deleted"], row["last"]
    return total


# When a second factor was proved: now, by the database's clock, or as in another session.
FactorAt = datetime | Function[datetime] | None
PROVED_NOW: FactorAt = func.now()


def began_at(session_id: int | None) -> ScalarSelect[datetime]:
    """When that session began, as a value of a statement."""
    return select(Session.began_at).where(Session.id == session_id).scalar_subquery()


async def add(
    db: DatabaseSession,
    user: CallerAccount | User,
    token: RefreshToken,
    *,
    client: str,
    network_hash: bytes,
    lifetime: timedelta,
    factor_at: FactorAt = None,
) -> int | None:
    """None if the account was deleted or suspended, its password has changed, or an app was set
    up while the password alone was checked.

    The lock makes a change of the password, the set-up of an app and a suspension wait, which
    then end this session too.
    """
    owner = select(User.id).where(
        User.id == user.id, User.password_hash == user.password_hash, IS_NOT_SUSPENDED
    )
    if factor_at is None:
        owner = owner.where(User.has_totp.is_(False))
    if await db.scalar(owner.with_for_update(read=True)) is None:
        return None
    statement = insert(Session).values(
        user_id=user.id,
        handle_hash=token.handle_hash,
        secret_hash=token.secret_hash,
        client=client,
        network_hash=network_hash,
        factor_at=factor_at,
        expires_at=func.now() + lifetime,
    )
    return await db.scalar(statement.returning(Session.id))


async def rotate(
    db: DatabaseSession,
    spent: RefreshToken,
    fresh: RefreshToken,
    *,
    at: datetime,
    lifetime: timedelta,
) -> Session | None:
    """None unless `spent` is the session's current token. Of uses at once one succeeds.

    `at` is the moment by the clock of the process, which the access token has too.
    """
    statement = (
        update(Session)
        .where(
            Session.handle_hash == spent.handle_hash,
            Session.secret_hash == spent.secret_hash,
            Session.expires_at > func.now(),
        )
        .values(
            secret_hash=fresh.secret_hash,
            last_used_at=at,
            expires_at=func.now() + lifetime,
        )
        .returning(Session)
    )
    return await db.scalar(statement)


async def rotated_near(
    db: DatabaseSession, fresh: RefreshToken, at: datetime, *, grace: timedelta
) -> Session | None:
    """The session whose current token is `fresh` since a moment less than `grace` from `at`.

    The clock of another process may be ahead.
    """
    query = select(Session).where(
        Session.handle_hash == fresh.handle_hash,
        Session.secret_hash == fresh.secret_hash,
        Session.last_used_at.between(at - grace, at + grace),
        Session.expires_at > func.now(),
    )
    return await db.scalar(query)


async def set_network(db: DatabaseSession, session_id: int, network_hash: bytes) -> None:
    await db.execute(
        update(Session).where(Session.id == session_id).values(network_hash=network_hash)
    )


async def is_used_from(db: DatabaseSession, user_id: int, network_hashes: Sequence[bytes]) -> bool:
    """Whether the user has a session that was last used from that network."""
    query = select(
        exists().where(
            Session.user_id == user_id,
            Session.network_hash.in_(network_hashes),
            Session.expires_at > func.now(),
        )
    )
    return bool(await db.scalar(query))


async def has(db: DatabaseSession, user_id: int, session_id: int) -> bool:
    """Whether the user has that session; it may have ended since the request began."""
    query = select(exists().where(Session.id == session_id, Session.user_id == user_id))
    return bool(await db.scalar(query))


async def end_by_token(db: DatabaseSession, token: RefreshToken) -> Session | None:
    """Ends the session of that token, current or spent, expired or not, and returns it."""
    statement = delete(Session).where(Session.handle_hash == token.handle_hash).returning(Session)
    return await db.scalar(statement)


async def end(db: DatabaseSession, session_id: int, user_id: int) -> bool:
    statement = (
        delete(Session)
        .where(Session.id == session_id, Session.user_id == user_id)
        .returning(Session.id)
    )
    return await db.scalar(statement) is not None


async def end_all(db: DatabaseSession, user_id: int) -> Sequence[int]:
    """Returns the ids of those that ended."""
    statement = delete(Session).where(Session.user_id == user_id)
    return (await db.scalars(statement.returning(Session.id))).all()


async def end_others(db: DatabaseSession, user_id: int, *, keep: int | None) -> Sequence[int]:
    """As `end_all`, but for the session `keep`, in which a factor counts as proved now."""
    others = delete(Session).where(Session.user_id == user_id, Session.id.is_distinct_from(keep))
    ended = (await db.scalars(others.returning(Session.id))).all()
    await db.execute(
        update(Session)
        .where(Session.user_id == user_id, Session.id == keep)
        .values(factor_at=func.now())
    )
    return ended


async def forget_factor(db: DatabaseSession, user_id: int) -> None:
    """The account has no second factor any more."""
    await db.execute(update(Session).where(Session.user_id == user_id).values(factor_at=None))


async def end_surplus(db: DatabaseSession, user_id: int, *, keep: int) -> Sequence[int]:
    """Ends expired sessions, and all but the ones used last; returns the ids of both."""
    newest = _of_user(user_id).with_only_columns(Session.id).limit(keep)
    statement = delete(Session).where(
        Session.user_id == user_id,
        or_(Session.expires_at <= func.now(), Session.id.not_in(newest)),
    )
    return (await db.scalars(statement.returning(Session.id))).all()


async def list_of_user(db: DatabaseSession, user_id: int) -> Sequence[Session]:
    """Last used first."""
    query = _of_user(user_id).where(Session.expires_at > func.now())
    return (await db.scalars(query)).all()


def _of_user(user_id: int) -> Select[Session]:
    return (
        select(Session)
        .where(Session.user_id == user_id)
        .order_by(Session.last_used_at.desc(), Session.id.desc())
    )


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
        SELECT network_hash = ANY ($4::bytea[])
            AND last_used_at > now() - make_interval(days => $5) AS is_here
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


@dataclass(frozen=True, slots=True)
class SignInSeen:
    """What an account has of a network and a device in the last 90 days."""

    # Whether it has never logged in.
    is_first: bool
    knows_network: bool
    knows_device: bool


async def sign_in_seen(
    db: Statements, user_id: int, network: str, device: str, network_hashes: Sequence[bytes]
) -> SignInSeen:
    """By the writer: a replica may not have the latest login yet."""
    place = user_id, network, device, network_hashes
    row = await db.fetchrow(SELECT_KNOWN_PLACES, *place, KNOWN_DAYS)
    if row is None:
        raise AssertionError
    return SignInSeen(**row)


async def note_sign_in(db: Statements, user_id: int, network: str, device: str) -> None:
    statements = db
    await statements.fetch(UPSERT_SIGN_IN, user_id, network, device, MOST_SIGN_INS - 1)


async def forget_sign_ins(db: DatabaseSession, user_id: int) -> None:
    await db.execute(delete(SignIn).where(SignIn.user_id == user_id))


async def exported_sign_ins(
    db: DatabaseSession, user_id: int, limit: int, *, after: int
) -> Sequence[SignIn]:
    query = select(SignIn).where(SignIn.user_id == user_id, SignIn.id > after)
    return (await db.scalars(query.order_by(SignIn.id).limit(limit))).all()
