"""Holds the pictures of the site against the rows that name them, beside a running service."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from adsvc.bulkheads.pools import ProcessPool, WorkFailedError
from adsvc.db.database import Database
from adsvc.errors import ImageNotFoundError, InvalidImageError
from adsvc.pictures.sandbox import Examined, confine, examine_confined, examined
from adsvc.settings import Settings
from adsvc.storage import ImageStore
from adsvc.storage.protocol import content_of
from adsvc_ops.backup.database import BackupQueries, NamedPicture, picture_named
from adsvc_ops.backup.pictures import Progress, files_named


@dataclass(frozen=True, slots=True)
class SiteCheck:
    database: Database
    settings: Settings
    store: ImageStore
    progress: Progress

    async def faults(self) -> AsyncIterator[str]:
        """A sentence for each picture that is missing, damaged or not as its row has it."""
        pool = ProcessPool(
            workers=self.settings.image_workers,
            queue=self.settings.image_workers,
            seconds=self.settings.image_seconds,
            prepare=(confine, (self.settings.image_memory_bytes, os.getpid())),
        )
        try:
            async with self.database.transaction() as transaction:
                rows = BackupQueries(transaction.session)
                advance = self.progress("Reading pictures", await rows.count_pictures())
                async for batch in _batches(rows.pictures(), self.settings.image_workers):
                    for fault in await asyncio.gather(*(self._fault(pool, row) for row in batch)):
                        if fault is not None:
                            yield fault
                    advance(len(batch), sum(row.bytes or 0 for row in batch))
        finally:
            await pool.close()

    async def _fault(self, pool: ProcessPool, row: NamedPicture) -> str | None:
        fault = await self._fault_now(pool, row)
        # The row may have gone meanwhile, or changed, and the picture with it.
        if fault is None or await self._row(row.name) != row:
            return None
        return fault

    async def _row(self, name: str) -> NamedPicture | None:
        return await picture_named(self.database.reader, name)

    async def _fault_now(self, pool: ProcessPool, row: NamedPicture) -> str | None:
        sizes: dict[str, int] = {}
        for name in files_named(row):
            try:
                content = await content_of(self.store, name)
            except ImageNotFoundError:
                return f"{name} is missing."
            sizes[name] = len(content)
            try:
                found = await _examined(pool, content)
            except (InvalidImageError, WorkFailedError):
                return f"{name} cannot be decoded."
            fault = _difference(row, name, found)
            if fault is not None:
                return fault
        return _size_fault(row, sizes)


async def _batches(
    rows: AsyncIterator[NamedPicture], size: int
) -> AsyncIterator[Sequence[NamedPicture]]:
    batch: list[NamedPicture] = []
    async for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


async def _examined(pool: ProcessPool, content: bytes) -> Examined:
    with tempfile.NamedTemporaryFile(prefix="adsvc-verify-") as file:
        await asyncio.to_thread(file.write, content)
        await asyncio.to_thread(file.flush)
        with pool.slot() as slot:
            return examined(await slot.run(examine_confined, file=Path(file.name)))


def _difference(row: NamedPicture, name: str, found: Examined) -> str | None:
    if found.extension != name.rpartition(".")[2]:
        return f"{name} is a picture of another kind, {found.extension}."
    size = (found.width, found.height)
    if name == row.name and row.width is not None and size != (row.width, row.height):
        return f"{name} has {size[0]} by {size[1]} pixels, its row {row.width} by {row.height}."
    return None


def _size_fault(row: NamedPicture, sizes: Mapping[str, int]) -> str | None:
    total = sum(sizes.values())
    if row.bytes is None or row.bytes == total:
        return None
    return f"{row.name} has {total} bytes with its variants, its row {row.bytes}."
