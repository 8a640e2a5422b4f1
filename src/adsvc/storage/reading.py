"""Whole pictures, for what has them in memory."""

from adsvc.errors import ImageNotFoundError
from adsvc.storage.protocol import ImageStore


async def content_of(store: ImageStore, name: str) -> bytes:
    """Raises `ImageNotFoundError` if there is no such picture."""
    image = await store.open(name)
    return b"".join([chunk async for chunk in image.chunks(0, image.size)])


async def content_if_there(store: ImageStore, name: str) -> bytes | None:
    try:
        return await content_of(store, name)
    except ImageNotFoundError:
        return None
