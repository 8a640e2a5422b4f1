"""Accounts, their sessions, tokens, limits and idempotency keys."""

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
    false,
    func,
    literal_column,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.enums import Role
from adsvc.models.base import MOMENT, Base, BigId, CreatedAt


def username_key(username: str) -> str:
    """What two spellings of one user name have in common.

    Unicode's caseless matching (The Unicode Standard, §3.13, definition D147, without the last
    normalization), done here so that it does not depend on the database's collation.
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", username).casefold())


# Both as the index has them, which is only then of use. A cost beyond 14, a second or more, would
# be a burden on every login: it is not paid for by others.
BCRYPT_COST: ColumnElement[str] = literal_column("substr(password_hash, 5, 2)")
HAS_BCRYPT_HASH = text(r"password_hash ~ '^\$2[abxy]\$(0[4-9]|1[0-4])\$'")
IS_SUSPENDED = text("suspended_until IS NOT NULL")


class User(Base):
    __tablename__ = "users"
    __table_args__ = (
        Index("ix_users_bcrypt_cost", BCRYPT_COST, postgresql_where=HAS_BCRYPT_HASH),
        # By which the beginning of a name is found, whatever the database's collation.
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
    # The address that counts: verified, or the only one there is.
    mail: Mapped[str | None] = mapped_column(Text)
    mail_verified: Mapped[bool] = mapped_column(server_default=false(), default=False)
    # The address that is to take its place as soon as it is verified.
    mail_pending: Mapped[str | None] = mapped_column(Text)
    # Of those that mails are written in; null if it was never chosen.
    language: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[CreatedAt]
    # Until then it cannot log in, and its ads are hidden; `infinity` for ever. What has passed
    # stays until the ads are shown again.
    suspended_until: Mapped[datetime | None] = mapped_column(MOMENT)


class Session(Base):
    """One login, from its first token to its end; only hashes of its refresh token are kept.

    The token's first half names the session for as long as it lasts, its second half changes with
    every use. So a known first half with another second half is a token that was used before.
    """

    __tablename__ = "sessions"

    id: Mapped[BigId]
    user_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    handle_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    secret_hash: Mapped[bytes] = mapped_column(LargeBinary)
    client: Mapped[str] = mapped_column(Text)
    # By which the network is known again that it was last used from; null in the oldest sessions.
    network_hash: Mapped[bytes | None] = mapped_column(LargeBinary)
    began_at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    last_used_at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    expires_at: Mapped[datetime] = mapped_column(MOMENT)


class MailToken(Base):
    """What a link in a mail proves, once: that its bearer reads the mail of that address.

    The token itself is in the mail alone. A change of the account's password or address deletes
    all of its tokens.
    """

    __tablename__ = "mail_tokens"

    hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    user_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    # A `TokenPurpose`.
    purpose: Mapped[str] = mapped_column(Text)
    # To which it was sent.
    address: Mapped[str] = mapped_column(Text)
    expires_at: Mapped[datetime] = mapped_column(MOMENT, index=True)


class IdempotencyKey(Base):
    """A request that is to happen once: claimed by one who carries it out, and then its answer.

    Neither the key nor what was sent can be computed from it.
    """

    __tablename__ = "idempotency_keys"

    # A keyed digest of whose key it is, and of the key.
    id: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    # Null while an account is being registered.
    user_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    # A keyed digest of the request.
    fingerprint: Mapped[bytes] = mapped_column(LargeBinary)
    # Random: whose claim it is.
    claim: Mapped[bytes] = mapped_column(LargeBinary)
    # When a claim, or the answer, counts no longer.
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
    """A part of what the text of an account takes, in bytes; it may be negative.

    Triggers add one for each change, and cleaning adds them up. There is no foreign key, whose
    locks could wait for each other; a trigger deletes the rows of a deleted account.
    """

    __tablename__ = "text_totals"

    id: Mapped[BigId]
    owner_id: Mapped[int] = mapped_column(BigInteger, index=True)
    bytes: Mapped[int] = mapped_column(BigInteger)
