"""Smaller versions of a picture. The set is fixed, and their files are named after the picture."""

from collections.abc import Sequence
from typing import Final

from adsvc.pictures.picture import CONTENT_TYPES

# How long the longer side is at most. A picture that is smaller is not enlarged.
VARIANTS: Final = {"thumb": 320, "card": 800}

# The one that lists of ads name.
THUMBNAIL: Final = "thumb"

EXTENSION: Final = "webp"


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
    return f"{name.partition('.')[0]}-{variant}.{EXTENSION}"


def files_of(names: Sequence[str]) -> list[str]:
    """The names of the pictures, and of all variants that they may have."""
    return [
        file for name in names for file in (name, *(variant_name(name, key) for key in VARIANTS))
    ]


def pictures_of(file: str) -> list[str]:
    """The names that the picture may have to which the file belongs: itself or a variant."""
    stem, _, rest = file.partition("-")
    if rest in {f"{variant}.{EXTENSION}" for variant in VARIANTS}:
        return [f"{stem}.{extension}" for extension in CONTENT_TYPES]
    return [file]
