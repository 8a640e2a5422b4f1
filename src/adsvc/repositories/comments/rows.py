"""Comments as rows, with their authors."""

from collections.abc import Sequence
from enum import Enum

from sqlalchemy import select
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

    async def list_by_author(self, author_id: int, limit: int, *, after: int) -> Sequence[Comment]:
        """Oldest first, only comments with an id above `after`."""
        query = (
            select(Comment)
            .options(joinedload(Comment.author))
            .where(Comment.author_id == author_id, Comment.id > after)
            .order_by(Comment.id)
            .limit(limit)
        )
        return (await self._session.scalars(query)).all()
