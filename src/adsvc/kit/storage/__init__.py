"""Image stores: a protocol, and its implementations on a local directory and on an S3."""

import hashlib
from collections.abc import AsyncIterator
from enum import Enum
from functools import partial
from pathlib import Path
from typing import NamedTuple

from adsvc.kit.errors import ConfigurationError, how_to_install
from adsvc.kit.settings.groups import PlatformSettings
from adsvc.kit.settings.validators import LOCAL_STORE, S3_SCHEME
from adsvc.kit.storage.local import LocalImageStore
from adsvc.kit.storage.protocol import (
    PARALLEL,
    PICTURE_NAME,
    ImageStore,
    OpenImage,
    concurrently,
    content_if_there,
    new_image_name,
)


class CopyResult(Enum):
    COPIED = "copied"
    # The target already had it.
    PRESENT = "present"
    # It was deleted from the source during the copy.
    DELETED = "deleted"
    # The target returned other bytes than were written.
    DAMAGED = "damaged"


class Copy(NamedTuple):
    name: str
    result: CopyResult


async def count(store: ImageStore) -> int:
    """How many pictures there are, each variant as one."""
    total = 0
    async for names in store.older_than(0):
        total += sum(_is_picture(name) for name in names)
    return total


async def copy_all(source: ImageStore, target: ImageStore) -> AsyncIterator[Copy]:
    """Can run beside services that use either store, and be repeated: a picture that the target
    already has, byte for byte, stays as it is.

    Raises `ImageStoreUnavailableError` when one of the two does not answer.
    """
    async for names in source.older_than(0):
        # Temporary files and files of others are not copied.
        pictures = [name for name in names if _is_picture(name)]
        for start in range(0, len(pictures), PARALLEL):
            several = pictures[start : start + PARALLEL]
            for copied in await concurrently(partial(_copy, source, target), several):
                yield copied


async def _copy(source: ImageStore, target: ImageStore, name: str) -> Copy:
    data = await content_if_there(source, name)
    if data is None:
        return Copy(name, CopyResult.DELETED)
    digest = hashlib.sha256(data).digest()
    if await _digest(target, name) == digest:
        return Copy(name, CopyResult.PRESENT)
    await target.put(name, data)
    is_same = await _digest(target, name) == digest
    return Copy(name, CopyResult.COPIED if is_same else CopyResult.DAMAGED)


async def _digest(store: ImageStore, name: str) -> bytes | None:
    data = await content_if_there(store, name)
    return None if data is None else hashlib.sha256(data).digest()


def _is_picture(name: str) -> bool:
    return PICTURE_NAME.fullmatch(name) is not None


# A quarter of the busy requests may read pictures at once, and as many may wait.
READS_PART = 4


def open_store(settings: PlatformSettings) -> ImageStore:
    """The image store of the service. It is not contacted yet."""
    reads = max(1, settings.busy_requests // READS_PART)
    store = open_store_at(settings, settings.image_store, reads=reads)
    store.has_cdn = settings.cdn_purge_url is not None
    return store


def open_store_at(settings: PlatformSettings, address: str, *, reads: int) -> ImageStore:
    """`address` is `local`, `s3://bucket/prefix` or a directory. `reads` is for `S3ImageStore`."""
    if address == LOCAL_STORE:
        return LocalImageStore(settings.image_dir)
    if address.startswith(S3_SCHEME):
        return _open_bucket(settings, address.removeprefix(S3_SCHEME), reads)
    return LocalImageStore(Path(address))


def _open_bucket(settings: PlatformSettings, path: str, reads: int) -> ImageStore:
    try:
        from adsvc.kit.storage.s3 import S3ImageStore, S3Location  # noqa: PLC0415 - needs an extra
    except ModuleNotFoundError as error:
        raise ConfigurationError(f"ADSVC_IMAGE_STORE: {how_to_install('s3')}") from error
    bucket, _, prefix = path.partition("/")
    return S3ImageStore(
        S3Location(bucket, prefix.rstrip("/"), settings.s3_endpoint, settings.s3_region),
        seconds=settings.s3_timeout_seconds,
        reads=reads,
    )


__all__ = [
    "ImageStore",
    "LocalImageStore",
    "OpenImage",
    "new_image_name",
    "open_store",
    "open_store_at",
]
