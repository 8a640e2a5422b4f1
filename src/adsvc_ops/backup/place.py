"""A place of backups, whichever it is: a directory, or encrypted objects."""

import asyncio
import re
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, TypeVar

from adsvc.errors import OperatorError
from adsvc_ops.backup.manifest import Manifest, StoredFile

# In the order of time, and a name on every file system.
STAMP = "%Y%m%dT%H%M%SZ"
GENERATION = re.compile(r"[0-9]{8}T[0-9]{6}Z")

Result = TypeVar("Result")


class DamagedError(OperatorError):
    """A sentence about what is missing or not as it was written."""


class Place(Protocol):
    """Generations by their names, and the pictures that they share.

    Every method raises `OperatorError` when the place does not do its work, and `DamagedError` when
    what it holds is not as it was written.
    """

    @property
    def location(self) -> str: ...

    async def prepare(self) -> None:
        """Makes it if it is empty; an `OperatorError` says why it can hold no backups."""
        ...

    def locked(self, *, alone: bool) -> AbstractAsyncContextManager[None]:
        """`alone` to write."""
        ...

    async def claim(self, owner: str) -> str:
        """The id of the installation whose backups it holds, afterwards."""
        ...

    async def generations(self) -> list[str]:
        """The whole ones, the oldest first."""
        ...

    async def leftovers(self) -> list[str]:
        """Where a command that was killed has left something."""
        ...

    def where(self, generation: str, file: str = "") -> str:
        """For messages."""
        ...

    def where_picture(self, name: str) -> str: ...

    async def manifest(self, generation: str) -> Manifest: ...

    def read(self, generation: str, file: str, size: int) -> AsyncGenerator[bytes, None]:
        """Of so many bytes, as its manifest says."""
        ...

    async def begin(self) -> str:
        """A new generation; what killed backups left goes."""
        ...

    async def write(
        self, generation: str, file: str, chunks: AsyncIterator[bytes]
    ) -> StoredFile: ...

    async def finish(self, generation: str, manifest: Manifest) -> None:
        """From here on it is a backup."""
        ...

    async def discard(self, generation: str) -> None:
        """Whatever there is of it, unless it is finished."""
        ...

    async def remove(self, generations: Sequence[str]) -> None:
        """Their pictures stay, as others may name them."""
        ...

    async def known_digests(self, shard: str) -> dict[str, str]:
        """Of the pictures that are there for certain."""
        ...

    async def keep_digests(self, shard: str, digests: Mapping[str, str]) -> None: ...

    async def keep_only(self, shard: str, names: Collection[str]) -> None:
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


async def in_turn(
    jobs: AsyncIterator[Coroutine[Any, Any, Result]], at_once: int
) -> AsyncGenerator[Result, None]:
    """Runs so many at once, and gives what they return in their order. To be closed."""
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
