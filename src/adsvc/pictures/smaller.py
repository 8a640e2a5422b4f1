"""Makes the variants of a picture, and the colour that stands for it until it has come."""

from dataclasses import replace
from typing import Final

from PIL import Image

from adsvc.pictures.encoding import encode_variant
from adsvc.pictures.modes import STRAIGHT, in_mode, premultiplied
from adsvc.pictures.picture import Picture
from adsvc.pictures.variants import VARIANTS, size_within

# How often a pixel of the source has to fit into one of the variant before pairs are averaged
# first, which takes half the time and cannot be seen.
_GAP: Final = 1.2

# How many bytes a variant may have, by its pixels. Photographs take a third of that.
_LEAST_BYTES: Final = 4096

_PIXELS_A_BYTE: Final = 2


def with_variants(stored: Picture, picture: Image.Image) -> Picture:
    """The stored picture with variants made of the decoded one, each of the one before it."""
    made = {}
    source = premultiplied(picture)
    for variant, side in sorted(VARIANTS.items(), key=lambda item: -item[1]):
        width, height = size_within((stored.width, stored.height), side)
        if source.size != (width, height):
            source = source.resize((width, height), Image.Resampling.HAMMING, reducing_gap=_GAP)
        limit = _LEAST_BYTES + width * height // _PIXELS_A_BYTE
        made[variant] = encode_variant(in_mode(source, STRAIGHT), limit)
    return replace(stored, placeholder=_average(source), variants=made)


def _average(picture: Image.Image) -> str:
    """On white, where it is transparent."""
    pixel = picture.resize((1, 1), Image.Resampling.BOX)
    if pixel.mode not in STRAIGHT:
        # libwebp's pixels have a fourth sample that means nothing.
        return f"#{pixel.convert('RGB').tobytes().hex()}"
    *colour, alpha = pixel.tobytes()
    samples = [min(255, sample + 255 - alpha) for sample in colour]
    return f"#{bytes(samples * (3 // len(samples))).hex()}"
