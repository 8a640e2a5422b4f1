"""Makes variants for pictures that were stored without some of them.

It runs beside a service, and can be repeated: each picture is done once, and a failed one is tried
again the next time. Only one process runs it: a second one would remove the files of the first.
"""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from adsvc import errors
from adsvc.invalidation import AdChange
from adsvc.kit.bulkheads.pools import ProcessPool
from adsvc.kit.bulkheads.uploads import DiskReserve
from adsvc.kit.db.database import Database, DatabaseSession
from adsvc.kit.pictures.containers import MAX_SIDE, SHARE, Picture, variant_name
from adsvc.kit.storage import ImageStore
from adsvc.models.ads import AdImage
from adsvc.repositories import images as image_rows
from adsvc.repositories.ads import writes as ad_rows
from adsvc.repositories.operation import jobs as job_rows
from adsvc.services.images import StoredImage, decoded, row_of
from adsvc.settings import Settings

# The name of its lock, as of a regular job.
JOB = "images rebuild"


class Outcome(NamedTuple):
    name: str
    # Why the picture still lacks variants.
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Rebuilding:
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
