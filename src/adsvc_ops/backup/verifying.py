"""Compares backups with their digests, and the pictures of the site with their rows."""

import asyncio
import hashlib
import os
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adsvc.bulkheads.pools import ProcessPool, WorkFailedError
from adsvc.db.database import Database
from adsvc.errors import ImageNotFoundError, InvalidImageError, OperatorError
from adsvc.pictures.sandbox import CheckedPicture, check_confined, confine, parse_checked
from adsvc.settings import Settings
from adsvc.storage import ImageStore
from adsvc.storage.protocol import content_of
from adsvc_ops.backup.database import BackupQueries, NamedPicture, picture_named
from adsvc_ops.backup.store import (
    DUMP,
    LIST,
    Advance,
    BackupStore,
    DamagedError,
    Manifest,
    Progress,
    StoredFile,
    digest_of,
    in_order,
    shards_of,
)

# Each of them in memory.
PICTURES_AT_ONCE = 16


async def faults(
    place: BackupStore, generations: Sequence[str], progress: Progress
) -> AsyncGenerator[str, None]:
    """Sentences about what is missing or not as it was written.

    A picture of several generations is read once.
    """
    sound: list[tuple[str, Manifest]] = []
    for generation in generations:
        try:
            manifest = await place.manifest(generation)
        except OperatorError as error:
            yield str(error)
            continue
        found = [fault async for fault in _faults_of(place, generation, manifest, progress)]
        for fault in found:
            yield fault
        if not found:
            sound.append((generation, manifest))
    advance = progress("Reading pictures", sum(manifest.pictures for _, manifest in sound))
    async with aclosing(_picture_faults(place, sound, advance)) as damaged:
        async for fault in damaged:
            yield fault


async def _faults_of(
    place: BackupStore, generation: str, manifest: Manifest, progress: Progress
) -> AsyncIterator[str]:
    advance = progress(f"Reading {generation}", None)
    for file in (DUMP, LIST):
        wanted = manifest.files.get(file)
        if wanted is None:
            yield f"{place.where(generation)}: the manifest does not name {file}."
            continue
        try:
            async for chunk in whole(place, generation, file, wanted):
                advance(0, len(chunk))
        except OperatorError as error:
            yield str(error)


async def _picture_faults(
    place: BackupStore, generations: Sequence[tuple[str, Manifest]], advance: Advance
) -> AsyncGenerator[str, None]:
    known: dict[str, set[str]] = {}

    async def reading() -> AsyncIterator[Coroutine[Any, Any, str | None]]:
        for generation, manifest in generations:
            async for shard, digests in pictures_of(place, generation, manifest):
                read = known.setdefault(shard, set())
                new = [name for name in digests if name not in read]
                read.update(new)
                advance(len(digests) - len(new), 0)
                for name in new:
                    yield _fault_of(place, name, digests[name], advance)

    async with aclosing(in_order(reading(), PICTURES_AT_ONCE)) as found:
        async for fault in found:
            if fault is not None:
                yield fault


async def _fault_of(place: BackupStore, name: str, digest: str, advance: Advance) -> str | None:
    try:
        advance(1, len(await picture(place, name, digest)))
    except DamagedError as error:
        return str(error)
    return None


async def picture(place: BackupStore, name: str, digest: str) -> bytes:
    """Raises `DamagedError` if its digest differs."""
    content = await place.picture(name)
    if await asyncio.to_thread(digest_of, content) != digest:
        raise DamagedError(f"{place.where_picture(name)} is not as it was written.")
    return content


async def whole(
    place: BackupStore, generation: str, file: str, wanted: StoredFile
) -> AsyncGenerator[bytes, None]:
    """The file. Raises `DamagedError` at its end if its digest differs."""
    digest = hashlib.sha256()
    async with aclosing(place.read(generation, file, wanted.bytes)) as chunks:
        async for chunk in chunks:
            await asyncio.to_thread(digest.update, chunk)
            yield chunk
    if digest.hexdigest() != wanted.sha256:
        raise DamagedError(f"{place.where(generation, file)} is not as it was written.")


async def pictures_of(
    place: BackupStore, generation: str, manifest: Manifest
) -> AsyncGenerator[tuple[str, dict[str, str]], None]:
    """Shard by shard, names and digests."""
    async with aclosing(place.read(generation, LIST, manifest.files[LIST].bytes)) as chunks:
        async for shard in shards_of(chunks, place.where(generation, LIST)):
            yield shard


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
        # The row may have been deleted or changed meanwhile, and the picture with it.
        if fault is None or await self._row(row.name) != row:
            return None
        return fault

    async def _row(self, name: str) -> NamedPicture | None:
        return await picture_named(self.database.reader, name)

    async def _fault_now(self, pool: ProcessPool, row: NamedPicture) -> str | None:
        sizes: dict[str, int] = {}
        for name in row.files():
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


async def _examined(pool: ProcessPool, content: bytes) -> CheckedPicture:
    with tempfile.NamedTemporaryFile(prefix="adsvc-verify-") as file:
        await asyncio.to_thread(file.write, content)
        await asyncio.to_thread(file.flush)
        with pool.slot() as slot:
            return parse_checked(await slot.run(check_confined, file=Path(file.name)))


def _difference(row: NamedPicture, name: str, found: CheckedPicture) -> str | None:
    if found.extension != name.rpartition(".")[2]:
        return f"{name} has another format, {found.extension}."
    size = (found.width, found.height)
    if name == row.name and row.width is not None and size != (row.width, row.height):
        return f"{name} has {size[0]} by {size[1]} pixels, its row {row.width} by {row.height}."
    return None


def _size_fault(row: NamedPicture, sizes: Mapping[str, int]) -> str | None:
    total = sum(sizes.values())
    if row.bytes is None or row.bytes == total:
        return None
    return f"{row.name} has {total} bytes with its variants, its row {row.bytes}."
