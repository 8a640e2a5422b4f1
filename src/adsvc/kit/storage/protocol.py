"""The protocol of image stores, and the durations of their operations."""

import asyncio
import re
import secrets
import time
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from adsvc.kit.counters import WORK_SECONDS, Histogram
from adsvc.kit.errors import ImageStoreUnavailableError, PictureMissingError
from adsvc.kit.observability.tracing import note_span

Item = TypeVar("Item")
Result = TypeVar("Result")

# Requests of one operation at once; each may have a picture in memory.
PARALLEL = 16
# A picture or one of its variants. Files with other names in a store are not ours.
PICTURE_NAME = re.compile(r"[0-9a-f]{32}(?:-[a-z]+)?\.[a-z]+")


class OpenImage(Protocol):
    """An open picture: read it once, or close it."""

    @property
    def size(self) -> int: ...

    def chunks(self, start: int, stop: int) -> AsyncIterator[bytes]: ...

    async def close(self) -> None: ...


BeforeChange = Callable[[], Awaitable[None]]


async def allow_change() -> None:
    """The `before_change` of a store that commands use, which check its owner themselves."""


class ImageStore(Protocol):
    """Pictures by name. The content under a name never changes.

    Every method raises `ImageStoreUnavailableError` when the store cannot do its work.
    """

    # Awaited before pictures are stored or deleted; raises the same error if they may not be.
    before_change: BeforeChange
    # Whether a CDN has copies, which do not end with the picture.
    has_cdn: bool

    def prepare(self) -> None:
        """Creates directories. Call it before anything else."""
        ...

    async def put(self, name: str, data: bytes) -> None:
        """The picture is durable when this returns. If this raises, none of that name exists."""
        ...

    async def put_all(self, pictures: Mapping[str, bytes]) -> None:
        """As `put`, for several that are stored together or not at all."""
        ...

    async def open(self, name: str) -> OpenImage:
        """Raises `PictureMissingError` if there is no such picture."""
        ...

    async def require(self, name: str) -> None:
        """Raises `PictureMissingError` if there is no such picture. Cheaper than `open`."""
        ...

    async def delete(self, name: str) -> None:
        """Does nothing if there is no such picture."""
        ...

    async def delete_all(self, names: Sequence[str]) -> Sequence[str]:
        """Returns the names that are durably deleted."""
        ...

    async def duplicate(self, copies: Sequence[tuple[str, str]]) -> None:
        """Gives pictures further names, (name, further name) each. No byte passes through here."""
        ...

    async def rename_all(self, names: Mapping[str, str]) -> None:
        """Gives pictures other names, new by old. Missing ones are skipped.

        All are renamed durably when this returns. If it raises, some may be.
        """
        ...

    def older_than(self, seconds: float) -> AsyncIterator[list[str]]:
        """The names of all pictures of at least that age, in batches."""
        ...

    @property
    def location(self) -> str:
        """The location, for messages to operators."""
        ...

    @property
    def directory(self) -> Path | None:
        """The directory whose disk the pictures fill. None if that is no disk of this machine."""
        ...

    async def owner(self) -> str | None:
        """The id of the installation that owns the store. None if it has no owner or is missing."""
        ...

    async def claim(self, owner: str, *, instead_of: str | None = None) -> str:
        """The owner afterwards. If several claim a store without an owner, one wins."""
        ...

    async def is_empty(self) -> bool:
        """Whether it has no pictures."""
        ...

    async def present(self, names: Sequence[str]) -> set[str]:
        """Which of the names the store has."""
        ...

    async def check(self) -> None:
        """Raises unless a picture could be stored now."""
        ...


async def concurrently(
    work: Callable[[Item], Coroutine[Any, Any, Result]], items: Iterable[Item]
) -> Sequence[Result]:
    """The results in the order of the items. The first error cancels the rest."""
    slots = asyncio.Semaphore(PARALLEL)

    async def in_slot(item: Item) -> Result:
        async with slots:
            return await work(item)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(in_slot(item)) for item in items]
    except ExceptionGroup as faults:
        raise faults.exceptions[0] from None
    return [task.result() for task in tasks]


def new_image_name(extension: str) -> str:
    """128 random bits, so that no name can be guessed or is used twice."""
    return f"{secrets.token_hex(16)}.{extension}"


async def content_of(store: ImageStore, name: str) -> bytes:
    """Raises `PictureMissingError` if there is no such picture."""
    image = await store.open(name)
    return b"".join([chunk async for chunk in image.chunks(0, image.size)])


async def content_if_there(store: ImageStore, name: str) -> bytes | None:
    try:
        return await content_of(store, name)
    except PictureMissingError:
        return None


OPERATIONS = ("read", "write", "delete", "copy", "list")


class StoreTimes:
    """Durations and errors of one process, for the metrics."""

    def __init__(self) -> None:
        self.seconds = {operation: Histogram(WORK_SECONDS) for operation in OPERATIONS}
        self.errors = dict.fromkeys(OPERATIONS, 0)
        # Whether the last operation succeeded; None before the first.
        self.is_up: bool | None = None

    @contextmanager
    def timed(self, operation: str) -> Iterator[None]:
        """A missing picture is not a failure of the store."""
        began = time.perf_counter()
        fault: BaseException | None = None
        try:
            yield
        except ImageStoreUnavailableError as error:
            fault = error
            raise
        finally:
            seconds = time.perf_counter() - began
            self.seconds[operation].observe(seconds)
            self.errors[operation] += fault is not None
            self.is_up = fault is None
            attributes = {"adsvc.operation": operation}
            note_span(f"image store {operation}", seconds, fault, attributes)


# Global for the process: several places open stores, and their figures are added up.
STORE_TIMES = StoreTimes()
