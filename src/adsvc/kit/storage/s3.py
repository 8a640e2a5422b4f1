"""The image store on a bucket of an S3: one object a picture, below a prefix.

It needs the extra `s3`: import it only where a bucket is used.
"""

import asyncio
import atexit
import logging
import sys
import threading
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import S3Store

from adsvc.kit import errors
from adsvc.kit.bulkheads.admission import Bulkhead
from adsvc.kit.pictures.containers import CONTENT_TYPES
from adsvc.kit.storage.protocol import (
    PICTURE_NAME,
    STORE_TIMES,
    BeforeChange,
    allow_change,
    concurrently,
    new_image_name,
)

if TYPE_CHECKING:
    from obstore.store import S3Config

logger = logging.getLogger("adsvc.images")

# The largest page of S3.
PAGE = 1000
# Transient faults, such as a closed connection or a 503, are retried this often.
RETRIES = 2
FIRST_PAUSE = timedelta(milliseconds=100)
LONGEST_PAUSE = timedelta(seconds=1)
CONNECT_SECONDS = 2.0
# A 404 means a missing object, a missing bucket or, by versitygw, an unknown access key. Only the
# body distinguishes them.
NOT_OF_AN_OBJECT = ("NoSuchBucket", "XAdminUserNotFound")
# The library's message may contain a whole page.
MESSAGE_CHARACTERS = 500
# A thread of the library that is still in Python when the process ends is waited for this long.
LAST_CALL_SECONDS = 1.0


class BucketError(errors.AdsvcError):
    """The library's error in one line; its own text has twenty."""


@dataclass(frozen=True, slots=True)
class S3Location:
    bucket: str
    # Without a slash at its end; empty for the whole bucket.
    prefix: str
    # None means the variables of AWS.
    endpoint: str | None
    region: str | None

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")


class S3Part(NamedTuple):
    """A part of an object, and the size of the whole in bytes."""

    data: bytes
    whole: int


def _opened(location: S3Location, seconds: float) -> S3Store:
    config: S3Config = {}
    if location.endpoint is not None:
        config["endpoint"] = location.endpoint
    if location.region is not None:
        config["region"] = location.region
    return S3Store(
        location.bucket,
        prefix=location.prefix or None,
        config=config,
        client_options={
            "allow_http": (location.endpoint or "").startswith("http://"),
            "connect_timeout": timedelta(seconds=min(CONNECT_SECONDS, seconds / 2)),
            "timeout": timedelta(seconds=seconds / 2),
        },
        retry_config={
            "max_retries": RETRIES,
            "retry_timeout": timedelta(seconds=seconds),
            "backoff": {"init_backoff": FIRST_PAUSE, "max_backoff": LONGEST_PAUSE, "base": 2},
        },
    )


def _message(error: Exception) -> str:
    """The error in one line, for operators."""
    if isinstance(error, TimeoutError):
        return "it does not answer in time"
    text, _, _ = str(error).partition("Debug source")
    return " ".join(text.split())[:MESSAGE_CHARACTERS]


# One request reads most pictures whole. A slow client occupies this memory, but no connection.
PIECE_BYTES = 512 * 1024
CHECK_BYTES = 4096
# How long a read waits in the queue.
QUEUE_TIMEOUT_SECONDS = 1.5
# The object beside the pictures.
MARKER = ".installation"
# For CDNs and others that read the bucket directly. The content under a name never changes.
CACHE_CONTROL = "public, max-age=31536000, immutable"


@dataclass
class S3Image:
    """A picture whose first part has been read."""

    size: int
    _first: bytes
    _name: str
    _store: "S3ImageStore"

    async def chunks(self, start: int, stop: int) -> AsyncIterator[bytes]:
        """A picture that is deleted before its last piece was read ends with an error."""
        first, self._first = self._first, b""
        while start < stop:
            chunk = first[start:stop] or await self._piece(start, stop)
            first = b""
            start += len(chunk)
            yield chunk

    async def _piece(self, start: int, stop: int) -> bytes:
        try:
            piece = await self._store.read(self._name, start, min(start + PIECE_BYTES, stop))
        except errors.PictureMissingError as error:
            raise errors.ImageStoreUnavailableError from error
        if not piece.data:
            raise errors.ImageStoreUnavailableError
        return piece.data

    async def close(self) -> None:
        self._first = b""


class S3ImageStore:
    """Pictures in a bucket. `adsvc sweep` removes what an interrupted put leaves.

    Every method raises `ImageStoreUnavailableError` when the bucket fails. `seconds` bound each
    call with its retries; one attempt may take half of them.

    `reads` pictures are opened at once, and as many more may wait; further ones are refused with
    `OverloadedError`. So a bucket that hangs does not block all other requests.
    """

    def __init__(self, location: S3Location, *, seconds: float, reads: int) -> None:
        self._location = location
        self._seconds = seconds
        try:
            self._store = _opened(location, seconds)
        except (BaseError, ValueError) as error:
            raise errors.ConfigurationError(f"ADSVC_IMAGE_STORE: {_message(error)}") from error
        self._reads = Bulkhead(workers=reads, queue=reads, queue_timeout=QUEUE_TIMEOUT_SECONDS)
        self.before_change: BeforeChange = allow_change
        self.has_cdn = False

    @asynccontextmanager
    async def _calling(
        self,
        work: str,
        *,
        missing: type[
            errors.PictureMissingError | errors.ImageStoreUnavailableError
        ] = errors.PictureMissingError,
    ) -> AsyncIterator[None]:
        with STORE_TIMES.timed(work):
            try:
                async with asyncio.timeout(self._seconds):
                    yield
            except (BaseError, OSError, ValueError) as error:
                if isinstance(error, FileNotFoundError) and not any(
                    code in str(error) for code in NOT_OF_AN_OBJECT
                ):
                    raise missing from None
                fault = BucketError(_message(error))
                fault.__cause__ = error
                logger.warning("The bucket does not %s: %s", work, fault)
                raise errors.ImageStoreUnavailableError from fault

    def prepare(self) -> None:
        """Does nothing: the operator creates the bucket."""

    async def put(self, name: str, data: bytes) -> None:
        await self.put_all({name: data})

    async def put_all(self, pictures: Mapping[str, bytes]) -> None:
        """A cancelled call returns only after all writes have ended.

        Otherwise a late write would come after the removal.
        """
        await self.before_change()
        putting = asyncio.create_task(self._put_all(pictures))
        try:
            await asyncio.shield(putting)
        except asyncio.CancelledError:
            await asyncio.wait([putting])
            await self._remove(list(pictures))
            raise

    async def _put_all(self, pictures: Mapping[str, bytes]) -> None:
        writing = [self._write(name, data, _attributes(name)) for name, data in pictures.items()]
        # Not a task group: that would cancel the others, which the bucket may still carry out.
        faults = await asyncio.gather(*writing, return_exceptions=True)
        for fault in faults:
            if fault is not None:
                await self._remove(list(pictures))
                raise fault

    async def _write(self, name: str, data: bytes, attributes: Mapping[str, str]) -> None:
        """Writes the object whole and durably. It may have been written even if this raises."""
        async with self._calling("write", missing=errors.ImageStoreUnavailableError):
            await obstore.put_async(
                self._store, name, data, attributes=dict(attributes), use_multipart=False
            )

    async def _remove(self, names: Sequence[str]) -> None:
        with suppress(errors.ImageStoreUnavailableError):
            await self._delete(names)

    async def _delete(self, names: Sequence[str]) -> None:
        """Does nothing for missing objects. If it raises, some may be deleted."""
        with suppress(errors.PictureMissingError):
            async with self._calling("delete"):
                await obstore.delete_async(self._store, list(names))

    async def read(self, name: str, start: int, stop: int) -> S3Part:
        """Fewer bytes than requested if the object ends before. Raises `PictureMissingError`."""
        async with self._calling("read"):
            found = await obstore.get_async(self._store, name, options={"range": (start, stop)})
            return S3Part(bytes(await found.bytes_async()), found.meta["size"])

    async def open(self, name: str) -> S3Image:
        async with self._reads.slot():
            data, size = await self.read(name, 0, PIECE_BYTES)
        return S3Image(size, data, name, self)

    async def require(self, name: str) -> None:
        async with self._reads.slot():
            await self._look(name)

    async def _look(self, name: str) -> None:
        # A HEAD has no body to distinguish a missing picture from a missing bucket.
        await self.read(name, 0, 1)

    async def delete(self, name: str) -> None:
        await self.before_change()
        await self._delete([name])

    async def delete_all(self, names: Sequence[str]) -> Sequence[str]:
        await self.before_change()
        try:
            await self._delete(names)
        except errors.ImageStoreUnavailableError:
            # One of them may be what failed.
            with suppress(errors.ImageStoreUnavailableError):
                left = await self.present(names)
                return [name for name in names if name not in left]
            return []
        return names

    async def duplicate(self, copies: Sequence[tuple[str, str]]) -> None:
        await self.before_change()
        await concurrently(self._copy, copies)

    async def _copy(self, pair: tuple[str, str]) -> None:
        async with self._calling("copy"):
            await obstore.copy_async(self._store, *pair)

    async def rename_all(self, names: Mapping[str, str]) -> None:
        """By copies, so the content of a new name is there before the old one is deleted."""

        async def copy(pair: tuple[str, str]) -> None:
            with suppress(errors.PictureMissingError):
                await self._copy(pair)

        await self.before_change()
        await concurrently(copy, names.items())
        await self._delete(list(names))

    async def older_than(self, seconds: float) -> AsyncIterator[list[str]]:
        """By the clock of the bucket, because this machine's may be far ahead of it."""
        newest = await self._now() - timedelta(seconds=seconds) if seconds > 0 else None
        listing = obstore.list(self._store, chunk_size=PAGE)
        while True:
            async with self._calling("list", missing=errors.ImageStoreUnavailableError):
                page = await anext(listing, None)
            if page is None:
                return
            names = [
                found["path"]
                for found in page
                # Nothing else that is in the bucket may be swept.
                if PICTURE_NAME.fullmatch(found["path"])
                and (newest is None or found["last_modified"] <= newest)
            ]
            if names:
                yield names

    async def _now(self) -> datetime:
        """The bucket's clock, to the second: when an object was written just now."""
        name = new_image_name("clock")
        await self.put(name, bytes(CHECK_BYTES))
        try:
            async with self._calling("read"):
                written: datetime = (await obstore.head_async(self._store, name))["last_modified"]
                return written
        finally:
            await self.delete(name)

    @property
    def location(self) -> str:
        return str(self._location)

    @property
    def directory(self) -> Path | None:
        return None

    async def owner(self) -> str | None:
        try:
            marker = await self.read(MARKER, 0, PIECE_BYTES)
        except errors.PictureMissingError:
            return None
        return marker.data.decode("ascii", "replace")

    async def claim(self, owner: str, *, instead_of: str | None = None) -> str:
        if instead_of is None:
            async with self._calling("write", missing=errors.ImageStoreUnavailableError):
                # Of several at once one writes it.
                with suppress(AlreadyExistsError):
                    await obstore.put_async(self._store, MARKER, owner.encode(), mode="create")
        else:
            await self._write(MARKER, owner.encode(), {})
        return await self.owner() or ""

    async def is_empty(self) -> bool:
        async for _ in self.older_than(0):
            return False
        return True

    async def present(self, names: Sequence[str]) -> set[str]:
        async def found(name: str) -> str | None:
            with suppress(errors.PictureMissingError):
                await self._look(name)
                return name
            return None

        return set(filter(None, await concurrently(found, names)))

    async def check(self) -> None:
        name = new_image_name("check")
        # A bucket may accept nothing, although everything can be read.
        await self.put(name, bytes(CHECK_BYTES))
        await self.delete(name)


def _attributes(name: str) -> dict[str, str]:
    content_type = CONTENT_TYPES.get(name.rpartition(".")[2])
    attributes = {"Cache-Control": CACHE_CONTROL}
    return attributes if content_type is None else {**attributes, "Content-Type": content_type}


def await_last_calls() -> None:
    """Wait until no thread but Python's own runs Python code.

    Threads of the library report results to the event loop. Before 3.14, one that is still in that
    call while the interpreter ends aborts the process (exit status -6).
    """
    ours = {thread.ident for thread in threading.enumerate()}
    deadline = time.monotonic() + LAST_CALL_SECONDS
    while sys._current_frames().keys() - ours and time.monotonic() < deadline:  # noqa: SLF001 - nothing else lists them
        time.sleep(0.001)


atexit.register(await_last_calls)
