"""The image store on a local directory, or one of a network file system."""

import asyncio
import os
import secrets
import time
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import aiofiles
import aiofiles.os
from aiofiles.threadpool.binary import AsyncBufferedReader

from adsvc.kit.errors import ImageStoreUnavailableError, PictureMissingError
from adsvc.kit.process.offload import in_thread
from adsvc.kit.storage.protocol import STORE_TIMES, BeforeChange, allow_change, new_image_name


def write_all(files: Mapping[Path, bytes]) -> None:
    """Writes the files durably, all or none."""
    # Two processes may write the same variants, and a killed one leaves its temporary files.
    mark = secrets.token_hex(4)
    drafts = {path: path.with_name(f".{path.name}.{mark}.tmp") for path in files}
    try:
        with ExitStack() as stack:
            # Written first, then synced: the file system needs one commit for all of them.
            opened = [stack.enter_context(drafts[path].open("xb")) for path in files]
            for file, data in zip(opened, files.values(), strict=True):
                file.write(data)
                file.flush()
            for file in opened:
                os.fsync(file.fileno())
        for path, draft in drafts.items():
            draft.replace(path)
        # A rename is durable only when its directory is.
        sync_directories({path.parent for path in files})
    except BaseException:
        remove_all([*drafts.values(), *files])
        raise


def sync_directories(directories: Collection[Path]) -> None:
    for directory in directories:
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove_all(files: Sequence[Path]) -> None:
    for file in files:
        with suppress(OSError):
            file.unlink()


def unlinked(directory: Path, names: Sequence[str]) -> list[str]:
    """Removes the files; returns the names that are durably gone."""
    descriptor = os.open(directory, os.O_RDONLY)
    gone = []
    try:
        for name in names:
            try:
                os.unlink(name, dir_fd=descriptor)
            except FileNotFoundError:
                pass
            except OSError:
                continue
            gone.append(name)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return gone


# The file beside the directories of the pictures.
NAME = ".installation"


def owner_of(directory: Path) -> str | None:
    """The id of the installation that owns the directory."""
    try:
        return (directory / NAME).read_text("ascii", "replace")
    except (FileNotFoundError, NotADirectoryError):
        return None


def claim(directory: Path, owner: str, instead_of: str | None) -> str:
    """Durable when it returns. Readers see the whole file or none."""
    path = directory / NAME
    draft = path.with_name(f"{NAME}.{secrets.token_hex(8)}")
    try:
        with draft.open("x", encoding="ascii") as file:
            file.write(owner)
            file.flush()
            os.fsync(file.fileno())
        if instead_of is None:
            _link(draft, path)
        else:
            draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    sync_directories([directory])
    return path.read_text("ascii", "replace")


def _link(draft: Path, path: Path) -> None:
    try:
        # Unlike a rename, a link never replaces what another process has just claimed.
        path.hardlink_to(draft)
    except FileExistsError:
        pass
    except OSError:
        # Some file systems have no links.
        if not path.exists():
            draft.replace(path)


CHUNK_BYTES = 256 * 1024
SWEEP_BATCH = 1000
CHECK_BYTES = 4096
# Files spread over this many directories by the first two digits of their random names.
SHARDS = tuple(f"{number:02x}" for number in range(256))

_list_directory = aiofiles.os.wrap(lambda path: list(os.scandir(path)))


@asynccontextmanager
async def _faults_mapped(work: str) -> AsyncIterator[None]:
    with STORE_TIMES.timed(work):
        try:
            yield
        except OSError as error:
            raise ImageStoreUnavailableError from error


@dataclass
class LocalImage:
    size: int
    _file: AsyncBufferedReader

    async def chunks(self, start: int, stop: int) -> AsyncIterator[bytes]:
        try:
            if start:
                async with _faults_mapped("read"):
                    await self._file.seek(start)
            while start < stop:
                async with _faults_mapped("read"):
                    chunk = await self._file.read(min(CHUNK_BYTES, stop - start))
                if not chunk:
                    raise ImageStoreUnavailableError
                start += len(chunk)
                yield chunk
        finally:
            await self.close()

    async def close(self) -> None:
        if not self._file.closed:
            await self._file.close()


class LocalImageStore:
    """One file for each picture, written under a temporary name and renamed when it is durable."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.before_change: BeforeChange = allow_change
        self.has_cdn = False

    def prepare(self) -> None:
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            with os.scandir(self._directory) as entries:
                present = {entry.name for entry in entries if entry.is_dir()}
            for shard in SHARDS:
                if shard not in present:
                    (self._directory / shard).mkdir(exist_ok=True)
        except OSError as error:
            raise ImageStoreUnavailableError(
                f"The image directory {self._directory} cannot be made: {error.strerror}."
            ) from error

    def path(self, name: str) -> Path:
        # Temporary files begin with a dot.
        return self._directory / name.removeprefix(".")[:2] / name

    async def put(self, name: str, data: bytes) -> None:
        await self.put_all({name: data})

    async def put_all(self, pictures: Mapping[str, bytes]) -> None:
        await self.before_change()
        files = {self.path(name): data for name, data in pictures.items()}
        async with _faults_mapped("write"):
            try:
                await in_thread(write_all, files)
            except asyncio.CancelledError:
                await in_thread(remove_all, list(files))
                raise

    async def open(self, name: str) -> LocalImage:
        async with _faults_mapped("read"):
            try:
                file = await aiofiles.open(self.path(name), "rb")
            except FileNotFoundError:
                raise PictureMissingError from None
            return LocalImage(os.fstat(file.fileno()).st_size, file)

    async def require(self, name: str) -> None:
        async with _faults_mapped("read"):
            try:
                await aiofiles.os.stat(self.path(name))
            except FileNotFoundError:
                raise PictureMissingError from None

    async def delete(self, name: str) -> None:
        await self.before_change()
        async with _faults_mapped("delete"):
            with suppress(FileNotFoundError):
                await aiofiles.os.unlink(self.path(name))

    async def delete_all(self, names: Sequence[str]) -> Sequence[str]:
        def unlink() -> list[str]:
            by_directory: dict[Path, list[str]] = {}
            for name in names:
                by_directory.setdefault(self.path(name).parent, []).append(name)
            gone: list[str] = []
            for directory, inside in by_directory.items():
                # A missing directory means a missing store, not that the file was deleted.
                with suppress(OSError):
                    gone += unlinked(directory, inside)
            return gone

        await self.before_change()
        with STORE_TIMES.timed("delete"):
            return await asyncio.to_thread(unlink)

    async def duplicate(self, copies: Sequence[tuple[str, str]]) -> None:
        """Copies by links. One flush of the file system makes all of them durable."""

        def link() -> None:
            # Without a `Path` for each name, which takes longer than to link it.
            place = f"{self._directory}/{{}}/{{}}".format
            for name, further in copies:
                os.link(place(name[:2], name), place(further[:2], further))
            os.sync()

        await self.before_change()
        async with _faults_mapped("copy"):
            await asyncio.to_thread(link)

    async def rename_all(self, names: Mapping[str, str]) -> None:
        def rename() -> None:
            renamed = {self.path(name): self.path(new) for name, new in names.items()}
            for path, new in renamed.items():
                # A missing directory means a missing store.
                if path.parent.is_dir():
                    with suppress(FileNotFoundError):
                        path.replace(new)
            sync_directories({path.parent for pair in renamed.items() for path in pair})

        await self.before_change()
        async with _faults_mapped("write"):
            await asyncio.to_thread(rename)

    async def older_than(self, seconds: float) -> AsyncIterator[list[str]]:
        newest = time.time() - seconds
        for shard in SHARDS:
            batch = []
            async with _faults_mapped("list"):
                entries = await _list_directory(self._directory / shard)
            for entry in entries:
                with suppress(FileNotFoundError):
                    if entry.stat().st_mtime <= newest:
                        batch.append(entry.name)
                if len(batch) == SWEEP_BATCH:
                    yield batch
                    batch = []
            if batch:
                yield batch

    @property
    def location(self) -> str:
        return str(self._directory.absolute())

    @property
    def directory(self) -> Path | None:
        return self._directory

    async def owner(self) -> str | None:
        async with _faults_mapped("read"):
            return await asyncio.to_thread(owner_of, self._directory)

    async def claim(self, owner: str, *, instead_of: str | None = None) -> str:
        async with _faults_mapped("write"):
            return await asyncio.to_thread(claim, self._directory, owner, instead_of)

    async def is_empty(self) -> bool:
        def look() -> bool:
            return not any(next((self._directory / shard).iterdir(), None) for shard in SHARDS)

        async with _faults_mapped("list"):
            return await asyncio.to_thread(look)

    async def present(self, names: Sequence[str]) -> set[str]:
        def look() -> set[str]:
            return {name for name in names if self.path(name).is_file()}

        async with _faults_mapped("read"):
            return await asyncio.to_thread(look)

    async def check(self) -> None:
        name = new_image_name("check")
        # An empty file can be stored even on a full disk.
        await self.put(name, bytes(CHECK_BYTES))
        await self.delete(name)
