import asyncio
import hashlib
import os
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

from adsvc import errors
from adsvc.enums import AdStatus, AuditKind
from adsvc.errors import InvalidImageError, QuotaExceededError, UnsupportedImageError
from adsvc.invalidation import AdChange
from adsvc.kit import faults
from adsvc.kit.bulkheads.admission import Shares
from adsvc.kit.bulkheads.pools import ProcessPool, Slot, WorkFailedError
from adsvc.kit.bulkheads.uploads import DiskReserve
from adsvc.kit.db.database import Database, DatabaseSession, Transaction
from adsvc.kit.faults import Fault, FaultCode
from adsvc.kit.pictures.containers import (
    ICONS,
    MAX_SIDE,
    SHARE,
    THUMBNAIL,
    TIMES,
    VARIANTS,
    Picture,
    variant_name,
)
from adsvc.kit.pictures.sandbox import confine, icon_confined, normalise_confined, parse_picture
from adsvc.kit.records import Expected, Written
from adsvc.kit.storage import ImageStore, new_image_name
from adsvc.models.ads import Ad, AdImage
from adsvc.repositories import images as image_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.ads import writes as ad_rows
from adsvc.repositories.images import used_by
from adsvc.repositories.operation import jobs as job_rows
from adsvc.services import audit
from adsvc.services.picture_deletion import forget_pictures, move_afterwards
from adsvc.settings import Settings


def picture_pool(
    settings: Settings, *, queue: int, workers: int | None = None, shares: Shares | None = None
) -> ProcessPool:
    """Confined processes that decode pictures; without `workers` as many as the settings say."""
    return ProcessPool(
        workers=workers or settings.image_workers,
        queue=queue,
        seconds=settings.image_seconds,
        prepare=(confine, (settings.image_memory_bytes, os.getpid())),
        shares=shares,
    )


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


@dataclass(frozen=True, slots=True)
class PictureStoring:
    """Stores pictures, and counts them for their owner.

    If the transaction rolls back, or one of them is no picture, all are removed.
    """

    transaction: Transaction
    settings: Settings
    store: ImageStore

    async def store_all(self, received: ReceivedImages) -> Sequence[StoredImage]:
        """With their variants, one after the other, so that one is in memory."""
        stored = []
        wrong = PictureFaults(several=len(received.files) > 1)
        with received.slot.held():
            for number, file in enumerate(received.files, 1):
                with wrong.noted(number):
                    if wrong.faults:
                        # The rest is only decoded, so that all faults are reported at once.
                        await decoded(received.slot, self.settings, file, variants=False)
                        continue
                    name, picture = await self._store(received.slot, file)
                    stored.append(StoredImage.of(name, picture))
        wrong.refuse()
        return stored

    async def store_one(
        self, received: ReceivedImages, *, variants: bool = True, icon: bool = False
    ) -> tuple[StoredImage, Picture]:
        [file] = received.files
        name, picture = await self._store(received.slot, file, variants=variants, icon=icon)
        return StoredImage.of(name, picture), picture

    async def _store(
        self, slot: Slot, file: Path, *, variants: bool = True, icon: bool = False
    ) -> tuple[str, Picture]:
        picture = await decoded(slot, self.settings, file, variants=variants, icon=icon)
        name = new_image_name(picture.extension)
        made = {variant_name(name, variant): data for variant, data in picture.variants.items()}
        files = {name: picture.data, **made}
        began = time.perf_counter()
        await self.store.put_all(files)
        TIMES.steps["store"].observe(time.perf_counter() - began)
        self.transaction.on_rollback(partial(self.store.delete_all, list(files)))
        return name, picture

    async def charge(
        self, stored: Sequence[StoredImage], *, owner_id: int, replaced: int = 0
    ) -> None:
        """Counts the stored pictures for their owner; their rows have been written.

        `replaced` is the size of the picture that they replace, which no longer counts. Beyond the
        quota it raises `QuotaExceededError`, unless they are no larger than the one they replace.
        """
        db, size = self.transaction, sum(image.bytes for image in stored)
        await image_rows.add(db, owner_id, {image.name: image.bytes for image in stored})
        used = await image_rows.used_by(db, owner_id)
        quota = self.settings.image_quota_bytes
        if quota and used > quota and size > replaced:
            raise QuotaExceededError(quota, used - size + replaced)


IMAGE_NOT_FOUND = "This ad has no picture with this id."


def row_of(image: StoredImage) -> Mapping[str, Any]:
    """The columns of `models.AdImage` that follow from the picture."""
    return {
        "name": image.name,
        "width": image.width,
        "height": image.height,
        "placeholder": image.placeholder,
        "digest": image.digest,
        "has_variants": image.thumbnail is not None,
        "has_share": image.thumbnail is not None,
    }


@dataclass(frozen=True, slots=True)
class AdPictures(PictureStoring):
    """Changes of the pictures of one ad. The caller has checked that the actor may."""

    ad: Ad
    actor: CallerAccount
    # The version of the ad that the client expects.
    expected: Expected

    async def add(self, received: ReceivedImages) -> Written:
        """Adds all pictures after the others, or none. Returns `schemas.ads.Images`."""
        stored = await self.store_all(received)
        _, present = await self._lock()
        if len(present) + len(stored) > self.settings.ad_images_max:
            raise errors.TooManyImagesError(self.settings.ad_images_max)
        first = max((image.position for image in present), default=-1) + 1
        await image_rows.add_to_ad(
            self.transaction, self.ad.id, [row_of(image) for image in stored], first=first
        )
        await self._changed(AuditKind.FOREIGN_PICTURES_CHANGED)
        await self.charge(stored, owner_id=self.ad.author_id)
        return await self._written()

    async def replace_first(self, received: ReceivedImages) -> tuple[str, Picture, str]:
        """Returns the new picture with its name, and the version of the ad.

        Of two replacements at the same time the later one stays.
        """
        stored, picture = await self.store_one(received)
        _, present = await self._lock()
        # A draft may have none.
        first, replaced = 0, 0
        for old in present[:1]:
            first = old.position
            replaced = await image_rows.size(self.transaction, old.name)
            await image_rows.delete_image(self.transaction, old.id)
        await image_rows.add_to_ad(self.transaction, self.ad.id, [row_of(stored)], first=first)
        await self._changed(AuditKind.FOREIGN_PICTURE_REPLACED)
        await self.charge([stored], owner_id=self.ad.author_id, replaced=replaced)
        forget_pictures(self.transaction, self.store, [old.name for old in present[:1]])
        return stored.name, picture, await self._version()

    async def replace_all(self, received: ReceivedImages) -> None:
        """Puts these pictures in the place of all others, unless they are the same."""
        stored = await self.store_all(received)
        _, present = await self._lock()
        gone = [image.name for image in present]
        if [image.digest for image in present] == [image.digest for image in stored]:
            gone = [image.name for image in stored]
        else:
            replaced = 0
            for image in present:
                replaced += await image_rows.size(self.transaction, image.name)
                await image_rows.delete_image(self.transaction, image.id)
            rows = [row_of(image) for image in stored]
            await image_rows.add_to_ad(self.transaction, self.ad.id, rows, first=0)
            await self._changed(AuditKind.FOREIGN_PICTURES_CHANGED)
            await self.charge(stored, owner_id=self.ad.author_id, replaced=replaced)
        forget_pictures(self.transaction, self.store, gone)

    async def order(self, ids: Sequence[int]) -> Written:
        """`schemas.ads.Images`."""
        _, images = await self._lock()
        present = [image.id for image in images]
        if sorted(ids) != sorted(present):
            detail = "must list the ids of all pictures of the ad, each once"
            raise errors.InvalidRequestError(faults.inconsistent(detail).at("/order"))
        if list(ids) != present:
            await image_rows.order(self.transaction, self.ad.id, ids)
            await self._changed(AuditKind.FOREIGN_PICTURES_CHANGED)
        return await self._written()

    async def delete(self, image_id: int) -> None:
        status, present = await self._lock()
        gone = next((image for image in present if image.id == image_id), None)
        if gone is None:
            raise errors.ImageNotFoundError(IMAGE_NOT_FOUND)
        if len(present) == 1 and status != AdStatus.DRAFT:
            raise errors.LastImageError
        await image_rows.delete_image(self.transaction, image_id)
        await self._changed(AuditKind.FOREIGN_PICTURES_CHANGED)
        forget_pictures(self.transaction, self.store, [gone.name])

    async def _lock(self) -> tuple[str, Sequence[AdImage]]:
        """The ad's status, and its pictures in their order, locked until the transaction ends.

        The ad is locked too, so its version stays the expected one until then.
        """
        ad = await ad_rows.lock(self.transaction, self.ad.id)
        if ad is None:
            raise errors.AdNotFoundError
        await image_rows.lock_share_owner(self.transaction, self.ad.author_id)
        if self.expected.versions is not None:
            self.expected.require(await self._version())
        return ad.status, await image_rows.of_ad(self.transaction, self.ad.id)

    async def _version(self) -> str:
        return (await ad_rows.written(self.transaction, self.actor.id, self.ad.id)).version

    async def _written(self) -> Written:
        """All pictures, and the version of the ad."""
        return Written(await image_rows.record(self.transaction, self.ad.id), await self._version())

    async def _changed(self, event: AuditKind) -> None:
        await image_rows.sync_ad(self.transaction, self.ad.id)
        if self.ad.status in {AdStatus.SUSPENDED, AdStatus.REMOVED}:
            move_afterwards(self.transaction, self.store)
        self.transaction.announce_change(AdChange.presentation_only(self.ad.id).invalidation)
        actor, ad = self.actor.id, self.ad
        audit.record_foreign(
            self.transaction, event, actor=actor, ad_id=ad.id, owner_id=ad.author_id
        )


# The name of its lock, as of a regular job.
JOB = "images rebuild"


class Outcome(NamedTuple):
    name: str
    # Why the picture still lacks variants.
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Rebuilding:
    """Makes variants for pictures that were stored without some of them.

    It runs beside a service, and can be repeated: each picture is done once, and a failed one is
    tried again the next time. Only one process runs it: a second one would remove the files of the
    first.
    """

    database: Database
    settings: Settings
    store: ImageStore
    pool: ProcessPool
    reserve: DiskReserve

    async def left(self) -> int:
        async with self.database.autocommit() as session:
            return await image_rows.count_without_variants(session)

    async def run(self) -> AsyncGenerator[Outcome, None]:
        """Rebuilds as many pictures at once as there are processes for pictures.

        Raises what makes the rest useless: no store, no database, no room on the disk, or another
        run.
        """
        async with self.database.lasting_transaction() as locking:
            # The lock is the transaction's, which is idle while pictures have others of their own.
            if not await job_rows.lock(locking, JOB):
                raise errors.OperatorError(
                    "Another adsvc images rebuild is at work. Let it end first."
                )
            async for outcome in self._rebuild_all(locking):
                yield outcome

    async def _rebuild_all(self, locking: DatabaseSession) -> AsyncIterator[Outcome]:
        last = 0
        while True:
            await job_rows.keep_lock(locking)
            async with self.database.autocommit() as session:
                images = await image_rows.without_variants(
                    session, self.settings.image_workers, after=last
                )
            if not images:
                return
            await self.reserve.require()
            for outcome in await asyncio.gather(*map(self._rebuild, images)):
                yield outcome
            last = images[-1].id

    async def _rebuild(self, image: AdImage) -> Outcome:
        try:
            picture = await self._read(image.name)
        except (
            errors.PictureMissingError,
            errors.InvalidImageError,
            errors.UnsupportedImageError,
        ) as error:
            return Outcome(image.name, error.detail)
        # The content of a name never changes: an older picture lacks `SHARE` only.
        files = {
            variant_name(image.name, key): data
            for key, data in picture.variants.items()
            if key == SHARE or not image.has_variants
        }
        await self.store.put_all(files)
        if not await self._record(image, picture, sum(map(len, files.values()))):
            # The ad was deleted, or the picture was replaced.
            await self.store.delete_all(list(files))
        return Outcome(image.name)

    async def _read(self, name: str) -> Picture:
        """Only its variants are used: the picture of a name never changes."""
        image = await self.store.open(name)
        with tempfile.NamedTemporaryFile(prefix="adsvc-rebuild-") as file:
            async for chunk in image.chunks(0, image.size):
                await asyncio.to_thread(file.write, chunk)
            await asyncio.to_thread(file.flush)
            with self.pool.slot() as slot:
                return await decoded(slot, self._as_stored, Path(file.name), variants=True)

    @property
    def _as_stored(self) -> Settings:
        """Settings that do not reduce the picture again, even if the limits are lower now."""
        largest = {"image_max_side": MAX_SIDE, "image_max_pixels": MAX_SIDE**2}
        return self.settings.model_copy(update=largest)

    async def _record(self, image: AdImage, picture: Picture, added: int) -> bool:
        """`added` in bytes. False if no row names the picture any more."""
        async with self.database.transaction() as transaction:
            if await ad_rows.lock(transaction, image.ad_id) is None:
                return False
            if not await image_rows.rebuilt(
                transaction, row_of(StoredImage.of(image.name, picture)), image.id
            ):
                return False
            await image_rows.sync_thumbnail(transaction, image.ad_id, image.name)
            await image_rows.grow(transaction, image.name, added)
            transaction.announce_change(AdChange.presentation_only(image.ad_id).invalidation)
        return True
