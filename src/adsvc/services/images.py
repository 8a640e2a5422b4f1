from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.bulkheads.pools import Slot, WorkFailedError
from adsvc.db.database import Database, Transaction
from adsvc.errors import InvalidImageError, QuotaExceededError
from adsvc.pictures.picture import Picture
from adsvc.pictures.sandbox import normalise_confined, understood
from adsvc.pictures.variants import pictures_of
from adsvc.repositories import AdImageRepository, AdRepository, ImageRepository, UserRepository
from adsvc.settings import Settings
from adsvc.storage import ImageStore, new_image_name

# A sweep that would remove more than both asks for confirmation.
FEW = 20
MOST_OF_ALL = 0.1


@dataclass(frozen=True, slots=True)
class ReceivedImage:
    """A file as the client sent it, and a slot of the pool that decodes it.

    The dependency that received the file removes it, and gives back a slot that was not used.
    """

    file: Path
    slot: Slot


async def store_image(
    transaction: Transaction, settings: Settings, store: ImageStore, image: ReceivedImage
) -> tuple[str, Picture]:
    """Decodes the image and stores the picture under a new name; both are returned.

    The stored picture is deleted if the transaction rolls back. Raises `InvalidImageError` or
    `UnsupportedImageError`.
    """
    picture = await _decoded(image, settings)
    name = new_image_name(picture.extension)
    await store.put(name, picture.data)
    transaction.on_rollback(lambda: store.delete(name))
    return name, picture


async def _decoded(image: ReceivedImage, settings: Settings) -> Picture:
    try:
        answer = await image.slot.run(
            normalise_confined,
            settings.image_max_pixels,
            settings.image_max_side,
            file=image.file,
        )
    except WorkFailedError:
        raise InvalidImageError("cannot be decoded") from None
    return understood(answer)


async def require_room(database: Database, settings: Settings, owner_id: int) -> None:
    """Before anything is received: `QuotaExceededError` if one more picture has no room at all."""
    if settings.image_quota_bytes:
        async with database.autocommit() as session:
            used = await ImageRepository(session).used(owner_id)
        if used >= settings.image_quota_bytes:
            raise QuotaExceededError(settings.image_quota_bytes, used)


async def account_for(
    transaction: Transaction,
    settings: Settings,
    name: str,
    picture: Picture,
    *,
    owner_id: int,
    replaced: int = 0,
) -> None:
    """Counts the stored picture for its owner, whom a row names by now.

    `replaced` is the size of the one in whose place it comes, which counts no longer. Raises
    `QuotaExceededError`, unless it is no larger than that.
    """
    images = ImageRepository(transaction.session)
    size = len(picture.data)
    await images.add(name, owner_id, size)
    used = await images.used(owner_id)
    quota = settings.image_quota_bytes
    if quota and used > quota and size > replaced:
        raise QuotaExceededError(quota, used - size + replaced)


async def names_in_use(session: AsyncSession, names: Sequence[str]) -> set[str]:
    """Those that any row names, and the variants of those.

    All columns that name pictures are listed here.
    """
    pictures = {picture for name in names for picture in pictures_of(name)}
    owners = (AdImageRepository(session), AdRepository(session), UserRepository(session))
    used = {name for owner in owners for name in await owner.images_in_use(list(pictures))}
    return {name for name in names if not used.isdisjoint(pictures_of(name))}


@dataclass(frozen=True)
class Orphans:
    """Pictures that no row names, and how many there are in all."""

    names: Sequence[str]
    total: int

    @property
    def suspicious(self) -> bool:
        """Killed uploads leave a few; so many more speak of another database."""
        return len(self.names) > FEW and len(self.names) > self.total * MOST_OF_ALL


async def orphans(session: AsyncSession, store: ImageStore, *, grace_seconds: float) -> Orphans:
    """What `sweep` would remove."""
    found: list[str] = []
    async for names in store.older_than(grace_seconds):
        found += sorted(set(names) - await names_in_use(session, names))
    total = 0
    async for names in store.older_than(0):
        total += len(names)
    return Orphans(found, total)


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
