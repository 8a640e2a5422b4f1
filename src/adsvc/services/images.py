from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.confinement import normalise_confined
from adsvc.db import Transaction
from adsvc.errors import InvalidImageError, UnsupportedImageError
from adsvc.imaging import Picture
from adsvc.repositories import AdRepository, UserRepository
from adsvc.settings import Settings
from adsvc.storage import ImageStore, new_image_name
from adsvc.work import Place, WorkFailedError


async def normalised(place: Place, settings: Settings, image: Path) -> Picture:
    """The picture to store; `InvalidImageError` or `UnsupportedImageError` if there is none."""
    try:
        outcome = await place.run(
            normalise_confined,
            image,
            settings.image_max_pixels,
            settings.image_max_side,
            settings.image_memory_bytes,
        )
    except WorkFailedError:
        raise InvalidImageError("cannot be decoded") from None
    if outcome is None:
        raise UnsupportedImageError
    if isinstance(outcome, str):
        raise InvalidImageError(outcome)
    return outcome


async def store_picture(transaction: Transaction, store: ImageStore, picture: Picture) -> str:
    """Stores the picture under a new name, which goes away again if the transaction does."""
    name = new_image_name(picture.extension)
    await store.put(name, picture.data)
    transaction.on_rollback(lambda: store.delete(name))
    return name


async def names_in_use(session: AsyncSession, names: Sequence[str]) -> set[str]:
    """Those of the names that a row bears: the one place that knows what names pictures."""
    owners = (AdRepository(session), UserRepository(session))
    return {name for owner in owners for name in await owner.images_in_use(names)}


async def sweep(
    session: AsyncSession, store: ImageStore, *, grace_seconds: float
) -> AsyncIterator[str]:
    """Removes pictures that no row names and yields their names.

    Younger files are left alone: the row that will name them may not be committed yet.
    """
    async for names in store.older_than(grace_seconds):
        orphans = set(names) - await names_in_use(session, names)
        for name in sorted(orphans):
            await store.delete(name)
            yield name
