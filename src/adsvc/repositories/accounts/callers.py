from dataclasses import dataclass, fields
from datetime import datetime
from typing import Self

from adsvc.db.read_pool import Reader
from adsvc.models import Role, User
from adsvc.repositories.accounts.rights import NOT_SUSPENDED


@dataclass(frozen=True, slots=True)
class Account:
    """An account as it was when it was read: a value, of no database session."""

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

    @classmethod
    def of(cls, user: User) -> Self:
        return cls(**{name: getattr(user, name) for name in NAMES})


NAMES = tuple(field.name for field in fields(Account))

# Not whatever there is: the schema may be ahead of a process that is still running.
COLUMNS = ", ".join(f"users.{name}" for name in NAMES)


class CallerRepository:
    """Asked before most requests: plain SQL, in less than half of a mapped query's time."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def by_session(self, session_id: int, user_id: int) -> Account | None:
        """The account, if it is not suspended, and the session is its own and has not ended."""
        row = await self._reader.fetchrow(
            f"""
            SELECT {COLUMNS} FROM users JOIN sessions ON user_id = users.id
            WHERE sessions.id = $1 AND users.id = $2 AND {NOT_SUSPENDED}
            """,  # noqa: S608 - names of columns
            session_id,
            user_id,
            keep_plan=True,
        )
        return None if row is None else Account(**{**row, "role": Role(row["role"])})
