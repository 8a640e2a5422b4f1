"""All pictures of one store into another, verified by digest.

Beside services that use either of them, in any number of attempts: what the target holds already,
byte for byte, is left as it is.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from enum import Enum
from typing import NamedTuple

from adsvc.storage.protocol import PICTURE_NAME, ImageStore
from adsvc.storage.reading import content_if_there

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
