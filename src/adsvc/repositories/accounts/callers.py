from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Protocol, Self

from sqlalchemy import Boolean, literal_column

from adsvc.enums import Role
from adsvc.kit.db.statements import Row, Statements
from adsvc.models.accounts import User


class Caller(Protocol):
    @property
    def user_id(self) -> int: ...
    # None for a caller who sent user name and password, or a key.
    @property
    def session_id(self) -> int | None: ...


NOT_SUSPENDED = "(users.suspended_until IS NULL OR users.suspended_until <= now())"
# The same for SQLAlchemy's statements.
IS_NOT_SUSPENDED = literal_column(NOT_SUSPENDED, Boolean)

# The account $1, if it exists, is not suspended, and its session $2 has not ended.
SELECT_CALLER = f"""
    SELECT users.id, users.role, users.first_name, users.image FROM users
    WHERE users.id = $1 AND {NOT_SUSPENDED} AND (
        $2::bigint IS NULL
        OR EXISTS (SELECT FROM sessions WHERE sessions.id = $2 AND sessions.user_id = users.id)
    )
"""


class Actor(Protocol):
    @property
    def id(self) -> int: ...
    @property
    def role(self) -> Role: ...


class Authored(Protocol):
    @property
    def author_id(self) -> int: ...


def is_author_or_admin(actor: Actor, resource: Authored) -> bool:
    return actor.role is Role.ADMIN or actor.id == resource.author_id


def is_author_or_admin_sql(resource: str) -> str:
    """As `is_author_or_admin`, in SQL: for the row `caller` and a resource."""
    return f"(caller.role = 'ADMIN' OR caller.id = {resource}.author_id)"


@dataclass(frozen=True, slots=True)
class AccessCheck:
    """The result of an access check: what refuses a caller's change, in the order of refusal."""

    is_known: bool
    finds_ad: bool = False
    # The status of an ad that the caller cannot see.
    hidden: str | None = None
    may_change: bool = False
    # By a block between the caller and the ad's author.
    is_blocked: bool = False


UNKNOWN = AccessCheck(is_known=False)


def access_check_of(row: Row | None) -> AccessCheck:
    if row is None:
        return UNKNOWN
    return AccessCheck(
        is_known=True,
        finds_ad=row["owner_id"] is not None,
        hidden=row["hidden"],
        may_change=bool(row["may_change"]),
        is_blocked=bool(row.get("blocked")),
    )


@dataclass(frozen=True, slots=True)
class CallerAccount:
    """An account as it was when it was read: a value without a database session."""

    id: int
    username: str
    username_key: str
    password_hash: str
    first_name: str
    last_name: str
    phone: str
    role: Role
    image: str | None
    mail: str | None
    mail_verified: bool
    mail_pending: str | None
    created_at: datetime
    has_totp: bool
    has_passkey: bool
    plan: str

    @property
    def has_factor(self) -> bool:
        return self.has_totp or self.has_passkey

    @classmethod
    def of(cls, user: User) -> Self:
        return cls(**{name: getattr(user, name) for name in NAMES})


NAMES = tuple(field.name for field in fields(CallerAccount))

# Named columns, because the schema may be newer than this process.
COLUMNS = ", ".join(f"users.{name}" for name in NAMES)


def _account_of(row: Row) -> CallerAccount:
    members = {name: row[name] for name in NAMES}
    return CallerAccount(**{**members, "role": Role(row["role"])})


@dataclass(frozen=True, slots=True)
class FactorProof:
    """When a second factor was last proved in a session."""

    at: datetime
    # In seconds, by the database's clock.
    age: float


@dataclass(frozen=True, slots=True)
class UsedKey:
    """An API key that was sent; `Key` is its record in the interface."""

    id: int
    # Values of `KeyScope`; some may be of a later version.
    scopes: Sequence[str]
    # None if it does not expire.
    seconds_left: float | None
    # Whether `last_used_at` is so old that this use is to be written down.
    is_due: bool


async def by_session(
    db: Statements, session_id: int, user_id: int
) -> tuple[CallerAccount, FactorProof | None, float] | None:
    """The account, whether a second factor was proved in the session, and its age in seconds.

    None if the account is suspended, or if the session is another's or has ended.
    """
    row = await db.fetchrow(
        f"""
        SELECT {COLUMNS}, sessions.factor_at,
            extract(epoch FROM now() - sessions.factor_at)::float8 AS factor_age,
            extract(epoch FROM now() - sessions.began_at)::float8 AS session_age
        FROM users JOIN sessions ON user_id = users.id
        WHERE sessions.id = $1 AND users.id = $2 AND {NOT_SUSPENDED}
        """,
        session_id,
        user_id,
        keep_plan=True,
    )
    if row is None:
        return None
    at = row["factor_at"]
    proof = None if at is None else FactorProof(at, row["factor_age"])
    return _account_of(row), proof, row["session_age"]


async def by_key(
    db: Statements, hash_: bytes, note_seconds: int
) -> tuple[CallerAccount, UsedKey] | None:
    """The account that is not suspended, and its key that has not expired, by its hash.

    The use of the key is due to be written down if none was in the last `note_seconds`.
    """
    row = await db.fetchrow(
        f"""
        SELECT {COLUMNS}, keys.id AS key_id, keys.scopes,
            extract(epoch FROM expires_at - now())::float8 AS seconds_left,
            coalesce(last_used_at < now() - make_interval(secs => $2), TRUE) AS is_due
        FROM users JOIN keys ON user_id = users.id
        WHERE keys.hash = $1 AND (expires_at IS NULL OR expires_at > now())
            AND {NOT_SUSPENDED}
        """,
        hash_,
        note_seconds,
        keep_plan=True,
    )
    if row is None:
        return None
    key = UsedKey(row["key_id"], row["scopes"], row["seconds_left"], row["is_due"])
    return _account_of(row), key
