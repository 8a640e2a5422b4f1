"""Backup stores by their addresses: directories and buckets."""

import asyncio
import os
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from adsvc.errors import ImageNotFoundError, ImageStoreUnavailableError, OperatorError
from adsvc.process.cancellation import in_thread
from adsvc.settings import S3_SCHEME, Settings
from adsvc.storage.local import sync_directories, write_all
from adsvc.storage.opening import open_backup_bucket
from adsvc_ops.backup.directory import (
    LOCK,
    BackupDirectory,
    locked_directory,
    make_directory,
    private,
    written,
)
from adsvc_ops.backup.store import GENERATION, BackupStore
from adsvc_ops.backup.vault import VAULT, Vault

if TYPE_CHECKING:
    from adsvc.storage.s3 import S3Bucket

# Far more than any object of ours has, and less than fills the memory.
LARGEST = 256 * 1024 * 1024
# S3 deletes so many by one request.
DELETED_AT_ONCE = 1000
# A command that writes into a bucket has this object, changes it so often, and is taken for dead
# when it has not for so long. Clocks are not compared.
TURN = "lock"
BEAT_SECONDS = 10.0
SILENCE_SECONDS = 45.0


class LocalObjects:
    """Files below a directory, which is their owner's alone."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory.absolute()
        self.location = str(self._directory)

    async def prepare(self) -> None:
        with written(self._directory), private():
            make_directory(self._directory)
            if not any(self._directory.iterdir()):
                (self._directory / LOCK).touch(mode=0o600)

    @asynccontextmanager
    async def locked(self, *, alone: bool) -> AsyncIterator[None]:
        with locked_directory(self._directory, alone=alone):
            yield

    async def read(self, name: str) -> bytes | None:
        try:
            return await asyncio.to_thread((self._directory / name).read_bytes)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            told = f"{self._directory / name} cannot be read: {error.strerror}."
            raise OperatorError(told) from error

    async def write(self, name: str, data: bytes, *, new: bool = False) -> None:
        path = self._directory / name
        if new and path.exists():
            return

        def write() -> None:
            if not path.parent.is_dir():
                path.parent.mkdir(parents=True, exist_ok=True)
                sync_directories([path.parent.parent])
            write_all({path: data})

        with written(self._directory):
            await in_thread(write)

    async def names(self, below: str) -> AsyncGenerator[list[str], None]:
        def found() -> list[str]:
            top = self._directory / below
            return [
                os.path.join(place, name).removeprefix(f"{self._directory}/")  # noqa: PTH118
                for place, _, names in os.walk(top)
                for name in names
                # The lock, and what was half written.
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

        with written(self._directory):
            await asyncio.to_thread(delete)


class BucketObjects:
    """Objects below the prefix of a bucket. One command writes at a time, by the object `lock`."""

    def __init__(self, bucket: "S3Bucket", location: str) -> None:
        self._bucket = bucket
        self.location = location
        self._lost = False

    async def prepare(self) -> None:
        """The bucket is the operator's to make."""

    @asynccontextmanager
    async def locked(self, *, alone: bool) -> AsyncIterator[None]:
        if not alone:
            yield
            return
        holder = secrets.token_hex(16)
        await self._take(f"{holder} 0".encode())
        beating = asyncio.create_task(self._beat(holder))
        try:
            yield
        finally:
            beating.cancel()
            await asyncio.gather(beating, return_exceptions=True)
            if not self._lost:
                await self.delete([TURN])

    async def _take(self, mine: bytes) -> None:
        """A lock whose holder has shown no life for long enough is a killed command's."""
        await self.write(TURN, mine, new=True)
        seen = await self.read(TURN)
        waited = 0.0
        while seen != mine:
            await asyncio.sleep(BEAT_SECONDS / 4)
            waited += BEAT_SECONDS / 4
            found = await self.read(TURN)
            if found is None:
                await self.write(TURN, mine, new=True)
            elif found != seen:
                raise OperatorError(f"Another command uses {self.location} now. Try again later.")
            elif waited >= SILENCE_SECONDS:
                await self.write(TURN, mine)
            else:
                continue
            await asyncio.sleep(BEAT_SECONDS / 4)
            # Of several that took it over at once one has it.
            seen, waited = await self.read(TURN), 0.0

    async def _beat(self, holder: str) -> None:
        beats = 0
        while not self._lost:
            await asyncio.sleep(BEAT_SECONDS)
            with suppress(OperatorError):
                found = await self.read(TURN)
                if found is None or not found.startswith(holder.encode()):
                    self._lost = True
                    return
                beats += 1
                await self.write(TURN, f"{holder} {beats}".encode())

    async def read(self, name: str) -> bytes | None:
        with self._faults("read"):
            try:
                return await self._bucket.read_all(name, most=LARGEST)
            except ImageNotFoundError:
                return None

    async def write(self, name: str, data: bytes, *, new: bool = False) -> None:
        if self._lost:
            raise OperatorError(
                f"Another command has taken over {self.location}, as this one was silent."
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
            yield [name for name, _ in page if name != TURN]

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
    """A directory, or `s3://bucket/prefix`, which takes encrypted backups alone."""
    if address.startswith(S3_SCHEME):
        if key is None:
            raise OperatorError(
                "Backups in a bucket are encrypted: name their key by --key-file. "
                "To make one: adsvc backup-key FILE"
            )
        return Vault(BucketObjects(open_backup_bucket(settings, address), address), key)
    path = Path(address).absolute()
    if key is not None:
        return Vault(LocalObjects(path), key)
    if (path / VAULT).exists():
        raise OperatorError(f"The backups in {path} are encrypted: name their key by --key-file.")
    return BackupDirectory(path)


def parted(address: str) -> tuple[str, str | None]:
    """The place, and the generation in it if the address is that of one."""
    place, _, name = address.rstrip("/").rpartition("/")
    if GENERATION.fullmatch(name):
        return place or ".", name
    return address.rstrip("/") or "/", None


def require_elsewhere(address: str, settings: Settings) -> None:
    """Backups that are lost with what they are of are none."""
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


async def located(place: BackupStore, generation: str | None) -> str:
    """That generation, or the newest of the place."""
    generations = await place.generations()
    if generation is not None and generation in generations:
        return generation
    if generation is not None or not generations:
        raise OperatorError(f"There is no whole backup in {place.where(generation or '')}.")
    return generations[-1]
