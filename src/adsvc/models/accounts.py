"""Accounts, their sessions, API keys, second factors and tokens."""

import unicodedata
from datetime import datetime
from typing import Annotated

from sqlalchemy import BigInteger, ColumnElement, Enum, ForeignKey, Text, literal_column, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.enums import STANDARD, Role
from adsvc.models.base import Base, BigId, CreatedAt


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

# Of an account without a password: no password has this hash.
NO_PASSWORD = "!"  # noqa: S105 - no password


class User(Base):
    __tablename__ = "users"

    id: Mapped[BigId]
    username: Mapped[str]
    username_key: Mapped[str]
    password_hash: Mapped[str]
    first_name: Mapped[str]
    last_name: Mapped[str]
    phone: Mapped[str]
    role: Mapped[Role] = mapped_column(Enum(Role, native_enum=False), default=Role.USER)
    image: Mapped[str | None]
    # The address in use: verified, or the only one there is.
    mail: Mapped[str | None]
    mail_verified: Mapped[bool] = mapped_column(default=False)
    # The address that replaces it once it is verified.
    mail_pending: Mapped[str | None]
    # The language of mails; null if it was never chosen.
    language: Mapped[str | None]
    created_at: Mapped[CreatedAt]
    # Whether `totps` has a confirmed secret, so that a caller needs no further statement.
    has_totp: Mapped[bool] = mapped_column(default=False)
    # Whether `passkeys` has any.
    has_passkey: Mapped[bool] = mapped_column(default=False)
    # The name of a plan (`RateLimitSettings.plans`).
    plan: Mapped[str] = mapped_column(default=STANDARD)
    # Until then it cannot log in, and its ads are hidden; `infinity` means without end. A past
    # moment stays until the ads are shown again.
    suspended_until: Mapped[datetime | None]


# Of an account that takes the row along when it is deleted, or leaves it without its id.
AccountId = Annotated[int, mapped_column(BigInteger, ForeignKey(User.id, ondelete="CASCADE"))]
LinkedAccountId = Annotated[
    int, mapped_column(BigInteger, ForeignKey(User.id, ondelete="SET NULL"))
]


class Session(Base):
    """One login, from its first token to its end. Only hashes of its refresh token are stored.

    The first half of the token names the session and never changes; the second half changes with
    every use. So a known first half with another second half is a token that was used before.
    """

    __tablename__ = "sessions"

    id: Mapped[BigId]
    user_id: Mapped[AccountId]
    handle_hash: Mapped[bytes]
    secret_hash: Mapped[bytes]
    client: Mapped[str]
    # A digest of the network that it was last used from; null in the oldest sessions.
    network_hash: Mapped[bytes | None]
    # When a second factor was last proved in it; null if only the password was.
    factor_at: Mapped[datetime | None]
    began_at: Mapped[datetime]
    last_used_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class SignIn(Base):
    """From where an account has logged in, so that a login from elsewhere is noticed."""

    __tablename__ = "sign_ins"

    id: Mapped[BigId]
    user_id: Mapped[AccountId]
    # A /24 of IPv4 or a /48 of IPv6: less than an address.
    network: Mapped[str]
    # The browser and the system, without their versions.
    device: Mapped[str]
    last_used_at: Mapped[datetime]


class AcceptedTerms(Base):
    """A version of the site's terms that an account has accepted."""

    __tablename__ = "accepted_terms"

    id: Mapped[BigId]
    user_id: Mapped[AccountId]
    # The slug of the page that has the terms.
    page: Mapped[str]
    version: Mapped[int]
    at: Mapped[CreatedAt]


class Key(Base):
    """What a program uses instead of a session. Its secret is kept as a hash alone."""

    __tablename__ = "keys"

    id: Mapped[BigId]
    user_id: Mapped[AccountId]
    name: Mapped[str]
    # By which people recognise the secret.
    prefix: Mapped[str]
    hash: Mapped[bytes]
    # Values of `KeyScope`.
    scopes: Mapped[list[str]] = mapped_column(ARRAY(Text))
    created_at: Mapped[CreatedAt]
    # Null if it does not expire.
    expires_at: Mapped[datetime | None]
    # Written rarely; null before the first use.
    last_used_at: Mapped[datetime | None]
    # When the session began that added it; null in the oldest rows, and without a session.
    session_began_at: Mapped[datetime | None]


class Totp(Base):
    """What an account's authenticator app shares with the service (RFC 6238).

    The secrets are encrypted by a key that follows from `ADSVC_JWT_SECRET`.
    """

    __tablename__ = "totps"

    user_id: Mapped[AccountId] = mapped_column(primary_key=True)
    # Null until a first code has confirmed it.
    secret: Mapped[bytes | None]
    # The time step of the last code that was used: codes of it, and of those before, are void.
    last_step: Mapped[int | None] = mapped_column(BigInteger)
    # What takes the place of `secret` once a code confirms it.
    pending: Mapped[bytes | None]
    # When the account got its app, whose secret may have been replaced since, by a code of it; null
    # in the oldest rows.
    set_at: Mapped[datetime | None]
    # When the session began that added it; null in the oldest rows, and without a session.
    session_began_at: Mapped[datetime | None]


class RecoveryCode(Base):
    """A code that stands in for one of the authenticator app, once: its use deletes it."""

    __tablename__ = "recovery_codes"

    user_id: Mapped[AccountId] = mapped_column(primary_key=True)
    hash: Mapped[bytes] = mapped_column(primary_key=True)


class Passkey(Base):
    """A key pair in an authenticator, which proves both factors (Web Authentication, Level 3)."""

    __tablename__ = "passkeys"

    id: Mapped[BigId]
    user_id: Mapped[AccountId]
    name: Mapped[str]
    credential_id: Mapped[bytes]
    # In COSE's form.
    public_key: Mapped[bytes]
    # 0 as long as the authenticator does not count.
    sign_count: Mapped[int] = mapped_column(BigInteger)
    # Whether it may be, and is, on several devices.
    backup_eligible: Mapped[bool]
    backed_up: Mapped[bool]
    # The host that it was made for; with another one it is of no use.
    rp_id: Mapped[str]
    created_at: Mapped[CreatedAt]
    last_used_at: Mapped[datetime | None]
    # When the session began that added it; null in the oldest rows, and without a session.
    session_began_at: Mapped[datetime | None]


class Provider(Base):
    """An OpenID provider that people may sign in with."""

    __tablename__ = "providers"

    id: Mapped[BigId]
    # Part of the address that the provider sends people back to.
    slug: Mapped[str]
    name: Mapped[str]
    issuer: Mapped[str]
    client_id: Mapped[str]
    # Encrypted by a key that follows from `ADSVC_JWT_SECRET`.
    client_secret: Mapped[bytes]


class Identity(Base):
    """A person as an OpenID provider knows them, who may use the account.

    It is bound to the issuer and not to the provider's row: with another issuer under the same
    name, the subjects are those of other people.
    """

    __tablename__ = "identities"

    id: Mapped[BigId]
    user_id: Mapped[AccountId]
    issuer: Mapped[str]
    subject: Mapped[str]
    created_at: Mapped[CreatedAt]
    last_used_at: Mapped[datetime | None]


class UsedChallenge(Base):
    """A challenge of a login that was met. What is in here cannot be used again."""

    __tablename__ = "used_challenges"

    id: Mapped[str] = mapped_column(primary_key=True)
    expires_at: Mapped[datetime]


class MailToken(Base):
    """The token of a link in a mail. Its use proves, once, that the client reads that mail.

    Only the mail has the token itself. A change of the account's password or address deletes all
    its tokens.
    """

    __tablename__ = "mail_tokens"

    hash: Mapped[bytes] = mapped_column(primary_key=True)
    user_id: Mapped[AccountId]
    # A `TokenPurpose`.
    purpose: Mapped[str]
    # The address that it was sent to.
    address: Mapped[str]
    expires_at: Mapped[datetime]
