"""Backup stores by their addresses: directories and buckets."""

import asyncio
import os
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from adsvc.errors import ImageNotFoundError, ImageStoreUnavailableError, OperatorError
from adsvc.process.offload import in_thread
from adsvc.settings import S3_SCHEME, Settings
from adsvc.storage.local import sync_directories, write_all
from adsvc.storage.opening import open_backup_bucket
from adsvc_ops.backup.directory import (
    LOCK,
    BackupDirectory,
    disk_faults,
    locked_directory,
    make_directory,
    private_files,
)
from adsvc_ops.backup.store import GENERATION, BackupStore
from adsvc_ops.backup.vault import VAULT, Vault

if TYPE_CHECKING:
    from adsvc.storage.s3 import S3Bucket

# Larger than any object that this program writes.
LARGEST = 256 * 1024 * 1024
# S3 deletes so many by one request.
DELETED_AT_ONCE = 1000
# A command that writes into a bucket owns this object and changes it with each heartbeat. After a
# longer silence it counts as dead. Clocks are not compared.
LOCK_OBJECT = "lock"
HEARTBEAT_SECONDS = 10.0
SILENCE_SECONDS = 45.0


class LocalObjects:
    """Files below a directory that only its owner can read."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory.absolute()
        self.location = str(self._directory)

    async def prepare(self) -> None:
        with disk_faults(self._directory), private_files():
            make_directory(self._directory)
            if not any(self._directory.iterdir()):
                (self._directory / LOCK).touch(mode=0o600)

    @asynccontextmanager
    async def locked(self, *, exclusive: bool) -> AsyncIterator[None]:
        with locked_directory(self._directory, exclusive=exclusive):
            yield

    async def read(self, name: str) -> bytes | None:
        try:
            return await asyncio.to_thread((self._directory / name).read_bytes)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            message = f"{self._directory / name} cannot be read: {error.strerror}."
            raise OperatorError(message) from error

    async def write(self, name: str, data: bytes, *, new: bool = False) -> None:
        path = self._directory / name
        if new and path.exists():
            return

        def write() -> None:
            if not path.parent.is_dir():
                path.parent.mkdir(parents=True, exist_ok=True)
                sync_directories([path.parent.parent])
            write_all({path: data})

        with disk_faults(self._directory):
            await in_thread(write)

    async def names(self, below: str) -> AsyncGenerator[list[str], None]:
        def found() -> list[str]:
            top = self._directory / below
            return [
                os.path.join(place, name).removeprefix(f"{self._directory}/")  # noqa: PTH118
                for place, _, names in os.walk(top)
                for name in names
                # The lock and temporary files.
                if not name.startswith(".")
            ]

        yield await asyncio.to_thread(found)

    async def delete(self, names: Sequence[str]) -> None:
        def delete() -> None:
            paths = [self._directory / name for name in names]
            for path in paths:
                path.unlink(missing_ok=True)
            for parent in {path.parent for path in paths}:
                with suppress(OSError):
                    parent.rmdir()

        with disk_faults(self._directory):
            await asyncio.to_thread(delete)


class BucketObjects:
    """Objects below the prefix of a bucket. The object `lock` lets one command write at a time."""

    def __init__(self, bucket: "S3Bucket", location: str) -> None:
        self._bucket = bucket
        self.location = location
        self._lost = False

    async def prepare(self) -> None:
        """Operators make the bucket."""

    @asynccontextmanager
    async def locked(self, *, exclusive: bool) -> AsyncIterator[None]:
        if not exclusive:
            yield
            return
        holder = secrets.token_hex(16)
        await self._take(f"{holder} 0".encode())
        heartbeats = asyncio.create_task(self._send_heartbeats(holder))
        try:
            yield
        finally:
            heartbeats.cancel()
            await asyncio.gather(heartbeats, return_exceptions=True)
            if not self._lost:
                await self.delete([LOCK_OBJECT])

    async def _take(self, mine: bytes) -> None:
        """Takes over a lock without a heartbeat for long enough: its command was killed."""
        await self.write(LOCK_OBJECT, mine, new=True)
        seen = await self.read(LOCK_OBJECT)
        waited = 0.0
        while seen != mine:
            await asyncio.sleep(HEARTBEAT_SECONDS / 4)
            waited += HEARTBEAT_SECONDS / 4
            found = await self.read(LOCK_OBJECT)
            if found is None:
                await self.write(LOCK_OBJECT, mine, new=True)
            elif found != seen:
                raise OperatorError(f"Another command uses {self.location} now. Try again later.")
            elif waited >= SILENCE_SECONDS:
                await self.write(LOCK_OBJECT, mine)
            else:
                continue
            await asyncio.sleep(HEARTBEAT_SECONDS / 4)
            # Several commands may have taken it over at once; the last writer has it.
            seen, waited = await self.read(LOCK_OBJECT), 0.0

    async def _send_heartbeats(self, holder: str) -> None:
        beats = 0
        while not self._lost:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            with suppress(OperatorError):
                found = await self.read(LOCK_OBJECT)
                if found is None or not found.startswith(holder.encode()):
                    self._lost = True
                    return
                beats += 1
                await self.write(LOCK_OBJECT, f"{holder} {beats}".encode())

    async def read(self, name: str) -> bytes | None:
        with self._faults("read"):
            try:
                return await self._bucket.read_all(name, most=LARGEST)
            except ImageNotFoundError:
                return None

    async def write(self, name: str, data: bytes, *, new: bool = False) -> None:
        if self._lost:
            raise OperatorError(
                f"Another command has taken over {self.location}, as this one sent no heartbeat."
            )
        with self._faults("written"):
            if new:
                await self._bucket.write_new(name, data)
            else:
                await self._bucket.write(name, data, {})

    async def names(self, below: str) -> AsyncGenerator[list[str], None]:
        pages = self._bucket.pages(below.rstrip("/"))
        while True:
            with self._faults("read"):
                page = await anext(pages, None)
            if page is None:
                return
            yield [name for name, _ in page if name != LOCK_OBJECT]

    async def delete(self, names: Sequence[str]) -> None:
        with self._faults("written"):
            for start in range(0, len(names), DELETED_AT_ONCE):
                await self._bucket.delete(names[start : start + DELETED_AT_ONCE])

    @contextmanager
    def _faults(self, done: str) -> Iterator[None]:
        try:
            yield
        except ImageStoreUnavailableError as error:
            cause = error.__cause__ or error
            raise OperatorError(f"{self.location} cannot be {done}: {cause}") from error


def open_place(address: str, key: bytes | None, settings: Settings) -> BackupStore:
    """`address` is a directory, or `s3://bucket/prefix`, where backups are always encrypted."""
    if address.startswith(S3_SCHEME):
        if key is None:
            raise OperatorError(
                "Backups in a bucket are encrypted: name their key with --key-file. "
                "To make one: adsvc backup-key FILE"
            )
        return Vault(BucketObjects(open_backup_bucket(settings, address), address), key)
    path = Path(address).absolute()
    if key is not None:
        return Vault(LocalObjects(path), key)
    if (path / VAULT).exists():
        raise OperatorError(f"The backups in {path} are encrypted: name their key with --key-file.")
    return BackupDirectory(path)


def split_address(address: str) -> tuple[str, str | None]:
    """The address of the store, and the generation if the address names one."""
    place, _, name = address.rstrip("/").rpartition("/")
    if GENERATION.fullmatch(name):
        return place or ".", name
    return address.rstrip("/") or "/", None


def require_elsewhere(address: str, settings: Settings) -> None:
    """An `OperatorError` if the backups would be lost together with the data."""
    if address.startswith(S3_SCHEME):
        ours = f"{settings.image_store.rstrip('/')}/"
        theirs = f"{address.rstrip('/')}/"
        if settings.backup_s3_endpoint in {None, settings.s3_endpoint} and (
            ours.startswith(theirs) or theirs.startswith(ours)
        ):
            raise OperatorError(
                f"{address} is where the pictures are. Name another prefix, in another bucket "
                "at best."
            )
        return
    data = settings.data_dir.resolve()
    if Path(address).resolve().is_relative_to(data):
        raise OperatorError(
            f"{Path(address).absolute()} is inside ADSVC_DATA_DIR, {data}, with which it would be "
            "lost. Name a directory elsewhere, on another disk at best."
        )


async def resolve_generation(place: BackupStore, generation: str | None) -> str:
    """That generation, or the newest one."""
    generations = await place.generations()
    if generation is not None and generation in generations:
        return generation
    if generation is not None or not generations:
        raise OperatorError(f"There is no complete backup in {place.where(generation or '')}.")
    return generations[-1]
