"""Pictures of demonstration ads: illustrations of the package, in the forms that are stored."""

import io
from functools import cache
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageOps

from adsvc.kit.pictures.containers import SHARE, VARIANTS

# `<scene>-<number>.webp`, made by tools/illustrations.py.
ILLUSTRATIONS = Path(__file__).with_name("illustrations")
SIZE = (640, 480)
# The parts that are shown by an ad's further pictures: left, top, right, bottom.
DETAILS = ((0.0, 0.16, 0.66, 0.82), (0.3, 0.3, 0.95, 0.95))


class Drawing(NamedTuple):
    """One picture, in the forms in which it is stored."""

    jpeg: bytes
    size: tuple[int, int]
    # By the names of `pictures.picture`.
    variants: dict[str, bytes]
    placeholder: str


@cache
def scenes() -> dict[str, list[Path]]:
    """The illustrations of each scene."""
    found: dict[str, list[Path]] = {}
    for path in sorted(ILLUSTRATIONS.glob("*.webp")):
        found.setdefault(path.stem.rpartition("-")[0], []).append(path)
    return found


def drawn(scene: str, number: int) -> list[Drawing]:
    """Pictures of the thing with that number: the whole, then its details.

    After the last illustration of the scene they begin again, as in a mirror.
    """
    paths = scenes()[scene]
    turn, place = divmod(number, len(paths))
    with Image.open(paths[place]) as image:
        whole = ImageOps.mirror(image) if turn % 2 else image.copy()
    parts = [_part(whole, *edges) for edges in DETAILS]
    return [_stored(image) for image in (whole, *parts)]


def _part(whole: Image.Image, left: float, top: float, right: float, bottom: float) -> Image.Image:
    """Enlarged to the size of the whole. The edges are shares of its width and height."""
    width, height = SIZE
    first = round(left * width), round(top * height)
    last = round(right * width), round(bottom * height)
    return whole.crop((*first, *last)).resize(SIZE, Image.Resampling.BILINEAR)


def _stored(image: Image.Image) -> Drawing:
    variants = {}
    for variant, side in VARIANTS.items():
        small = image.copy()
        small.thumbnail((side, side))
        variants[variant] = (
            _encoded(small, "JPEG") if variant == SHARE else _encoded(small, "WEBP", method=0)
        )
    average = image.resize((1, 1), Image.Resampling.BOX).tobytes()
    return Drawing(_encoded(image, "JPEG"), SIZE, variants, f"#{average.hex()}")


def _encoded(image: Image.Image, form: str, **options: int) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, quality=75, **options)
    return buffer.getvalue()
