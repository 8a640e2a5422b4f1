import asyncpg
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db.migrations import SEARCH_LANGUAGE
from adsvc.db.read_pool import Reader

REVISION = "SELECT version_num FROM alembic_version"


async def revision_by(reader: Reader) -> str | None:
    """As `SchemaRepository.revision`, without a session."""
    try:
        row = await reader.fetchrow(REVISION, keep_plan=True)
    except asyncpg.UndefinedTableError:
        return None
    return None if row is None else str(row["version_num"])


class SchemaRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def revision(self) -> str | None:
        """The migration that the database is at; None before the first."""
        try:
            found: str | None = await self._session.scalar(text(REVISION))
        except ProgrammingError:
            # There is no such table yet.
            return None
        return found

    async def search_language(self) -> str | None:
        """The language whose stems the search knows; `adsvc migrate` changes it."""
        found: str | None = await self._session.scalar(text(SEARCH_LANGUAGE))
        return found
