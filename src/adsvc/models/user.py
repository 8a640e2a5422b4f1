import unicodedata
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, Enum, Index, Text, false, literal_column, text
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import MOMENT, Base, BigId, CreatedAt


class Role(StrEnum):
    USER = "USER"
    # Decides about what is reported; may do no more than others besides.
    MODERATOR = "MODERATOR"
    ADMIN = "ADMIN"


class AccountStatus(StrEnum):
    ACTIVE = "active"
    SUSPENDED = "suspended"


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
    # Of those that mails are written in; null if nobody has said.
    language: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[CreatedAt]
    # Until then nobody logs in to it, and its ads are hidden; `infinity` for ever. What has passed
    # stays until the ads are shown again.
    suspended_until: Mapped[datetime | None] = mapped_column(MOMENT)
