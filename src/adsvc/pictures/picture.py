"""A picture as it is stored and served."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from adsvc.pictures.times import Durations

# By the names that Pillow gives to formats.
EXTENSIONS: Final = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp"}

CONTENT_TYPES: Final = {"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp"}

# The longest side a JPEG can have. The tables of a resize grow with the side, not with the pixels:
# for a picture one pixel high and forty million wide they would take 2 GB.
MAX_SIDE: Final = 65_535


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as it is stored and served."""

    data: bytes
    extension: str
    width: int
    height: int
    # Its average colour, `#rrggbb`.
    placeholder: str = ""
    # As WebP, by the keys of `variants.VARIANTS`. An avatar has none, and no placeholder.
    variants: Mapping[str, bytes] = field(default_factory=dict)
    # What it took to make it.
    durations: Durations = field(default=Durations(), compare=False)

    @property
    def content_type(self) -> str:
        return CONTENT_TYPES[self.extension]

    @property
    def size(self) -> int:
        """In bytes, with all variants."""
        return len(self.data) + sum(map(len, self.variants.values()))
