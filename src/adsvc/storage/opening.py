"""All pictures of one store into another, verified by digest.

Beside services that use either of them, in any number of attempts: what the target holds already,
byte for byte, is left as it is.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from adsvc.errors import ConfigurationError
from adsvc.errors.extras import how_to_install
from adsvc.settings import LOCAL_STORE, S3_SCHEME, Settings
from adsvc.storage.local import LocalImageStore
from adsvc.storage.protocol import PICTURE_NAME, ImageStore, content_if_there

# Pictures on their way at once, each of them in memory.
PARALLEL = 16


class Fate(Enum):
    COPIED = "copied"
    # It was in the target already.
    THERE = "there"
    # Somebody deleted it meanwhile.
    GONE = "gone"
    # What the target gave back is not what it was given.
    WRONG = "wrong"


class Outcome(NamedTuple):
    name: str
    fate: Fate


async def count(store: ImageStore) -> int:
    """How many pictures there are, each variant as one."""
    total = 0
    async for names in store.older_than(0):
        total += sum(_is_picture(name) for name in names)
    return total


async def copy_all(source: ImageStore, target: ImageStore) -> AsyncIterator[Outcome]:
    """Raises `ImageStoreUnavailableError` when one of the two does not answer."""
    async for names in source.older_than(0):
        # What was half written, or is not ours, stays.
        pictures = [name for name in names if _is_picture(name)]
        for start in range(0, len(pictures), PARALLEL):
            several = pictures[start : start + PARALLEL]
            copying = [asyncio.create_task(_copy(source, target, name)) for name in several]
            try:
                for name, fate in zip(several, await asyncio.gather(*copying), strict=True):
                    yield Outcome(name, fate)
            finally:
                # The others need not go on when one has failed.
                for task in copying:
                    task.cancel()
                await asyncio.wait(copying)


async def _copy(source: ImageStore, target: ImageStore, name: str) -> Fate:
    data = await content_if_there(source, name)
    if data is None:
        return Fate.GONE
    digest = hashlib.sha256(data).digest()
    if await _digest(target, name) == digest:
        return Fate.THERE
    await target.put(name, data)
    return Fate.COPIED if await _digest(target, name) == digest else Fate.WRONG


async def _digest(store: ImageStore, name: str) -> bytes | None:
    data = await content_if_there(store, name)
    return None if data is None else hashlib.sha256(data).digest()


def _is_picture(name: str) -> bool:
    return PICTURE_NAME.fullmatch(name) is not None


if TYPE_CHECKING:
    from adsvc.storage.s3 import S3Bucket

# The part of the requests at work that may be reads of pictures: a quarter reads at once, and as
# many wait.
READS_PART = 4
# For an object of eight megabytes, on a line that is not the best.
BACKUP_SECONDS = 120.0


def open_store(settings: Settings) -> ImageStore:
    """The image store of the service. Nothing is asked of it yet."""
    reads = max(1, settings.busy_requests // READS_PART)
    return open_store_at(settings, settings.image_store, reads=reads)


def open_store_at(settings: Settings, address: str, *, reads: int) -> ImageStore:
    """`address` is `local`, `s3://bucket/prefix` or a directory. `reads` is for `S3ImageStore`."""
    if address == LOCAL_STORE:
        return LocalImageStore(settings.image_dir)
    if address.startswith(S3_SCHEME):
        return _open_bucket(settings, address.removeprefix(S3_SCHEME), reads)
    return LocalImageStore(Path(address))


def open_backup_bucket(settings: Settings, address: str) -> "S3Bucket":
    """`address` is `s3://bucket/prefix`. The S3 may be another than that of the pictures."""
    try:
        from adsvc.storage.s3 import S3Bucket, S3Location  # noqa: PLC0415 - needs an extra
    except ModuleNotFoundError as error:
        raise ConfigurationError(f"{address}: {how_to_install('s3')}") from error
    bucket, _, prefix = address.removeprefix(S3_SCHEME).partition("/")
    name, secret = settings.backup_s3_access_key_id, settings.backup_s3_secret_access_key
    credentials = (name, secret.get_secret_value()) if name and secret else None
    return S3Bucket(
        S3Location(
            bucket,
            prefix.rstrip("/"),
            settings.backup_s3_endpoint or settings.s3_endpoint,
            settings.backup_s3_region or settings.s3_region,
            credentials,
        ),
        seconds=max(settings.s3_timeout_seconds, BACKUP_SECONDS),
    )


def _open_bucket(settings: Settings, path: str, reads: int) -> ImageStore:
    try:
        from adsvc.storage.s3 import S3ImageStore, S3Location  # noqa: PLC0415 - needs an extra
    except ModuleNotFoundError as error:
        raise ConfigurationError(f"ADSVC_IMAGE_STORE: {how_to_install('s3')}") from error
    bucket, _, prefix = path.partition("/")
    return S3ImageStore(
        S3Location(bucket, prefix.rstrip("/"), settings.s3_endpoint, settings.s3_region),
        seconds=settings.s3_timeout_seconds,
        reads=reads,
    )
