import asyncpg
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db.faults import UNDEFINED_COLUMN, UNDEFINED_TABLE, lacks
from adsvc.db.migrations import SEARCH_LANGUAGE
from adsvc.db.read_pool import Reader

REVISION = "SELECT version_num FROM alembic_version"

OLDEST_HEAD = "SELECT oldest_head FROM installation"

# Neither a standby nor a server whose operator, or whose full disk, has made it read-only.
WRITABLE = "SELECT current_setting('transaction_read_only') = 'off' AS writable"


async def takes_writes(reader: Reader) -> bool:
    row = await reader.fetchrow(WRITABLE, keep_plan=True)
    return row is not None and bool(row["writable"])


async def revision_by(reader: Reader) -> str | None:
    """As `SchemaRepository.revision`, without a session."""
    try:
        row = await reader.fetchrow(REVISION, keep_plan=True)
    except asyncpg.UndefinedTableError:
        return None
    return None if row is None else str(row["version_num"])


async def oldest_head_by(reader: Reader) -> str | None:
    """The head of the oldest version that works on the schema; None if it does not say."""
    try:
        row = await reader.fetchrow(OLDEST_HEAD, keep_plan=True)
    except (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError):
        return None
    return None if row is None else str(row["oldest_head"])


class SchemaRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def revision(self) -> str | None:
        """The migration that the database is at; None before the first."""
        try:
            found: str | None = await self._session.scalar(text(REVISION))
        except ProgrammingError as error:
            if not lacks(error, UNDEFINED_TABLE):
                raise
            return None
        return found

    async def oldest_head(self) -> str | None:
        """As `oldest_head_by`."""
        try:
            found: str | None = await self._session.scalar(text(OLDEST_HEAD))
        except ProgrammingError as error:
            if not lacks(error, UNDEFINED_TABLE, UNDEFINED_COLUMN):
                raise
            return None
        return found

    async def search_language(self) -> str | None:
        """The language whose stems the search knows; `adsvc migrate` changes it."""
        found: str | None = await self._session.scalar(text(SEARCH_LANGUAGE))
        return found
