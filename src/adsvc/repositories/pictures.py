"""Which pictures there are, and which of them are to be deleted."""

from collections.abc import Mapping, Sequence

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.models import Image, ImageTotal, PictureDeletion, User


class ImageRepository:
    """How many bytes pictures take, and for whom they count.

    Rows are locked in this order: users, ads, pictures to be deleted, images, totals.
    """

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, owner_id: int, sizes: Mapping[str, int]) -> None:
        """`sizes` in bytes, with the variants, by the pictures' names."""
        rows = [{"name": name, "owner_id": owner_id, "bytes": size} for name, size in sizes.items()]
        await self._session.execute(insert(Image).values(rows))

    async def grow(self, name: str, size: int) -> None:
        """Adds so many bytes to the size of the picture, if it is known.

        Triggers count only rows that come and go, so the row is replaced.
        """
        gone = delete(Image).where(Image.name == name).returning(Image.owner_id, Image.bytes)
        for owner_id, known in (await self._session.execute(gone)).all():
            await self.add(owner_id, {name: known + size})

    async def size(self, name: str) -> int:
        """0 also for a picture of which nothing is known."""
        return await self._session.scalar(select(Image.bytes).where(Image.name == name)) or 0

    async def used(self, owner_id: int) -> int:
        """Exact within a transaction that has added or removed one of the owner's pictures."""
        query = select(ImageTotal.bytes).where(ImageTotal.owner_id == owner_id)
        return await self._session.scalar(query) or 0

    async def keep_owner(self, owner_id: int) -> None:
        """Lets nobody delete the account until the transaction ends; ask after locking an ad."""
        query = select(User.id).where(User.id == owner_id)
        await self._session.execute(query.with_for_update(read=True, key_share=True))


class PictureDeletionRepository:
    """The queue of pictures to be deleted; triggers fill it."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def lock_next(self, limit: int, *, after: str) -> Sequence[str]:
        """The next names in order, without those at which somebody else works."""
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
