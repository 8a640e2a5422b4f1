"""Backups in a directory, unencrypted: only the owner of the directory can read them.

It contains the pictures of all backups once, and a directory for each backup, its generation:

```
.lock                       locked while a command reads or writes here
pictures/ab/ab….jpg         the pictures and their owner (`.installation`), as in an image store
digests/ab                  the digests of those in pictures/ab
20261122T140330Z/
    database.dump           by pg_dump, in its custom format
    pictures.sha256         the pictures that its rows name, as `sha256sum --check` reads it
    manifest.json           the digests of the other two, and what a restore needs to know
.20261122T150000Z.partial/  a generation that is being made, or was when the backup was killed
```
"""

import asyncio
import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from pathlib import Path

from adsvc.errors import ImageStoreUnavailableError, OperatorError
from adsvc.storage import LocalImageStore
from adsvc.storage.local import sync_directories, unlinked, write_all
from adsvc_ops.backup.store import (
    GENERATION,
    MANIFEST,
    DamagedError,
    Manifest,
    StoredFile,
    new_generation,
    parsed,
    rendered,
)

PICTURES, DIGESTS, LOCK = "pictures", "digests", ".lock"
PARTIAL = re.compile(r"\.[0-9]{8}T[0-9]{6}Z\.(partial|removed)")
CHUNK_BYTES = 1024 * 1024


class BackupDirectory:
    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.pictures = LocalImageStore(self.path / PICTURES)

    @property
    def location(self) -> str:
        return str(self.path)

    async def prepare(self) -> None:
        """Makes it, for its owner alone, or raises an `OperatorError` with the reason."""
        with disk_faults(self.path), private_files():
            make_directory(self.path)
            if not (self.path / PICTURES).is_dir() and any(self.path.iterdir()):
                raise OperatorError(
                    f"{self.path} is not empty and contains no backups. Name another directory."
                )
            (self.path / LOCK).touch(mode=0o600)
            (self.path / DIGESTS).mkdir(exist_ok=True)
            self.pictures.prepare()
            # Before 0.3 these two were readable by others.
            for name in (DIGESTS, PICTURES):
                (self.path / name).chmod(0o700)

    @asynccontextmanager
    async def locked(self, *, exclusive: bool) -> AsyncIterator[None]:
        with locked_directory(self.path, exclusive=exclusive):
            yield

    async def claim(self, owner: str) -> str:
        with disk_faults(self.path):
            return await self.pictures.claim(owner)

    async def generations(self) -> list[str]:
        if not self.path.is_dir():
            return []
        return sorted(path.name for path in self.path.iterdir() if GENERATION.fullmatch(path.name))

    async def leftovers(self) -> list[str]:
        return [str(path) for path in self._leftovers()]

    def _leftovers(self) -> list[Path]:
        return sorted(path for path in self.path.iterdir() if PARTIAL.fullmatch(path.name))

    def where(self, generation: str, file: str = "") -> str:
        return str(self.path / generation / file)

    def where_picture(self, name: str) -> str:
        return str(self.pictures.path(name))

    async def manifest(self, generation: str) -> Manifest:
        path = self.path / generation / MANIFEST
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise OperatorError(f"There is no {path}: the backup is incomplete.") from None
        except OSError as error:
            raise OperatorError(f"{path} cannot be read: {error.strerror}.") from error
        return Manifest.read(content, str(path))

    async def read(self, generation: str, file: str, size: int) -> AsyncGenerator[bytes, None]:  # noqa: ARG002
        path = self.path / generation / file
        try:
            with path.open("rb") as opened:
                while chunk := await asyncio.to_thread(opened.read, CHUNK_BYTES):
                    yield chunk
        except OSError as error:
            raise _unreadable(path, error) from error

    async def begin(self) -> str:
        with disk_faults(self.path):
            for path in self._leftovers():
                await asyncio.to_thread(shutil.rmtree, path)
            generation = new_generation(await self.generations())
            self._partial(generation).mkdir(mode=0o700)
            return generation

    def _partial(self, generation: str) -> Path:
        return self.path / f".{generation}.partial"

    async def write(self, generation: str, file: str, chunks: AsyncIterator[bytes]) -> StoredFile:
        digest, size = hashlib.sha256(), 0
        with disk_faults(self.path), (self._partial(generation) / file).open("xb") as opened:

            def add(chunk: bytes) -> None:
                opened.write(chunk)
                digest.update(chunk)

            async for chunk in chunks:
                await asyncio.to_thread(add, chunk)
                size += len(chunk)
            opened.flush()
            await asyncio.to_thread(os.fsync, opened.fileno())
        return StoredFile(bytes=size, sha256=digest.hexdigest())

    async def finish(self, generation: str, manifest: Manifest) -> None:
        """Also after a power cut."""
        partial = self._partial(generation)
        with disk_faults(self.path):
            write_all({partial / MANIFEST: manifest.rendered()})
            sync_directories([partial])
            partial.rename(self.path / generation)
            sync_directories([self.path])

    async def discard(self, generation: str) -> None:
        with suppress(OSError):
            await asyncio.to_thread(shutil.rmtree, self._partial(generation))

    async def remove(self, generations: Sequence[str]) -> None:
        with disk_faults(self.path):
            for generation in generations:
                # If this is killed, nothing that looks like a backup remains.
                removed = self.path / f".{generation}.removed"
                (self.path / generation).rename(removed)
                await asyncio.to_thread(shutil.rmtree, removed)

    async def known_digests(self, shard: str) -> dict[str, str]:
        return await asyncio.to_thread(self._known_digests, shard)

    def _known_digests(self, shard: str) -> dict[str, str]:
        path = self.path / DIGESTS / shard
        if not path.exists():
            return {}
        present = self._files(shard)
        lines = parsed(path.read_bytes(), str(path))
        return {name: digest for name, digest in lines if name in present}

    async def write_digests(self, shard: str, digests: Mapping[str, str]) -> None:
        with disk_faults(self.path):
            await asyncio.to_thread(write_all, {self.path / DIGESTS / shard: rendered(digests)})

    async def retain_pictures(self, shard: str, names: Collection[str]) -> None:
        digests = await self.known_digests(shard)
        gone = [name for name in self._files(shard) if name not in names]
        if gone:
            kept = {name: digests[name] for name in digests if name in names}
            await self.write_digests(shard, kept)
            await asyncio.to_thread(unlinked, self.path / PICTURES / shard, gone)

    def _files(self, shard: str) -> set[str]:
        directory = self.path / PICTURES / shard
        with suppress(FileNotFoundError), os.scandir(directory) as entries:
            return {entry.name for entry in entries}
        return set()

    async def put(self, pictures: Mapping[str, bytes]) -> None:
        with disk_faults(self.path):
            await self.pictures.put_all(pictures)

    async def picture(self, name: str) -> bytes:
        path = self.pictures.path(name)
        try:
            return await asyncio.to_thread(path.read_bytes)
        except OSError as error:
            raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> DamagedError:
    if isinstance(error, FileNotFoundError):
        return DamagedError(f"{path} is missing.")
    return DamagedError(f"{path} cannot be read: {error.strerror}.")


def make_directory(path: Path) -> None:
    path.mkdir(mode=0o700, parents=True, exist_ok=True)


@contextmanager
def private_files() -> Iterator[None]:
    """Files that this process makes during the block are readable by their owner alone."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def disk_faults(path: Path) -> Iterator[None]:
    """Faults of its disk during the block become an `OperatorError`."""
    try:
        yield
    except (OSError, ImageStoreUnavailableError) as error:
        cause = error.__cause__ or error
        reason = getattr(cause, "strerror", None) or cause
        raise OperatorError(f"{path} cannot be written: {reason}.") from error


@contextmanager
def locked_directory(path: Path, *, exclusive: bool) -> Iterator[None]:
    """By its file `.lock`. An `exclusive` lock is for writing; files made under it are private."""
    try:
        descriptor = os.open(path / LOCK, os.O_RDONLY)
    except FileNotFoundError:
        raise OperatorError(f"{path} contains no backups.") from None
    except OSError as error:
        raise OperatorError(f"{path} cannot be read: {error.strerror}.") from error
    try:
        _lock(descriptor, path, exclusive=exclusive)
        with private_files() if exclusive else nullcontext():
            yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: Path, *, exclusive: bool) -> None:
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OperatorError(f"Another command uses {path} now. Try again later.") from None
