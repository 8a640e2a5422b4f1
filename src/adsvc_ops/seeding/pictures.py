"""Small pictures, drawn: another sign for each part of the tree, in another colour each time."""

import colorsys
import io
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from PIL import Image, ImageDraw

from adsvc.pictures.picture import VARIANTS

SIZE = (480, 360)

Draw = ImageDraw.ImageDraw

Colour = tuple[int, int, int]


def _vehicle(draw: Draw, light: Colour, dark: Colour) -> None:
    draw.rounded_rectangle((80, 160, 400, 250), 30, fill=light)
    draw.polygon(((150, 165), (200, 95), (310, 95), (350, 165)), fill=light)
    for left in (125, 295):
        draw.ellipse((left, 215, left + 70, 285), fill=dark)


def _house(draw: Draw, light: Colour, dark: Colour) -> None:
    draw.polygon(((90, 180), (240, 70), (390, 180)), fill=dark)
    draw.rectangle((130, 180, 350, 300), fill=light)
    draw.rectangle((215, 220, 265, 300), fill=dark)


def _device(draw: Draw, light: Colour, dark: Colour) -> None:
    draw.rounded_rectangle((165, 60, 315, 310), 20, fill=dark)
    draw.rectangle((180, 85, 300, 270), fill=light)


def _table(draw: Draw, light: Colour, dark: Colour) -> None:
    draw.rectangle((80, 140, 400, 170), fill=light)
    for left in (100, 360):
        draw.rectangle((left, 170, left + 20, 290), fill=dark)


def _shirt(draw: Draw, light: Colour, dark: Colour) -> None:
    draw.polygon(((90, 110), (190, 70), (290, 70), (390, 110), (360, 180), (90, 180)), fill=dark)
    draw.rectangle((160, 110, 320, 300), fill=light)


def _blocks(draw: Draw, light: Colour, dark: Colour) -> None:
    draw.rectangle((110, 190, 230, 300), fill=light)
    draw.rectangle((250, 190, 370, 300), fill=dark)
    draw.polygon(((180, 190), (240, 80), (300, 190)), fill=light)


def _ball(draw: Draw, light: Colour, dark: Colour) -> None:
    draw.ellipse((130, 70, 350, 290), fill=light)
    draw.arc((180, 20, 440, 280), 90, 200, fill=dark, width=14)


def _case(draw: Draw, light: Colour, dark: Colour) -> None:
    draw.rounded_rectangle((180, 90, 300, 150), 20, outline=dark, width=16)
    draw.rounded_rectangle((100, 130, 380, 290), 20, fill=light)


def _wrench(draw: Draw, light: Colour, dark: Colour) -> None:
    draw.line(((130, 290), (330, 110)), fill=dark, width=40)
    draw.arc((280, 50, 390, 160), 20, 290, fill=light, width=34)


# By the slug of the root of the tree.
SIGNS: dict[str, Callable[[Draw, Colour, Colour], None]] = {
    "vehicles": _vehicle,
    "property": _house,
    "electronics": _device,
    "home": _table,
    "clothing": _shirt,
    "family": _blocks,
    "leisure": _ball,
    "jobs": _case,
    "services": _wrench,
}


class Drawing(NamedTuple):
    """One picture, in the forms in which it is stored."""

    jpeg: bytes
    size: tuple[int, int]
    # By the names of `pictures.picture`, each in WebP.
    variants: dict[str, bytes]
    placeholder: str


def drawn(root: str, random: Random) -> Drawing:
    """A few kilobytes."""
    hue = random.random()
    ground, light, dark = (
        _colour(hue + turn, strength, value)
        for turn, strength, value in ((0, 0.18, 0.96), (0.08, 0.55, 0.85), (0.45, 0.6, 0.4))
    )
    image = Image.new("RGB", SIZE, ground)
    SIGNS.get(root, _blocks)(ImageDraw.Draw(image), light, dark)
    variants = {}
    for variant, side in VARIANTS.items():
        small = image.copy()
        small.thumbnail((side, side))
        variants[variant] = _encoded(small, "WEBP")
    average = image.resize((1, 1), Image.Resampling.BOX).tobytes()
    return Drawing(_encoded(image, "JPEG"), SIZE, variants, f"#{average.hex()}")


def _encoded(image: Image.Image, form: str) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, quality=75)
    return buffer.getvalue()


def _colour(hue: float, strength: float, value: float) -> Colour:
    red, green, blue = colorsys.hsv_to_rgb(hue % 1, strength, value)
    return round(255 * red), round(255 * green), round(255 * blue)
