import unicodedata
from enum import StrEnum

from sqlalchemy import Enum, Text
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


class User(Base):
    __tablename__ = "users"

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
