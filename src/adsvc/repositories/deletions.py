from collections.abc import Sequence

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.models import PictureDeletion


class PictureDeletionRepository:
    """The queue of pictures to be deleted; triggers fill it."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def lock_next(self, limit: int, *, after: str) -> Sequence[str]:
        """The next names in order, but those which somebody else works at."""
        query = (
            select(PictureDeletion.name)
            .where(PictureDeletion.name > after)
            .order_by(PictureDeletion.name)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        return (await self._session.scalars(query)).all()

    async def remove(self, names: Sequence[str]) -> None:
        await self._session.execute(delete(PictureDeletion).where(PictureDeletion.name.in_(names)))
