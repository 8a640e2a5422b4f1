"""Comments as rows, with their authors."""

from collections.abc import Sequence
from enum import Enum

from sqlalchemy import Select, delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload

from adsvc.models import Comment


class Missing(Enum):
    """What a comment needs and does not find, by the constraint that says so."""

    AD = "fk_comments_ad_id_ads"
    AUTHOR = "fk_comments_author_id_users"


class CommentRepository:
    """Comments always come with their authors."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def get(self, ad_id: int, comment_id: int) -> Comment | None:
        """None also for a comment under another ad."""
        query = _with_author().where(Comment.ad_id == ad_id, Comment.id == comment_id)
        return await self._session.scalar(query)

    async def list_by_author(self, author_id: int, limit: int, *, after: int) -> Sequence[Comment]:
        """Oldest first, only comments with an id above `after`."""
        query = (
            _with_author()
            .where(Comment.author_id == author_id, Comment.id > after)
            .order_by(Comment.id)
            .limit(limit)
        )
        return (await self._session.scalars(query)).all()

    async def update(self, comment_id: int, text: str) -> bool:
        statement = update(Comment).where(Comment.id == comment_id).values(text=text)
        return await self._session.scalar(statement.returning(Comment.id)) is not None

    async def delete(self, comment_id: int) -> bool:
        statement = delete(Comment).where(Comment.id == comment_id).returning(Comment.id)
        return await self._session.scalar(statement) is not None


def _with_author() -> Select[Comment]:
    return select(Comment).options(joinedload(Comment.author))
