from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from sqlalchemy import Select, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload

from adsvc.models import AdCommentTotal, Comment


class Missing(Enum):
    """What a comment needs and does not find, by the constraint that says so."""

    AD = "fk_comments_ad_id_ads"
    AUTHOR = "fk_comments_author_id_users"


@dataclass(frozen=True, slots=True)
class CommentPage:
    rows: Sequence[Comment]
    # How many comments the ad has in all.
    count: int
    # Whether more rows follow these.
    more: bool


class CommentRepository:
    """Comments always come with their authors."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def get(self, ad_id: int, comment_id: int) -> Comment | None:
        """None also for a comment under another ad."""
        query = _with_author().where(Comment.ad_id == ad_id, Comment.id == comment_id)
        return await self._session.scalar(query)

    async def list_page(self, ad_id: int, limit: int, *, before: int | None = None) -> CommentPage:
        """Newest first, only comments with an id below `before`."""
        kept = select(AdCommentTotal.comments).where(AdCommentTotal.ad_id == ad_id)
        count = select(func.coalesce(kept.scalar_subquery(), 0).label("comments")).subquery()
        page = Comment.ad_id == ad_id
        if before is not None:
            page &= Comment.id < before
        # One query for rows and count, which so tell of the same moment. One row more than asked
        # for tells whether there is another page.
        query = (
            select(count.c.comments, Comment)
            .select_from(count)
            .outerjoin(Comment, page)
            .options(joinedload(Comment.author))
            .order_by(Comment.id.desc())
            .limit(limit + 1)
        )
        found = (await self._session.execute(query)).all()
        rows = [row.Comment for row in found if row.Comment is not None]
        return CommentPage(rows[:limit], found[0].comments, more=len(rows) > limit)

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
