"""Accounts, their sessions, API keys, tokens, limits and idempotency keys."""

import unicodedata
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    DateTime,
    Enum,
    ForeignKey,
    Index,
    LargeBinary,
    SmallInteger,
    Text,
    UniqueConstraint,
    false,
    func,
    literal_column,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.enums import STANDARD, Role
from adsvc.invalidation import InvalidationKind
from adsvc.models.base import MOMENT, Base, BigId, CreatedAt


def username_key(username: str) -> str:
    """The key that all spellings of one user name share.

    Unicode's caseless matching (The Unicode Standard, §3.13, definition D147, without the last
    normalization), done here so that it does not depend on the database's collation.
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", username).casefold())


# Both as in the index, which is only used then. A cost above 14 takes a second or more: other
# logins are not slowed down to match it.
BCRYPT_COST: ColumnElement[str] = literal_column("substr(password_hash, 5, 2)")
HAS_BCRYPT_HASH = text(r"password_hash ~ '^\$2[abxy]\$(0[4-9]|1[0-4])\$'")
IS_SUSPENDED = text("suspended_until IS NOT NULL")


# Of an account without a password: no password has this hash.
NO_PASSWORD = "!"  # noqa: S105 - no password


class User(Base):
    __tablename__ = "users"
    invalidates = frozenset({InvalidationKind.USER, InvalidationKind.IMAGE})
    __table_args__ = (
        Index("ix_users_bcrypt_cost", BCRYPT_COST, postgresql_where=HAS_BCRYPT_HASH),
        # Finds the beginning of a name, in any collation of the database.
        Index(
            "ix_users_username_key_pattern",
            "username_key",
            postgresql_ops={"username_key": "text_pattern_ops"},
        ),
        Index("ix_users_suspended_until", "suspended_until", postgresql_where=IS_SUSPENDED),
    )

    id: Mapped[BigId]
    username: Mapped[str] = mapped_column(Text)
    username_key: Mapped[str] = mapped_column(Text, unique=True)
    password_hash: Mapped[str] = mapped_column(Text)
    first_name: Mapped[str] = mapped_column(Text)
    last_name: Mapped[str] = mapped_column(Text)
    phone: Mapped[str] = mapped_column(Text)
    role: Mapped[Role] = mapped_column(
        Enum(Role, native_enum=False, create_constraint=True, name="role"), default=Role.USER
    )
    image: Mapped[str | None] = mapped_column(Text, index=True)
    # The address in use: verified, or the only one there is.
    mail: Mapped[str | None] = mapped_column(Text)
    mail_verified: Mapped[bool] = mapped_column(server_default=false(), default=False)
    # The address that replaces it once it is verified.
    mail_pending: Mapped[str | None] = mapped_column(Text)
    # The language of mails; null if it was never chosen.
    language: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[CreatedAt]
    # Whether `totps` has a confirmed secret, so that a caller needs no further statement.
    has_totp: Mapped[bool] = mapped_column(server_default=false(), default=False)
    # Whether `passkeys` has any.
    has_passkey: Mapped[bool] = mapped_column(server_default=false(), default=False)
    # The name of a plan (`settings.plans`).
    plan: Mapped[str] = mapped_column(Text, server_default=STANDARD, default=STANDARD)
    # Until then it cannot log in, and its ads are hidden; `infinity` means without end. A past
    # moment stays until the ads are shown again.
    suspended_until: Mapped[datetime | None] = mapped_column(MOMENT)


class Session(Base):
    """One login, from its first token to its end. Only hashes of its refresh token are stored.

    The first half of the token names the session and never changes; the second half changes with
    every use. So a known first half with another second half is a token that was used before.
    """

    __tablename__ = "sessions"
    invalidates = frozenset({InvalidationKind.SESSION})

    id: Mapped[BigId]
    user_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    handle_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    secret_hash: Mapped[bytes] = mapped_column(LargeBinary)
    client: Mapped[str] = mapped_column(Text)
    # A digest of the network that it was last used from; null in the oldest sessions.
    network_hash: Mapped[bytes | None] = mapped_column(LargeBinary)
    # When a second factor was last proved in it; null if only the password was.
    factor_at: Mapped[datetime | None] = mapped_column(MOMENT)
    began_at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    last_used_at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    expires_at: Mapped[datetime] = mapped_column(MOMENT)


class SignIn(Base):
    """From where an account has logged in, so that a login from elsewhere is noticed."""

    __tablename__ = "sign_ins"
    __table_args__ = (UniqueConstraint("user_id", "network", "device"),)

    id: Mapped[BigId]
    user_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(User.id, ondelete="CASCADE"))
    # A /24 of IPv4 or a /48 of IPv6: less than an address.
    network: Mapped[str] = mapped_column(Text)
    # The browser and the system, without their versions.
    device: Mapped[str] = mapped_column(Text)
    last_used_at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now(), index=True)


class Key(Base):
    """What a program uses instead of a session. Its secret is kept as a hash alone."""

    __tablename__ = "keys"
    invalidates = frozenset({InvalidationKind.KEY})

    id: Mapped[BigId]
    user_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    name: Mapped[str] = mapped_column(Text)
    # By which people recognise the secret.
    prefix: Mapped[str] = mapped_column(Text)
    hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    # Values of `KeyScope`.
    scopes: Mapped[list[str]] = mapped_column(ARRAY(Text))
    created_at: Mapped[CreatedAt]
    # Null if it does not expire.
    expires_at: Mapped[datetime | None] = mapped_column(MOMENT)
    # Written rarely; null before the first use.
    last_used_at: Mapped[datetime | None] = mapped_column(MOMENT)
    # When the session began that added it; null in the oldest rows, and without a session.
    session_began_at: Mapped[datetime | None] = mapped_column(MOMENT)


class Totp(Base):
    """What an account's authenticator app shares with the service (RFC 6238).

    The secrets are encrypted by a key that follows from `ADSVC_JWT_SECRET`.
    """

    __tablename__ = "totps"

    user_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    # Null until a first code has confirmed it.
    secret: Mapped[bytes | None] = mapped_column(LargeBinary)
    # The time step of the last code that was used: codes of it, and of those before, are void.
    last_step: Mapped[int | None] = mapped_column(BigInteger)
    # What takes the place of `secret` once a code confirms it.
    pending: Mapped[bytes | None] = mapped_column(LargeBinary)
    # When the account got its app, whose secret may have been replaced since, by a code of it; null
    # in the oldest rows.
    set_at: Mapped[datetime | None] = mapped_column(MOMENT)
    # When the session began that added it; null in the oldest rows, and without a session.
    session_began_at: Mapped[datetime | None] = mapped_column(MOMENT)


class RecoveryCode(Base):
    """A code that stands in for one of the authenticator app, once: its use deletes it."""

    __tablename__ = "recovery_codes"

    user_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)


class Passkey(Base):
    """A key pair in an authenticator, which proves both factors (Web Authentication, Level 3)."""

    __tablename__ = "passkeys"

    id: Mapped[BigId]
    user_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    name: Mapped[str] = mapped_column(Text)
    credential_id: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    # In COSE's form.
    public_key: Mapped[bytes] = mapped_column(LargeBinary)
    # 0 as long as the authenticator does not count.
    sign_count: Mapped[int] = mapped_column(BigInteger)
    # Whether it may be, and is, on several devices.
    backup_eligible: Mapped[bool]
    backed_up: Mapped[bool]
    # The host that it was made for; with another one it is of no use.
    rp_id: Mapped[str] = mapped_column(Text)
    created_at: Mapped[CreatedAt]
    last_used_at: Mapped[datetime | None] = mapped_column(MOMENT)
    # When the session began that added it; null in the oldest rows, and without a session.
    session_began_at: Mapped[datetime | None] = mapped_column(MOMENT)


class Provider(Base):
    """An OpenID provider that people may sign in with."""

    __tablename__ = "providers"

    id: Mapped[BigId]
    # Part of the address that the provider sends people back to.
    slug: Mapped[str] = mapped_column(Text, unique=True)
    name: Mapped[str] = mapped_column(Text)
    issuer: Mapped[str] = mapped_column(Text, unique=True)
    client_id: Mapped[str] = mapped_column(Text)
    # Encrypted by a key that follows from `ADSVC_JWT_SECRET`.
    client_secret: Mapped[bytes] = mapped_column(LargeBinary)


class Identity(Base):
    """A person as an OpenID provider knows them, who may use the account.

    It is bound to the issuer and not to the provider's row: with another issuer under the same
    name, the subjects are those of other people.
    """

    __tablename__ = "identities"
    __table_args__ = (UniqueConstraint("issuer", "subject"),)

    id: Mapped[BigId]
    user_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    issuer: Mapped[str] = mapped_column(Text)
    subject: Mapped[str] = mapped_column(Text)
    created_at: Mapped[CreatedAt]
    last_used_at: Mapped[datetime | None] = mapped_column(MOMENT)


class UsedChallenge(Base):
    """A challenge of a login that was met. What is in here cannot be used again."""

    __tablename__ = "used_challenges"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    expires_at: Mapped[datetime] = mapped_column(MOMENT, index=True)


class MailToken(Base):
    """The token of a link in a mail. Its use proves, once, that the client reads that mail.

    Only the mail has the token itself. A change of the account's password or address deletes all
    its tokens.
    """

    __tablename__ = "mail_tokens"

    hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    user_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    # A `TokenPurpose`.
    purpose: Mapped[str] = mapped_column(Text)
    # The address that it was sent to.
    address: Mapped[str] = mapped_column(Text)
    expires_at: Mapped[datetime] = mapped_column(MOMENT, index=True)


class IdempotencyKey(Base):
    """A request that happens once: first its claim, then its answer.

    Neither the key nor the request can be computed from the row.
    """

    __tablename__ = "idempotency_keys"

    # A keyed digest of the key and its owner.
    id: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    # Null while an account is being registered.
    user_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    # A keyed digest of the request.
    fingerprint: Mapped[bytes] = mapped_column(LargeBinary)
    # Random, for each attempt.
    claim: Mapped[bytes] = mapped_column(LargeBinary)
    # When the claim, or the answer, expires.
    expires_at: Mapped[datetime] = mapped_column(MOMENT, index=True)
    # The answer; null until there is one.
    status: Mapped[int | None] = mapped_column(SmallInteger)
    headers: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    body: Mapped[str | None] = mapped_column(Text)


class RateLimit(Base):
    """One limiter's state: when the next attempt would have been due (GCRA's arrival time).

    The table is unlogged: after a crash of the database it is empty, which forgives everyone.
    """

    __tablename__ = "rate_limits"
    __table_args__ = ({"prefixes": ["UNLOGGED"]},)

    key: Mapped[str] = mapped_column(Text, primary_key=True)
    due_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), index=True)


class TextTotal(Base):
    """A part of the bytes of an account's texts; it may be negative.

    Triggers add one for each change, and cleaning adds them up. There is no foreign key, whose
    locks could deadlock; a trigger deletes the rows of a deleted account.
    """

    __tablename__ = "text_totals"

    id: Mapped[BigId]
    owner_id: Mapped[int] = mapped_column(BigInteger, index=True)
    bytes: Mapped[int] = mapped_column(BigInteger)
