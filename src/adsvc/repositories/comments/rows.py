"""Comments as rows."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession


class Missing(Enum):
    """What a comment needs and does not find, by the constraint that says so."""

    AD = "fk_comments_ad_id_ads"
    AUTHOR = "fk_comments_author_id_users"


OF_AUTHOR = """(
    SELECT id, ad_id, text, created_at, updated_at, '{status}' AS status FROM {table}
    WHERE author_id = :author_id AND id > :after ORDER BY id LIMIT :limit
)"""
WRITTEN = text(f"""
    {OF_AUTHOR.format(table="comments", status="shown")}
    UNION ALL
    {OF_AUTHOR.format(table="removed_comments", status="removed")}
    ORDER BY id LIMIT :limit
""")


class CommentRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def written_by(
        self, author_id: int, limit: int, *, after: int
    ) -> Sequence[Mapping[str, Any]]:
        """Oldest first, removed ones too, only those with an id above `after`."""
        values = {"author_id": author_id, "limit": limit, "after": after}
        found = await self._session.execute(WRITTEN, values)
        return [dict(row) for row in found.mappings()]
