"""A picture as it is stored and served, and its variants."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Self

from adsvc.kit.counters import WORK_SECONDS, Histogram


class Durations(NamedTuple):
    """Seconds of each step: decoding and scaling, then encoding with all variants."""

    decode: float = 0.0
    encode: float = 0.0

    def within(self, seconds: float) -> Self:
        """Zeros if they are not plausible: a hostile picture may have taken over the process."""
        if all(map(math.isfinite, self)) and min(self) >= 0 and sum(self) <= seconds:
            return self
        return type(self)()


class PictureTimes:
    """Durations and failures of one process, for the metrics."""

    def __init__(self) -> None:
        self.steps = {name: Histogram(WORK_SECONDS) for name in ("decode", "encode", "store")}
        self.failures = Counter(dict.fromkeys(("invalid", "unsupported", "failed"), 0))
        # Called after each picture, for traces.
        self.observer: Callable[[Durations, float], None] | None = None

    def note(self, durations: Durations, seconds: float) -> None:
        """`seconds` is the time of the whole call of the process, with the wait for it."""
        durations = durations.within(seconds)
        self.steps["decode"].observe(durations.decode)
        self.steps["encode"].observe(durations.encode)
        if self.observer is not None:
            self.observer(durations, seconds)


# Global for the process: several services make pictures, and their figures are added up.
TIMES = PictureTimes()


# By Pillow's names of formats.
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
    # By the keys of `VARIANTS`, or of `ICONS`. An avatar has none, and no placeholder.
    variants: Mapping[str, bytes] = field(default_factory=dict)
    # The seconds of making it.
    durations: Durations = field(default=Durations(), compare=False)

    @property
    def content_type(self) -> str:
        return CONTENT_TYPES[self.extension]

    @property
    def size(self) -> int:
        """In bytes, with all variants."""
        return len(self.data) + sum(map(len, self.variants.values()))


# The longest side of each variant. Smaller pictures are not enlarged.
VARIANTS: Final = {"thumb": 320, "card": 800, "share": 1200}

# The one that lists of ads name.
THUMBNAIL: Final = "thumb"

# The one for previews of links: messengers read no WebP, and nothing large.
SHARE: Final = "share"

SHARE_MAX_BYTES: Final = 300_000

# The side of an icon, and of its variants, which are squares.
ICON_SIDE: Final = 512
ICONS: Final = {"tiny": 48, "apple": 180, "small": 192, "maskable": ICON_SIDE}

# What follows the stem of a picture's name in the name of a variant.
SUFFIXES: Final = {
    "thumb": "-thumb.webp",
    "card": "-card.webp",
    "share": "-share.jpg",
    **{icon: f"-{icon}.png" for icon in ICONS},
}


def size_within(size: tuple[int, int], limit: int) -> tuple[int, int]:
    """The size with the longer side shortened to the limit, if it is longer.

    In whole numbers, half rounded up, as `repositories.ads.projection` has it in SQL.
    """
    longest = max(size)
    if longest <= limit:
        return size
    width, height = (max(1, (side * limit + longest // 2) // longest) for side in size)
    return width, height


def variant_name(name: str, variant: str) -> str:
    return name.partition(".")[0] + SUFFIXES[variant]


def files_of(names: Sequence[str]) -> list[str]:
    """The names of the pictures, and of all variants that they may have."""
    return [
        file for name in names for file in (name, *(variant_name(name, key) for key in VARIANTS))
    ]


def hidden_name(file: str, stem: str) -> str:
    """The name of a picture's file, or of its variant's, while the picture is hidden."""
    return stem + file[len(re.split("[.-]", file, maxsplit=1)[0]) :]


def pictures_of(file: str) -> list[str]:
    """The names of the pictures that the file may belong to: the picture itself, or a variant's."""
    stem, hyphen, rest = file.partition("-")
    if hyphen + rest in SUFFIXES.values():
        return [f"{stem}.{extension}" for extension in CONTENT_TYPES]
    return [file]
