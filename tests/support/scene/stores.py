"""Image stores for tests, whatever they are on."""

import os
from collections.abc import Callable
from dataclasses import dataclass

from adsvc.kit.storage import ImageStore, LocalImageStore

NAME = "0f8fad5bd9cb469fa16570867728950e.jpg"
FURTHER = "0f8fad5bd9cb469fa16570867728950e-card.webp"
DAY = 24 * 60 * 60


@dataclass(frozen=True)
class AgedStore:
    """A store, and how its pictures are made older than they are."""

    store: ImageStore
    age: Callable[[str, float], None]


async def content(store: ImageStore, name: str, start: int = 0, stop: int = -1) -> bytes:
    image = await store.open(name)
    wanted = image.size if stop < 0 else stop
    return b"".join([chunk async for chunk in image.chunks(start, wanted)])


async def names(store: ImageStore, seconds: float = 0) -> list[str]:
    return [name async for batch in store.older_than(seconds) for name in batch]


def age(store: LocalImageStore, name: str, seconds: float) -> None:
    then = store.path(name).stat().st_mtime - seconds
    os.utime(store.path(name), (then, then))
