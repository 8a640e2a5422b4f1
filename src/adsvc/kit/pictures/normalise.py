"""Turns an uploaded picture into the picture that is stored.

The stored picture is upright, in sRGB, reduced if needed, and encoded again. Nothing else of the
upload remains, neither metadata nor trailing bytes. The format is recognised by the bytes alone.
These are pure functions, which run in child processes (see `adsvc.kit.pictures.sandbox`).

The order of the steps saves memory: once decoded, a picture is never copied in full size.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from io import BytesIO
from typing import Any, Final, NamedTuple

from PIL import Image, ImageCms, ImageFile, ImageOps, WebPImagePlugin

from adsvc.kit.errors import InvalidImageError, UnsupportedImageError
from adsvc.kit.pictures.containers import (
    BROKEN,
    END_OF_JPEG,
    EXTENSIONS,
    ICON_SIDE,
    ICONS,
    MAX_SIDE,
    SHARE,
    SHARE_MAX_BYTES,
    TRUNCATED,
    VARIANTS,
    Contents,
    Durations,
    Format,
    Picture,
    reader_of,
    size_within,
)

# How many times as large as its upload a stored picture may be, because limits count uploads. A few
# kilobytes may always become some more.
GROWTH: Final = 1.5

ALWAYS_FITS: Final = 128 * 1024
_JPEG_QUALITIES: Final = (85, 60, 35)
_WEBP_QUALITIES: Final = (80, 50)
_VARIANT_QUALITIES: Final = (75, 50, 20)
# Even noise of the largest size fits by the last one.
_SHARE_QUALITIES: Final = (80, 60, 35, 10)
_PALETTE: Final = 256

# A little below what would just fit if bytes were proportional to pixels.
_MARGIN: Final = 0.95


class _Encoding(NamedTuple):
    format: Format
    options: dict[str, Any]
    # Whether to write a palette, as in the upload.
    palette: bool = False


def largest(upload: int) -> int:
    """The most bytes that may be stored for an upload of that size."""
    return max(ALWAYS_FITS, int(upload * GROWTH))


class Encoded(NamedTuple):
    data: bytes
    format: Format
    size: tuple[int, int]


def encode(picture: Image.Image, contents: Contents, limit: int) -> Encoded:
    """Encodes by the first of several ways that fits; format and size may change."""
    transparency = picture.info.get("transparency") if picture.mode == "P" else None
    # Pillow would write some metadata again: a comment, a profile, a transparent colour.
    picture.info.clear()
    data, attempt = b"", _Encoding(contents.format, {})
    for attempt in _attempts(picture, contents):
        data = _saved(picture, attempt, transparency)
        if len(data) <= limit:
            return Encoded(data, attempt.format, picture.size)
    # Only fewer pixels help.
    while len(data) > limit:
        factor = math.sqrt(limit / len(data)) * _MARGIN
        size = [max(1, int(side * factor)) for side in picture.size]
        picture = _in_full_colour(picture).resize((size[0], size[1]), Image.Resampling.LANCZOS)
        data = _saved(picture, attempt, None)
    return Encoded(data, attempt.format, picture.size)


def encode_share(picture: Image.Image) -> bytes:
    """A JPEG for previews of links, white where the picture is transparent."""
    opaque = Image.new("RGB", picture.size, "white")
    opaque.paste(picture, mask=picture.getchannel("A") if "A" in picture.getbands() else None)
    return _best(opaque, SHARE_MAX_BYTES, "JPEG", _SHARE_QUALITIES)


def _best(
    picture: Image.Image, limit: int, form: str, qualities: Sequence[int], **options: int
) -> bytes:
    data = b""
    for quality in qualities:
        output = BytesIO()
        picture.save(output, form, quality=quality, **options)
        data = output.getvalue()
        if len(data) <= limit:
            break
    return data


def _attempts(picture: Image.Image, contents: Contents) -> Iterator[_Encoding]:
    """The best first. For speed: a step up in effort saves little and takes three times as long."""
    if contents.format == "JPEG":
        for quality in _JPEG_QUALITIES:
            yield _Encoding("JPEG", {"quality": quality})
        return
    if contents.format == "PNG":
        yield _Encoding("PNG", {"compress_level": 3})
        if contents.palette and picture.mode != "P":
            yield _Encoding("PNG", {"compress_level": 3}, palette=True)
    elif contents.lossless:
        # Drawings stay sharp. For this mode quality means effort.
        yield _Encoding("WEBP", {"lossless": True, "quality": 0, "method": 1})
    for quality in _WEBP_QUALITIES:
        yield _Encoding("WEBP", {"quality": quality, "method": 2})


def _saved(picture: Image.Image, attempt: _Encoding, transparency: object) -> bytes:
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


# Modes that can be scaled; a palette's numbers cannot.
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


# If a variant's pixel covers at least this many pixels, pairs are averaged first. That takes half
# the time and makes no visible difference.
_GAP: Final = 1.2

# The most bytes of a variant, by its pixels. Photographs take a third of that.
_LEAST_BYTES: Final = 4096

_PIXELS_A_BYTE: Final = 2


def with_variants(stored: Picture, picture: Image.Image) -> Picture:
    """The stored picture with its variants. Each one is made from the one before it."""
    made = {}
    source = premultiplied(picture)
    for variant, side in sorted(VARIANTS.items(), key=lambda item: -item[1]):
        width, height = size_within((stored.width, stored.height), side)
        if source.size != (width, height):
            source = source.resize((width, height), Image.Resampling.HAMMING, reducing_gap=_GAP)
        limit = _LEAST_BYTES + width * height // _PIXELS_A_BYTE
        straight = in_mode(source, STRAIGHT)
        # A step up in effort takes a quarter longer and saves three bytes in a hundred.
        made[variant] = (
            encode_share(straight)
            if variant == SHARE
            else _best(straight, limit, "WEBP", _VARIANT_QUALITIES, method=0)
        )
    return replace(stored, placeholder=_average(source), variants=made)


def _average(picture: Image.Image) -> str:
    """The average colour, with white where it is transparent."""
    pixel = picture.resize((1, 1), Image.Resampling.BOX)
    if pixel.mode not in STRAIGHT:
        # The fourth sample of libwebp's pixels has no meaning.
        return f"#{pixel.convert('RGB').tobytes().hex()}"
    *colour, alpha = pixel.tobytes()
    samples = [min(255, sample + 255 - alpha) for sample in colour]
    return f"#{bytes(samples * (3 // len(samples))).hex()}"


# Our limit is checked by the header before Pillow opens the file. Pillow's own one only warns at
# first, and may be lower than the operator's.
Image.MAX_IMAGE_PIXELS = None

# Truncated pictures are refused, and not filled up with grey.
ImageFile.LOAD_TRUNCATED_IMAGES = False

# A JPEG can be decoded at a half, a quarter or an eighth for a fraction of the time. If that alone
# is this close to the wanted size, it is used: 4000 pixels become 2000, not 2048.
_NEAR_ENOUGH: Final = 0.9

# How much of a picture is scaled at a time, in pixels.
_BAND: Final = 4_000_000

# If LANCZOS would shrink by more than this, a plain mean of pixels does the first part, without a
# visible difference.
_REDUCING_GAP: Final = 3.0

_TURNS: Final[Mapping[object, Image.Transpose]] = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}

_BITS: Final = 8


def normalise(
    data: bytes, *, max_pixels: int, max_side: int = 2048, variants: bool = False
) -> Picture:
    read = reader_of(data)
    if read is None:
        raise UnsupportedImageError
    began = time.perf_counter()
    try:
        contents = read(data)
        _check_size(contents.size, max_pixels)
        if contents.unended:
            _require_all_pixels(contents, max_side)
        picture = _decoded(contents, max_side)
        if not _may_stay(picture, contents, max_side):
            picture = _in_srgb(_scaled(picture, max_side), contents.colour_profile)
    except InvalidImageError:
        raise
    except Exception as error:
        # Hostile bytes make a decoder raise nearly anything.
        raise InvalidImageError(BROKEN) from error
    turn = _TURNS.get(contents.orientation)
    if turn is not None:
        picture = picture.transpose(turn)
    decoded_at = time.perf_counter()
    # The encoder removes such data as the transparent colour, which scaling needs.
    small = scalable(picture) if variants else picture
    stored = encode(picture, contents, largest(len(data)))
    whole = Picture(stored.data, EXTENSIONS[stored.format], *stored.size)
    made = with_variants(whole, small) if variants else whole
    durations = Durations(decoded_at - began, time.perf_counter() - decoded_at)
    return replace(made, durations=durations)


# Systems cut icons to a shape: the part that is never cut (safe zone, W3C Web App Manifest).
_SAFE: Final = 0.8


def icon(data: bytes, *, max_pixels: int) -> Picture:
    """A square PNG with the whole picture, and its variants. Smaller pictures are enlarged."""
    whole = normalise(data, max_pixels=max_pixels, max_side=ICON_SIDE)
    picture = Image.open(BytesIO(whole.data)).convert("RGBA")
    variants = {
        "tiny": _square(picture, ICONS["tiny"]),
        # What is transparent would be black on a phone.
        "apple": _square(picture, ICONS["apple"], ground="white"),
        "small": _square(picture, ICONS["small"]),
        "maskable": _square(picture, ICONS["maskable"], ground="white", part=_SAFE),
    }
    made = Picture(_square(picture, ICON_SIDE), "png", ICON_SIDE, ICON_SIDE, variants=variants)
    return replace(made, durations=whole.durations)


def _square(
    picture: Image.Image, side: int, *, ground: str | None = None, part: float = 1
) -> bytes:
    inner = ImageOps.contain(picture, (round(side * part), round(side * part)))
    square = Image.new("RGBA", (side, side), ground or (0, 0, 0, 0))
    square.alpha_composite(inner, ((side - inner.width) // 2, (side - inner.height) // 2))
    output = BytesIO()
    square.save(output, "PNG")
    return output.getvalue()


def _may_stay(picture: Image.Image, contents: Contents, max_side: int) -> bool:
    """Whether a palette is kept: it takes a third of what colours do."""
    fits = max(picture.size) <= max_side and not contents.colour_profile
    return fits and (
        picture.mode == "P" or (picture.mode == "1" and not picture.has_transparency_data)
    )


def _check_size(size: tuple[int, int], max_pixels: int) -> None:
    if size[0] * size[1] > max_pixels:
        raise InvalidImageError(f"The image has more than {max_pixels} pixels.")
    if max(size) > MAX_SIDE:
        raise InvalidImageError(f"A side of the image is longer than {MAX_SIDE} pixels.")


def _decoded(contents: Contents, max_side: int) -> Image.Image:
    picture = Image.open(BytesIO(contents.data), formats=(contents.format,))
    # A file can have two headers that differ.
    if picture.size != contents.size:
        raise InvalidImageError(BROKEN)
    if isinstance(picture, WebPImagePlugin.WebPImageFile):
        return _decoded_webp(picture)
    if contents.format == "JPEG":
        _decode_smaller(picture, max_side)
    picture.load()
    if picture.mode == "P" and picture.palette is None:
        raise InvalidImageError(BROKEN)
    # Pillow does not scale the transparent colour of a PNG with 16 bits, but scales the samples.
    key = picture.info.get("transparency")
    if picture.mode == "RGB" and key and contents.depth > _BITS:
        picture.info["transparency"] = tuple(sample >> _BITS for sample in key)
    elif picture.mode == "L" and key and contents.depth < _BITS:
        picture.info["transparency"] = key * 255 // (2**contents.depth - 1)
    return picture


# Bits that no missing pixels decode to, where libjpeg would go on with zeros.
_FILLER: Final = bytes((0x55, 0xAA, 0x33, 0xCC)) * 1024


def _require_all_pixels(contents: Contents, max_side: int) -> None:
    """Refuses a JPEG whose pixels end too early: what is appended to it then changes its pixels.

    libjpeg fills a picture up with grey, and reports that to no caller of Pillow.
    """
    ends = (b"", _FILLER)
    data = contents.data.removesuffix(END_OF_JPEG)
    decoded = {
        blake2b(
            _decoded(contents._replace(data=data + end + END_OF_JPEG), max_side).tobytes()
        ).digest()
        for end in ends
    }
    if len(decoded) > 1:
        raise InvalidImageError(TRUNCATED)


def _decoded_webp(picture: WebPImagePlugin.WebPImageFile) -> Image.Image:
    """Take the first frame from Pillow's decoder, without its `load`.

    `load` keeps the decoder's two canvases and a copy of the pixels while it fills the picture: 16
    bytes a pixel. This way it is 12, and 8 of them are freed at once.
    """
    pixels, _ = picture._decoder.get_next()  # noqa: SLF001
    mode, size = picture.rawmode, picture.size
    picture._decoder = None  # noqa: SLF001
    return Image.frombuffer(mode, size, pixels, "raw", mode, 0, 1)


def _decode_smaller(picture: ImageFile.ImageFile, max_side: int) -> None:
    width, height = picture.size
    for divisor in (8, 4, 2):
        if math.ceil(max(width, height) / divisor) >= max_side * _NEAR_ENOUGH:
            picture.draft(None, (width // divisor or 1, height // divisor or 1))
            return


def _scaled(picture: Image.Image, max_side: int) -> Image.Image:
    """Shrink to `max_side`: across in bands, then down.

    Before scaling, a palette is converted to colours, and colours with alpha to premultiplied ones.
    By bands, no second picture of the full size is made.
    """
    width, height = picture.size
    longest = max(width, height)
    if longest <= max_side:
        return scalable(picture)
    size = max(1, round(width * max_side / longest)), max(1, round(height * max_side / longest))
    mode = premultiplied(picture.crop((0, 0, 1, 1))).mode
    narrow = Image.new(mode, (size[0], height))
    rows = max(1, _BAND // width)
    for top in range(0, height, rows):
        band = premultiplied(picture.crop((0, top, width, min(top + rows, height))))
        band = band.resize(
            (size[0], band.height), Image.Resampling.LANCZOS, reducing_gap=_REDUCING_GAP
        )
        narrow.paste(band, (0, top))
    del picture
    scaled = narrow.resize(size, Image.Resampling.LANCZOS, reducing_gap=_REDUCING_GAP)
    return in_mode(scaled, STRAIGHT)


def _in_srgb(picture: Image.Image, profile: bytes) -> Image.Image:
    """Ignore a profile that cannot be used, as browsers do."""
    # `mpet` is a chain of any number of steps; one of 40 kB would take a second and a half.
    if profile and b"mpet" not in profile:
        with suppress(ImageCms.PyCMSError, OSError, TypeError, ValueError):
            picture = _converted(picture, profile)
    return picture.convert("RGB") if picture.mode == "CMYK" else picture


def _converted(picture: Image.Image, profile: bytes) -> Image.Image:
    source = ImageCms.ImageCmsProfile(BytesIO(profile))
    # Most profiles are sRGB; converting them would cost more than all the rest.
    if ImageCms.getProfileDescription(source).startswith("sRGB"):
        return picture
    if picture.mode == "LA":
        grey, alpha = picture.split()
        return Image.merge("LA", (_converted(grey, profile), alpha))
    mode = "RGBA" if picture.mode == "RGBA" else "RGB"
    transform = ImageCms.buildTransform(source, ImageCms.createProfile("sRGB"), picture.mode, mode)
    converted = transform.apply(picture)
    return converted.convert("L") if picture.mode == "L" else converted
