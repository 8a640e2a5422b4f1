import unicodedata
from enum import StrEnum

from sqlalchemy import ColumnElement, Enum, Index, Text, literal_column, text
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import Base, BigId, CreatedAt


class Role(StrEnum):
    USER = "USER"
    ADMIN = "ADMIN"


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


class User(Base):
    __tablename__ = "users"
    __table_args__ = (Index("ix_users_bcrypt_cost", BCRYPT_COST, postgresql_where=HAS_BCRYPT_HASH),)

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
    created_at: Mapped[CreatedAt]
