"""In which modes pictures can be scaled, and how they get there."""

from typing import Final

from PIL import Image

# What can be scaled: not the numbers of colours in a palette.
_SCALABLE: Final = {"1": "L", "P": "RGB"}

_WITH_ALPHA: Final = {"1": "LA", "L": "LA", "P": "RGBA", "RGB": "RGBA"}

# Scaling mixes neighbours: without this, the colour of transparent pixels shows in others.
_PREMULTIPLIED: Final = {"LA": "La", "RGBA": "RGBa"}

STRAIGHT: Final = {"La": "LA", "RGBa": "RGBA"}


def premultiplied(picture: Image.Image) -> Image.Image:
    return in_mode(scalable(picture), _PREMULTIPLIED)


def scalable(picture: Image.Image) -> Image.Image:
    """Convert to a mode of 8-bit samples, with an alpha channel if anything is transparent."""
    if picture.mode == "I;16":
        return _scalable_grey(picture)
    return in_mode(picture, _WITH_ALPHA if picture.has_transparency_data else _SCALABLE)


def in_mode(picture: Image.Image, modes: dict[str, str]) -> Image.Image:
    mode = modes.get(picture.mode)
    return picture if mode is None else picture.convert(mode)


def _scalable_grey(picture: Image.Image) -> Image.Image:
    # Pillow's own conversion clips 16 bits to 8 instead of scaling them.
    wide = picture.convert("I")
    grey = wide.point(lambda sample: sample * (1 / 257) + 0.5).convert("L")
    key = picture.info.get("transparency")
    if key is None:
        return grey
    opaque = wide.point(b"\xff" * key + b"\0" + b"\xff" * (0xFFFF - key), "L")
    return Image.merge("LA", (grey, opaque))
