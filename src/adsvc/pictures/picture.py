"""A picture as it is stored and served."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from adsvc.pictures.times import Durations

CONTENT_TYPES: Final = {"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp"}


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
