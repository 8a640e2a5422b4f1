"""The plain form of backups: files that common tools read.

A place is a directory with one directory for each backup, readable by its owner alone:

```
.lock                       locked while a command reads or writes here
20261122T140330Z/
    database.dump           by pg_dump, in its custom format
    pictures/ab/ab….jpg     the pictures that its rows name
    pictures.sha256         their digests, as `sha256sum --check` reads them in `pictures`
    manifest.json           the digests of the dump and the list, and what a restore needs to know
.20261122T150000Z.partial/  a backup that is being made, or was when the command was killed
```

Pictures that two backups have in common are links to the same file.
"""

import asyncio
import fcntl
import hashlib
import json
import os
import re
import shutil
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError

from adsvc.errors import ImageStoreUnavailableError, OperatorError
from adsvc.kit.storage.local import sync_directories, write_all

MANIFEST, DUMP, LIST = "manifest.json", "database.dump", "pictures.sha256"
PICTURES, LOCK = "pictures", ".lock"
DIGEST = "sha256"
CHUNK_BYTES = 1024 * 1024
# Sorts by time, and is a valid name on every file system.
STAMP = "%Y%m%dT%H%M%SZ"
NAME_OF_BACKUP = re.compile(r"[0-9]{8}T[0-9]{6}Z")

# Called with the number of further files of a step that are done, and their bytes.
Advance = Callable[[int, int], None]
# Begins a step of so many files; None where the number is unknown.
Progress = Callable[[str, int | None], Advance]


class DamagedError(OperatorError):
    """Its message says what is missing or not as it was written."""


class StoredFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    bytes: int
    sha256: str


class Manifest(BaseModel):
    """What a restore needs to know of a backup, and the digests of its files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    made_at: datetime
    # The service that made it, the schema of its database, and that database's server.
    version: str
    revision: str
    postgresql: str
    installation: UUID
    # With variants.
    pictures: int
    # Named by rows, but missing in the image store.
    missing: list[str]
    files: dict[str, StoredFile]

    def rendered(self) -> bytes:
        return _rendered(self.model_dump(mode="json"))

    @classmethod
    def of(cls, backup: Path) -> Self:
        """`OperatorError` if it is missing, or anything in it is not as it was written."""
        path = backup / MANIFEST
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise OperatorError(f"There is no {path}: the backup is incomplete.") from None
        except OSError as error:
            raise OperatorError(f"{path} cannot be read: {error.strerror}.") from error
        return cls.read(content, str(path))

    @classmethod
    def read(cls, content: bytes, origin: str) -> Self:
        try:
            record = json.loads(content)
            digest = record.pop(DIGEST)
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
            raise OperatorError(f"{origin} is not a manifest of a backup.") from None
        if record.get("format") != 1:
            raise OperatorError(
                f"{origin} has the format of another version of adsvc. Use that version to read it."
            )
        if content != _rendered(record) or not digest:
            raise OperatorError(f"{origin} is not as it was written.")
        try:
            return cls.model_validate(record)
        except ValidationError:
            raise OperatorError(f"{origin} is not a manifest of a backup.") from None


def _rendered(record: dict[str, object]) -> bytes:
    """The record with a digest of itself."""
    digest = hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
    return json.dumps({**record, DIGEST: digest}, indent=2).encode() + b"\n"


# Names from a list, which may be forged, cannot lead out of their directory.
NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{1,127}")
LINE = re.compile(rb"([0-9a-f]{64})  (..)/(\S+)")


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def shard_of(name: str) -> str:
    """The directory of the picture, as the image store has it."""
    return name[:2]


def rendered(digests: Mapping[str, str]) -> bytes:
    lines = (f"{digest}  {shard_of(name)}/{name}\n" for name, digest in sorted(digests.items()))
    return "".join(lines).encode()


def _parsed(lines: bytes, origin: str, before: int) -> Iterator[tuple[str, str]]:
    """Names and digests. An `OperatorError` names the faulty line, counted from `before`."""
    for number, line in enumerate(lines.removesuffix(b"\n").split(b"\n") if lines else (), 1):
        found = LINE.fullmatch(line)
        if found is not None:
            digest, shard, name = (part.decode("ascii", "replace") for part in found.groups())
            if NAME.fullmatch(name) and shard_of(name) == shard:
                yield name, digest
                continue
        raise OperatorError(f"{origin}: line {before + number} is not a digest of a picture.")


async def shards_of(
    chunks: AsyncIterator[bytes], origin: str
) -> AsyncGenerator[tuple[str, dict[str, str]], None]:
    """A list by the pictures' directories; only one of them is in memory at a time."""
    digests: dict[str, str] = {}
    shard, rest, before = "", b"", 0
    async for chunk in chunks:
        lines, newline, rest = (rest + chunk).rpartition(b"\n")
        for name, digest in _parsed(lines + newline, origin, before):
            if digests and shard_of(name) != shard:
                yield shard, digests
                digests = {}
            shard = shard_of(name)
            digests[name] = digest
        before += lines.count(b"\n") + len(newline)
    if rest:
        raise OperatorError(f"{origin}: line {before + 1} is not a digest of a picture.")
    if digests:
        yield shard, digests


async def listed(path: Path) -> AsyncGenerator[tuple[str, dict[str, str]], None]:
    """Names and digests of a list of pictures, by their directories."""
    async for shard in shards_of(read(path), str(path)):
        yield shard


async def read(path: Path) -> AsyncGenerator[bytes, None]:
    """The file in chunks. `DamagedError` if it cannot be read."""
    try:
        with path.open("rb") as file:
            while chunk := await asyncio.to_thread(file.read, CHUNK_BYTES):
                yield chunk
    except OSError as error:
        raise unreadable(path, error) from error


async def write(path: Path, chunks: AsyncIterator[bytes]) -> StoredFile:
    """Durable when it returns."""
    digest, size = hashlib.sha256(), 0
    with disk_faults(path.parent), path.open("wb") as file:

        def add(chunk: bytes) -> None:
            file.write(chunk)
            digest.update(chunk)

        async for chunk in chunks:
            await asyncio.to_thread(add, chunk)
            size += len(chunk)
        file.flush()
        await asyncio.to_thread(os.fsync, file.fileno())
    return StoredFile(bytes=size, sha256=digest.hexdigest())


async def stored(path: Path) -> StoredFile:
    """The length and the digest of a file, as they are."""
    digest, size = hashlib.sha256(), 0
    async for chunk in read(path):
        await asyncio.to_thread(digest.update, chunk)
        size += len(chunk)
    return StoredFile(bytes=size, sha256=digest.hexdigest())


def unreadable(path: Path, error: OSError) -> DamagedError:
    if isinstance(error, FileNotFoundError):
        return DamagedError(f"{path} is missing.")
    return DamagedError(f"{path} cannot be read: {error.strerror}.")


def batched(names: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), size):
        yield names[start : start + size]


class BackupDirectory:
    """A directory of plain backups."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()

    def prepare(self) -> None:
        """Makes it, for its owner alone, or raises an `OperatorError` with the reason."""
        with disk_faults(self.path), private_files():
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if any(self.path.iterdir()) and not (self.path / LOCK).exists():
                raise OperatorError(
                    f"{self.path} is not empty and contains no backups. Name another directory."
                )
            (self.path / LOCK).touch(mode=0o600)

    @contextmanager
    def locked(self, *, exclusive: bool) -> Iterator[None]:
        """An `exclusive` lock is for writing; files made under it are private."""
        try:
            descriptor = os.open(self.path / LOCK, os.O_RDONLY)
        except (FileNotFoundError, NotADirectoryError):
            raise OperatorError(f"{self.path} contains no backups.") from None
        except OSError as error:
            raise OperatorError(f"{self.path} cannot be read: {error.strerror}.") from error
        try:
            self._lock(descriptor, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
            with private_files() if exclusive else nullcontext():
                yield
        finally:
            os.close(descriptor)

    def _lock(self, descriptor: int, kind: int) -> None:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OperatorError(f"Another command uses {self.path} now. Try again later.") from None

    def backups(self) -> list[Path]:
        """The complete ones, the oldest first."""
        if not self.path.is_dir():
            return []
        return sorted(path for path in self.path.iterdir() if NAME_OF_BACKUP.fullmatch(path.name))

    def backup(self, name: str | None) -> Path:
        """That backup, or the newest one."""
        found = self.path / name if name else next(reversed(self.backups()), None)
        if found is None or found not in self.backups():
            raise OperatorError(f"There is no complete backup in {self.path / (name or '')}.")
        return found

    def unfinished(self) -> list[Path]:
        return sorted(self.path.glob(".*.partial"))

    def begin(self) -> Path:
        """A directory for a new backup, with the pictures that a killed command has copied."""
        with disk_faults(self.path):
            for path in self.path.glob(".*.removed"):
                shutil.rmtree(path)
            moment, taken = datetime.now(UTC), {path.name for path in self.backups()}
            while moment.strftime(STAMP) in taken:
                moment += timedelta(seconds=1)
            partial = self.path / f".{moment.strftime(STAMP)}.partial"
            if left := self.unfinished():
                left[-1].rename(partial)
            (partial / PICTURES).mkdir(parents=True, exist_ok=True)
        return partial

    def finish(self, partial: Path, manifest: Manifest) -> Path:
        """Completes the backup, also after a power cut."""
        made = self.path / partial.name.split(".")[1]
        with disk_faults(self.path):
            write_all({partial / MANIFEST: manifest.rendered()})
            # Links are durable only when their directories are.
            sync_directories([*(partial / PICTURES).iterdir(), partial / PICTURES, partial])
            partial.rename(made)
            sync_directories([self.path])
        return made

    def prune(self, keep: int) -> list[str]:
        """Removes all backups but the newest `keep`, and returns their names."""
        old = self.backups()[:-keep]
        with disk_faults(self.path):
            for path in old:
                # If this is killed, nothing that looks like a backup remains.
                shutil.rmtree(path.rename(self.path / f".{path.name}.removed"))
        return [path.name for path in old]


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
