"""Encodes a picture for the web, in no more bytes than it may take."""

import math
from collections.abc import Iterator
from io import BytesIO
from typing import Any, Final, NamedTuple

from PIL import Image

from adsvc.pictures.containers import Contents, Format

# How much larger than its upload a stored picture may be: what comes in is what limits count. A few
# kilobytes may always become some more.
GROWTH: Final = 1.5

ALWAYS_FITS: Final = 128 * 1024

_JPEG_QUALITIES: Final = (85, 60, 35)

_WEBP_QUALITIES: Final = (80, 50)

_VARIANT_QUALITIES: Final = (75, 50, 20)

_PALETTE: Final = 256

# A little below what would just fit if bytes went with pixels, which they do not quite.
_MARGIN: Final = 0.95


class _Attempt(NamedTuple):
    format: Format
    options: dict[str, Any]
    # Whether the colours become a palette again, as those of the upload were.
    palette: bool = False


def largest(upload: int) -> int:
    """How many bytes may be stored of an upload of that size."""
    return max(ALWAYS_FITS, int(upload * GROWTH))


class Encoded(NamedTuple):
    data: bytes
    format: Format
    size: tuple[int, int]


def encode(picture: Image.Image, contents: Contents, limit: int) -> Encoded:
    """The first of several ways whose outcome fits; format and size may become others."""
    transparency = picture.info.get("transparency") if picture.mode == "P" else None
    # Pillow would write some of what it has read: a comment, a profile, a transparent colour.
    picture.info.clear()
    data, attempt = b"", _Attempt(contents.format, {})
    for attempt in _attempts(picture, contents):
        data = _saved(picture, attempt, transparency)
        if len(data) <= limit:
            return Encoded(data, attempt.format, picture.size)
    # Nothing but fewer pixels will do.
    while len(data) > limit:
        factor = math.sqrt(limit / len(data)) * _MARGIN
        size = [max(1, int(side * factor)) for side in picture.size]
        picture = _in_full_colour(picture).resize((size[0], size[1]), Image.Resampling.LANCZOS)
        data = _saved(picture, attempt, None)
    return Encoded(data, attempt.format, picture.size)


def encode_variant(picture: Image.Image, limit: int) -> bytes:
    """As WebP of the best quality that fits, or else of the lowest."""
    data = b""
    for quality in _VARIANT_QUALITIES:
        output = BytesIO()
        # A step up in effort takes a quarter longer and saves three bytes in a hundred.
        picture.save(output, "WEBP", quality=quality, method=0)
        data = output.getvalue()
        if len(data) <= limit:
            break
    return data


def _attempts(picture: Image.Image, contents: Contents) -> Iterator[_Attempt]:
    """The best first. For speed: a step up in effort saves little and takes three times as long."""
    if contents.format == "JPEG":
        for quality in _JPEG_QUALITIES:
            yield _Attempt("JPEG", {"quality": quality})
        return
    if contents.format == "PNG":
        yield _Attempt("PNG", {"compress_level": 3})
        if contents.palette and picture.mode != "P":
            yield _Attempt("PNG", {"compress_level": 3}, palette=True)
    elif contents.lossless:
        # A drawing stays sharp. For this mode quality means effort.
        yield _Attempt("WEBP", {"lossless": True, "quality": 0, "method": 1})
    for quality in _WEBP_QUALITIES:
        yield _Attempt("WEBP", {"quality": quality, "method": 2})


def _saved(picture: Image.Image, attempt: _Attempt, transparency: object) -> bytes:
    options = attempt.options
    if picture.mode == "P" and transparency is not None:
        options = {**options, "transparency": transparency}
        if attempt.format != "PNG":
            picture = picture.copy()
            picture.info["transparency"] = transparency
            picture, options = _in_full_colour(picture), attempt.options
    if attempt.palette:
        picture = _in_full_colour(picture).quantize(_PALETTE, Image.Quantize.FASTOCTREE)
    output = BytesIO()
    picture.save(output, attempt.format, **options)
    return output.getvalue()


def _in_full_colour(picture: Image.Image) -> Image.Image:
    if picture.mode in {"RGB", "RGBA", "L"}:
        return picture
    has_alpha = picture.has_transparency_data
    return picture.convert("RGBA" if has_alpha else "RGB")
