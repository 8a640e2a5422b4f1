"""Compares backups with their digests, and the pictures of the site with their rows."""

import asyncio
import hashlib
import random
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from adsvc.errors import InvalidImageError, OperatorError, PictureMissingError
from adsvc.kit.bulkheads.pools import ProcessPool, WorkFailedError
from adsvc.kit.db.database import Database
from adsvc.kit.pictures.sandbox import CheckedPicture, check_confined, parse_checked
from adsvc.kit.storage import ImageStore
from adsvc.kit.storage.protocol import content_of
from adsvc.services.images import picture_pool
from adsvc.settings import Settings
from adsvc_ops.backup import plain
from adsvc_ops.backup.database import BackupQueries, NamedPicture, picture_named
from adsvc_ops.backup.plain import (
    DUMP,
    LIST,
    Advance,
    DamagedError,
    Manifest,
    Progress,
    StoredFile,
)

PICTURES_AT_ONCE = 16


async def faults(backups: Sequence[Path], progress: Progress) -> AsyncGenerator[str, None]:
    """Sentences about what is missing or not as it was written.

    A picture of several backups is read once.
    """
    sound: list[tuple[Path, Manifest]] = []
    for backup in backups:
        try:
            manifest = Manifest.of(backup)
        except OperatorError as error:
            yield str(error)
            continue
        found = [fault async for fault in _faults_of(backup, manifest, progress)]
        for fault in found:
            yield fault
        if not found:
            sound.append((backup, manifest))
    advance = progress("Reading pictures", sum(manifest.pictures for _, manifest in sound))
    # By their files, which links share, and digests.
    known: set[tuple[int, str]] = set()
    for backup, _ in sound:
        async for fault in _picture_faults(backup, known if len(sound) > 1 else None, advance):
            yield fault


async def _faults_of(backup: Path, manifest: Manifest, progress: Progress) -> AsyncIterator[str]:
    progress(f"Reading {backup.name}", None)
    for file in (DUMP, LIST):
        wanted = manifest.files.get(file)
        if wanted is None:
            yield f"{backup}: the manifest does not name {file}."
            continue
        try:
            async for _ in whole(backup / file, wanted):
                pass
        except OperatorError as error:
            yield str(error)


async def _picture_faults(
    backup: Path, known: set[tuple[int, str]] | None, advance: Advance
) -> AsyncIterator[str]:
    pictures = backup / plain.PICTURES

    def fault_of(name: str, digest: str) -> str | None:
        path, size = pictures / plain.shard_of(name) / name, 0
        try:
            identity = (path.stat().st_ino, digest)
            if known is None or identity not in known:
                size = len(picture(path, digest))
        except OSError as error:
            return str(plain.unreadable(path, error))
        except DamagedError as error:
            return str(error)
        if known is not None:
            known.add(identity)
        advance(1, size)
        return None

    async for _, digests in plain.listed(backup / LIST):
        for names in plain.batched(list(digests), PICTURES_AT_ONCE):
            reading = [asyncio.to_thread(fault_of, name, digests[name]) for name in names]
            for fault in await asyncio.gather(*reading):
                if fault is not None:
                    yield fault


def picture(path: Path, digest: str) -> bytes:
    """Raises `DamagedError` if its digest differs."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise plain.unreadable(path, error) from error
    if plain.digest_of(content) != digest:
        raise DamagedError(f"{path} is not as it was written.")
    return content


async def whole(path: Path, wanted: StoredFile) -> AsyncGenerator[bytes, None]:
    """The file. Raises `DamagedError` at its end if its digest differs."""
    digest = hashlib.sha256()
    async for chunk in plain.read(path):
        await asyncio.to_thread(digest.update, chunk)
        yield chunk
    if digest.hexdigest() != wanted.sha256:
        raise DamagedError(f"{path} is not as it was written.")


@dataclass(frozen=True, slots=True)
class SiteCheck:
    database: Database
    settings: Settings
    store: ImageStore
    progress: Progress
    # How many of a hundred pictures are read, chosen at random.
    percent: float = 100.0

    async def faults(self) -> AsyncIterator[str]:
        """A sentence for each picture that is missing, damaged or not as its row has it."""
        pool = picture_pool(self.settings, queue=self.settings.image_workers)
        try:
            async with self.database.transaction() as transaction:
                rows = BackupQueries(transaction)
                read = round(await rows.count_pictures() * self.percent / 100)
                advance = self.progress("Reading pictures", read)
                sample = (row async for row in rows.pictures() if self._is_chosen())
                async for batch in _batches(sample, self.settings.image_workers):
                    for fault in await asyncio.gather(*(self._fault(pool, row) for row in batch)):
                        if fault is not None:
                            yield fault
                    advance(len(batch), sum(row.bytes or 0 for row in batch))
        finally:
            await pool.close()

    def _is_chosen(self) -> bool:
        return random.random() * 100 < self.percent  # noqa: S311 - nothing to guess

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
            except PictureMissingError:
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
