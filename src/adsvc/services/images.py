from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db import Transaction
from adsvc.imaging import Picture
from adsvc.repositories import AdRepository
from adsvc.storage import ImageStore, new_image_name


async def store_picture(transaction: Transaction, store: ImageStore, picture: Picture) -> str:
    """Stores the picture under a new name, which goes away again if the transaction does."""
    name = new_image_name(picture.extension)
    await store.put(name, picture.data)
    transaction.on_rollback(lambda: store.delete(name))
    return name


async def sweep(
    session: AsyncSession, store: ImageStore, *, grace_seconds: float
) -> AsyncIterator[str]:
    """Removes pictures that no row names and yields their names.

    Younger files are left alone: the row that will name them may not be committed yet.
    """
    ads = AdRepository(session)
    async for names in store.older_than(grace_seconds):
        orphans = set(names) - await ads.images_in_use(names)
        for name in sorted(orphans):
            await store.delete(name)
            yield name
