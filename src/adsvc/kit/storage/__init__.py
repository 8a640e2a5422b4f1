"""Image stores: a protocol, and its implementations on a local directory and on an S3."""

from adsvc.kit.storage.local import LocalImageStore
from adsvc.kit.storage.opening import open_store, open_store_at
from adsvc.kit.storage.protocol import ImageStore, OpenImage, new_image_name

__all__ = [
    "ImageStore",
    "LocalImageStore",
    "OpenImage",
    "new_image_name",
    "open_store",
    "open_store_at",
]
