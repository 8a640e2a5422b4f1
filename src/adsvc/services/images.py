import hashlib
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from adsvc.errors import InvalidImageError, OperatorError, QuotaExceededError, UnsupportedImageError
from adsvc.kit.bulkheads.pools import Slot, WorkFailedError
from adsvc.kit.db.database import Database, DatabaseSession, Transaction
from adsvc.kit.faults import Fault, FaultCode
from adsvc.kit.pictures.picture import (
    ICONS,
    THUMBNAIL,
    TIMES,
    VARIANTS,
    Picture,
    pictures_of,
    variant_name,
)
from adsvc.kit.pictures.sandbox import icon_confined, normalise_confined, parse_picture
from adsvc.kit.storage import ImageStore, new_image_name
from adsvc.repositories import images as image_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.ads import writes as ad_rows
from adsvc.repositories.images import used_by
from adsvc.repositories.operation import jobs as hold_rows
from adsvc.repositories.operation import site as site_rows
from adsvc.settings import Settings

KINDS = "must be a picture in JPEG, PNG or WebP format"


class PictureFaults:
    """Collects the faults of the pictures of one upload."""

    def __init__(self, *, several: bool) -> None:
        self._several = several
        self._all_unsupported = True
        self.faults: list[Fault] = []

    @contextmanager
    def noted(self, number: int) -> Iterator[None]:
        """Around the decoding of one picture; `number` counts from 1."""
        try:
            yield
        except UnsupportedImageError:
            self._add(number, KINDS)
        except InvalidImageError as error:
            self._all_unsupported = False
            self._add(number, error.detail)

    def _add(self, number: int, detail: str) -> None:
        named = f"Picture {number}: {detail}" if self._several else detail
        fault = Fault(FaultCode.UNUSABLE_IMAGE, named)
        self.faults.append(fault.of_part("image", number if self._several else None))

    def refuse(self) -> None:
        if self.faults and self._all_unsupported:
            raise UnsupportedImageError
        if self.faults:
            raise InvalidImageError(self.faults[0].detail, *self.faults)


# A sweep that would remove more than both needs a confirmation.
FEW = 20
MOST_OF_ALL = 0.1


@dataclass(frozen=True, slots=True)
class ReceivedImages:
    """Files as the client sent them, at least one, and a slot of the pool that decodes them.

    `read_form` removes the files at the end of the request. A slot that was not used is released.
    """

    files: Sequence[Path]
    slot: Slot


class StoredImage(NamedTuple):
    """The properties of a picture in the store."""

    name: str
    width: int
    height: int
    # None, like `thumbnail`, for a picture without variants.
    placeholder: str | None
    thumbnail: str | None
    # SHA-256 of the picture itself.
    digest: bytes
    # With those of its variants.
    bytes: int

    @classmethod
    def of(cls, name: str, picture: Picture) -> Self:
        thumbnail = variant_name(name, THUMBNAIL) if picture.variants else None
        placeholder = picture.placeholder or None
        size = picture.width, picture.height
        digest = hashlib.sha256(picture.data).digest()
        return cls(name, *size, placeholder, thumbnail, digest, picture.size)


async def store_images(
    transaction: Transaction, settings: Settings, store: ImageStore, received: ReceivedImages
) -> Sequence[StoredImage]:
    """Stores pictures with their variants, one after the other, so that one is in memory.

    If the transaction rolls back, or one of them is no picture, all are removed.
    """
    stored = []
    wrong = PictureFaults(several=len(received.files) > 1)
    with received.slot.held():
        for number, file in enumerate(received.files, 1):
            with wrong.noted(number):
                if wrong.faults:
                    # The rest is only decoded, so that all faults are reported at once.
                    await decoded(received.slot, settings, file, variants=False)
                    continue
                name, picture = await _store(transaction, settings, store, received.slot, file)
                stored.append(StoredImage.of(name, picture))
    wrong.refuse()
    return stored


async def validate_images(
    settings: Settings, received: ReceivedImages
) -> tuple[PictureFaults, int]:
    """Returns the pictures' faults, and the bytes that they would take. Stores nothing."""
    size = 0
    wrong = PictureFaults(several=len(received.files) > 1)
    with received.slot.held():
        for number, file in enumerate(received.files, 1):
            with wrong.noted(number):
                size += (await decoded(received.slot, settings, file, variants=True)).size
    return wrong, size


async def store_image(
    transaction: Transaction,
    settings: Settings,
    store: ImageStore,
    received: ReceivedImages,
    *,
    variants: bool = True,
    icon: bool = False,
) -> tuple[StoredImage, Picture]:
    """As `store_images`, for an upload of one picture."""
    [file] = received.files
    name, picture = await _store(
        transaction, settings, store, received.slot, file, variants=variants, icon=icon
    )
    return StoredImage.of(name, picture), picture


async def _store(
    transaction: Transaction,
    settings: Settings,
    store: ImageStore,
    slot: Slot,
    file: Path,
    *,
    variants: bool = True,
    icon: bool = False,
) -> tuple[str, Picture]:
    picture = await decoded(slot, settings, file, variants=variants, icon=icon)
    name = new_image_name(picture.extension)
    made = {variant_name(name, variant): data for variant, data in picture.variants.items()}
    files = {name: picture.data, **made}
    began = time.perf_counter()
    await store.put_all(files)
    TIMES.steps["store"].observe(time.perf_counter() - began)

    async def remove() -> None:
        await store.delete_all(list(files))

    transaction.on_rollback(remove)
    return name, picture


async def decoded(
    slot: Slot, settings: Settings, file: Path, *, variants: bool, icon: bool = False
) -> Picture:
    """Raises `InvalidImageError` or `UnsupportedImageError`."""
    limits = settings.image_max_pixels, settings.image_max_side
    began = time.perf_counter()
    try:
        if icon:
            answer = await slot.run(icon_confined, limits[0], file=file)
            picture = parse_picture(answer, ICONS)
        else:
            answer = await slot.run(normalise_confined, *limits, variants, file=file)
            picture = parse_picture(answer, VARIANTS if variants else ())
    except WorkFailedError:
        TIMES.failures["failed"] += 1
        raise InvalidImageError("cannot be decoded") from None
    except (InvalidImageError, UnsupportedImageError) as error:
        TIMES.failures["invalid" if isinstance(error, InvalidImageError) else "unsupported"] += 1
        raise
    TIMES.note(picture.durations, time.perf_counter() - began)
    return picture


async def require_picture_quota(
    database: Database, settings: Settings, owner_id: int, size: int = 1
) -> None:
    """`QuotaExceededError` if there is no room for pictures of so many bytes.

    Called before an upload is received, it refuses accounts that have no room at all.
    """
    if settings.image_quota_bytes:
        used = await used_by(database.reader, owner_id)
        if used + size > settings.image_quota_bytes:
            raise QuotaExceededError(settings.image_quota_bytes, used)


async def charge_quota(
    transaction: Transaction,
    settings: Settings,
    stored: Sequence[StoredImage],
    *,
    owner_id: int,
    replaced: int = 0,
) -> None:
    """Counts the stored pictures for their owner; their rows have been written.

    `replaced` is the size of the picture that they replace, which no longer counts. Beyond the
    quota it raises `QuotaExceededError`, unless they are no larger than the one they replace.
    """
    size = sum(image.bytes for image in stored)
    await image_rows.add(transaction, owner_id, {image.name: image.bytes for image in stored})
    used = await image_rows.used_by(transaction, owner_id)
    quota = settings.image_quota_bytes
    if quota and used > quota and size > replaced:
        raise QuotaExceededError(quota, used - size + replaced)


async def names_in_use(session: DatabaseSession, names: Sequence[str]) -> set[str]:
    """The names that a row names, as a picture or as its variant.

    All columns that name pictures are listed here.
    """
    pictures = {picture for name in names for picture in pictures_of(name)}
    owners = (
        image_rows.images_in_use,
        ad_rows.images_in_use,
        user_rows.images_in_use,
        site_rows.images_in_use,
        image_rows.hidden_in_use,
    )
    used = {
        name for images_in_use in owners for name in await images_in_use(session, list(pictures))
    }
    return {name for name in names if not used.isdisjoint(pictures_of(name))}


@dataclass(frozen=True)
class Orphans:
    """Pictures that no row names, and the number of all pictures."""

    names: Sequence[str]
    total: int

    @property
    def suspicious(self) -> bool:
        """Killed uploads leave a few. Many more mean that the database is a wrong one."""
        return len(self.names) > FEW and len(self.names) > self.total * MOST_OF_ALL


async def orphans(session: DatabaseSession, store: ImageStore, *, grace_seconds: float) -> Orphans:
    """The pictures that `sweep` would remove."""
    found: list[str] = []
    async for names in store.older_than(grace_seconds):
        found += sorted(set(names) - await names_in_use(session, names))
    total = 0
    async for names in store.older_than(0):
        total += len(names)
    return Orphans(found, total)


async def sweep(
    session: DatabaseSession, store: ImageStore, *, grace_seconds: float
) -> AsyncIterator[str]:
    """Removes pictures that no row names, and yields their names.

    Younger files stay: the row that will name them may not be committed yet.
    """
    async for names in store.older_than(grace_seconds):
        unnamed = set(names) - await names_in_use(session, names)
        if await hold_rows.are_deletions_held(session):
            raise OperatorError("A backup copies pictures now. Run this again when it has ended.")
        for name in sorted(unnamed):
            await store.delete(name)
            yield name
