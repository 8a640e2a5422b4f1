"""Backup stores: their protocol, and the format of manifests and lists of digests."""

import asyncio
import hashlib
import json
import re
from collections import deque
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Collection,
    Coroutine,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Protocol, Self, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError

from adsvc.errors import OperatorError

MANIFEST, DUMP, LIST = "manifest.json", "database.dump", "pictures.sha256"
DIGEST = "sha256"


class StoredFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    bytes: int
    sha256: str


class Manifest(BaseModel):
    """What a restore needs to know of a generation, and the digests of its files."""

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
    def read(cls, content: bytes, origin: str) -> Self:
        """`OperatorError` if anything in it is not as it was written."""
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


def lines_of(digests: Mapping[str, str]) -> Iterator[str]:
    for name, digest in sorted(digests.items()):
        yield f"{digest}  {shard_of(name)}/{name}\n"


def rendered(digests: Mapping[str, str]) -> bytes:
    return "".join(lines_of(digests)).encode()


def parsed(lines: bytes, origin: str, before: int = 0) -> Iterator[tuple[str, str]]:
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
) -> AsyncIterator[tuple[str, dict[str, str]]]:
    """A list by the pictures' directories; only one of them is in memory at a time."""
    digests: dict[str, str] = {}
    shard, rest, before = "", b"", 0
    async for chunk in chunks:
        lines, newline, rest = (rest + chunk).rpartition(b"\n")
        for name, digest in parsed(lines + newline, origin, before):
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


# Sorts by time, and is a valid name on every file system.
STAMP = "%Y%m%dT%H%M%SZ"
GENERATION = re.compile(r"[0-9]{8}T[0-9]{6}Z")

Result = TypeVar("Result")

# Called with the number of further files of a step that are done, and their bytes.
Advance = Callable[[int, int], None]
# Begins a step of so many files; None where the number is unknown.
Progress = Callable[[str, int | None], Advance]


class DamagedError(OperatorError):
    """Its message says what is missing or not as it was written."""


class BackupStore(Protocol):
    """Generations by their names, and the pictures that they share.

    Every method raises `OperatorError` when the storage fails, and `DamagedError` when
    its content is not as it was written.
    """

    @property
    def location(self) -> str: ...

    async def prepare(self) -> None:
        """Makes it if it is empty, or raises an `OperatorError` with the reason."""
        ...

    def locked(self, *, exclusive: bool) -> AbstractAsyncContextManager[None]:
        """`exclusive` to write."""
        ...

    async def claim(self, owner: str) -> str:
        """The id of the installation that owns the store afterwards."""
        ...

    async def generations(self) -> list[str]:
        """The complete ones, the oldest first."""
        ...

    async def leftovers(self) -> list[str]:
        """What killed commands have left, for messages."""
        ...

    def where(self, generation: str, file: str = "") -> str:
        """For messages."""
        ...

    def where_picture(self, name: str) -> str: ...

    async def manifest(self, generation: str) -> Manifest: ...

    def read(self, generation: str, file: str, size: int) -> AsyncGenerator[bytes, None]:
        """`size` is the one in its manifest."""
        ...

    async def begin(self) -> str:
        """A new generation. Removes what killed backups left."""
        ...

    async def write(
        self, generation: str, file: str, chunks: AsyncIterator[bytes]
    ) -> StoredFile: ...

    async def finish(self, generation: str, manifest: Manifest) -> None:
        """Completes the backup."""
        ...

    async def discard(self, generation: str) -> None:
        """Removes the generation unless it is complete."""
        ...

    async def remove(self, generations: Sequence[str]) -> None:
        """Pictures stay, as other generations may need them."""
        ...

    async def known_digests(self, shard: str) -> dict[str, str]:
        """The digests of the pictures that are present."""
        ...

    async def write_digests(self, shard: str, digests: Mapping[str, str]) -> None: ...

    async def retain_pictures(self, shard: str, names: Collection[str]) -> None:
        """Removes the other pictures of that shard."""
        ...

    async def put(self, pictures: Mapping[str, bytes]) -> None:
        """They are durable when it returns."""
        ...

    async def picture(self, name: str) -> bytes: ...


def new_generation(taken: Collection[str]) -> str:
    moment = datetime.now(UTC)
    while moment.strftime(STAMP) in taken:
        moment += timedelta(seconds=1)
    return moment.strftime(STAMP)


async def in_order(
    jobs: AsyncIterator[Coroutine[Any, Any, Result]], at_once: int
) -> AsyncGenerator[Result, None]:
    """Runs `at_once` jobs concurrently and yields their results in order. Close the generator."""
    under_way: deque[asyncio.Task[Result]] = deque()
    try:
        async for job in jobs:
            under_way.append(asyncio.create_task(job))
            if len(under_way) == at_once:
                yield await under_way.popleft()
        while under_way:
            yield await under_way.popleft()
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
