"""The objects below one prefix of a bucket. Each call has a deadline, and its faults have names."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import S3Store

from adsvc.errors import (
    AdsvcError,
    ConfigurationError,
    ImageNotFoundError,
    ImageStoreUnavailableError,
)
from adsvc.storage.times import STORE_TIMES

if TYPE_CHECKING:
    from obstore.store import S3Config

logger = logging.getLogger("adsvc.images")

# As many as S3 tells at a time.
PAGE = 1000
# Faults that pass, such as a connection that was just closed or a 503, are tried again so often.
RETRIES = 2
FIRST_PAUSE = timedelta(milliseconds=100)
LONGEST_PAUSE = timedelta(seconds=1)
CONNECT_SECONDS = 2.0
# A 404 is of a missing object, of a missing bucket, or, from versitygw, of an access key that it
# does not know. Only the body tells them apart.
NOT_OF_AN_OBJECT = ("NoSuchBucket", "XAdminUserNotFound")
# What the library says of an answer may be a whole page.
TOLD_CHARACTERS = 500


class BucketError(AdsvcError):
    """What the library met, in one line; the error itself has twenty."""


@dataclass(frozen=True, slots=True)
class Location:
    bucket: str
    # Without a slash at its end; empty for the whole bucket.
    prefix: str
    # None for what the variables of AWS say.
    endpoint: str | None
    region: str | None
    # Id and secret; None for what the variables of AWS or the machine's role say.
    credentials: tuple[str, str] | None = None

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")


class Piece(NamedTuple):
    """A part of an object, and the size of the whole in bytes."""

    data: bytes
    whole: int


class Bucket:
    """Every method raises `ImageStoreUnavailableError` when the bucket does not do its work.

    `seconds` bound each call with its repetitions; one attempt may take half of them.
    """

    def __init__(self, location: Location, *, seconds: float) -> None:
        self._seconds = seconds
        try:
            self._store = _opened(location, seconds)
        except (BaseError, ValueError) as error:
            raise ConfigurationError(f"ADSVC_IMAGE_STORE: {_told(error)}") from error

    async def read(self, name: str, start: int, stop: int) -> Piece:
        """Fewer bytes than asked for if the object ends before. Raises `ImageNotFoundError`."""
        async with self._calling("read"):
            found = await obstore.get_async(self._store, name, options={"range": (start, stop)})
            return Piece(bytes(await found.bytes_async()), found.meta["size"])

    async def read_all(self, name: str, *, most: int) -> bytes:
        """Raises `ImageNotFoundError`, and reads none of an object of more bytes."""
        async with self._calling("read"):
            found = await obstore.get_async(self._store, name)
            if found.meta["size"] > most:
                raise ValueError(f"{name} has {found.meta['size']} bytes")
            return bytes(await found.bytes_async())

    async def written_at(self, name: str) -> datetime:
        """By the clock of the bucket, to the second. Raises `ImageNotFoundError`."""
        async with self._calling("read"):
            written: datetime = (await obstore.head_async(self._store, name))["last_modified"]
            return written

    async def write(self, name: str, data: bytes, attributes: Mapping[str, str]) -> None:
        """Whole and durable when it returns. What raises may have written all the same."""
        async with self._calling("write", missing=ImageStoreUnavailableError):
            await obstore.put_async(
                self._store, name, data, attributes=dict(attributes), use_multipart=False
            )

    async def write_new(self, name: str, data: bytes) -> None:
        """Does nothing if there is such an object, however many write it at once."""
        async with self._calling("write", missing=ImageStoreUnavailableError):
            with suppress(AlreadyExistsError):
                await obstore.put_async(self._store, name, data, mode="create")

    async def delete(self, names: Sequence[str]) -> None:
        """Does nothing for objects that are not there. If it raises, some may be gone."""
        with suppress(ImageNotFoundError):
            async with self._calling("delete"):
                await obstore.delete_async(self._store, list(names))

    async def copy(self, name: str, further: str) -> None:
        """Within the bucket: no byte comes here."""
        async with self._calling("copy"):
            await obstore.copy_async(self._store, name, further)

    async def pages(self, below: str | None = None) -> AsyncIterator[list[tuple[str, datetime]]]:
        """The names below the prefix, or a part of it, with the moment each object was written."""
        listing = obstore.list(self._store, below, chunk_size=PAGE)
        while True:
            async with self._calling("list", missing=ImageStoreUnavailableError):
                page = await anext(listing, None)
            if page is None:
                return
            yield [(found["path"], found["last_modified"]) for found in page]

    @asynccontextmanager
    async def _calling(
        self,
        work: str,
        *,
        missing: type[ImageNotFoundError | ImageStoreUnavailableError] = ImageNotFoundError,
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
                fault = BucketError(_told(error))
                fault.__cause__ = error
                logger.warning("The bucket does not %s: %s", work, fault)
                raise ImageStoreUnavailableError from fault


def _opened(location: Location, seconds: float) -> S3Store:
    config: S3Config = {}
    if location.endpoint is not None:
        config["endpoint"] = location.endpoint
    if location.region is not None:
        config["region"] = location.region
    if location.credentials is not None:
        config["access_key_id"], config["secret_access_key"] = location.credentials
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


def _told(error: Exception) -> str:
    """One line of it, for operators."""
    if isinstance(error, TimeoutError):
        return "it does not answer in time"
    text, _, _ = str(error).partition("Debug source")
    return " ".join(text.split())[:TOLD_CHARACTERS]
