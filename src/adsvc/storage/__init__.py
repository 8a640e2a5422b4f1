"""Where pictures live: a protocol, and its implementation on a local directory."""

from adsvc.storage.local import LocalImageStore
from adsvc.storage.protocol import ImageStore, StoredImage, new_image_name

__all__ = ["ImageStore", "LocalImageStore", "StoredImage", "new_image_name"]
