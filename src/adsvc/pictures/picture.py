"""A picture as it is stored and served."""

from dataclasses import dataclass
from typing import Final

CONTENT_TYPES: Final = {"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp"}


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as it is stored and served."""

    data: bytes
    extension: str

    @property
    def content_type(self) -> str:
        return CONTENT_TYPES[self.extension]
