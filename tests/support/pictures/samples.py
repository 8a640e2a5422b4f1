"""Test pictures, made in code; the bad ones are in `hostile`.

Each has a coloured patch in every corner, so that which way is up can be seen: `CORNERS`.
"""

import struct
import zlib
from collections.abc import Iterable
from functools import cache
from io import BytesIO
from itertools import product
from random import Random
from typing import Any, Final, Literal

from PIL import Image

Colour = tuple[int, int, int]

RED: Final = (230, 20, 20)
GREEN: Final = (20, 200, 20)
BLUE: Final = (20, 20, 230)
YELLOW: Final = (230, 220, 20)
# As seen when the picture stands upright: left and right above, left and right below.
CORNERS: Final = (RED, GREEN, BLUE, YELLOW)
# Stands wherever a picture can say something that must not be found in what is stored.
SECRET: Final = b"59.9386N 30.3141E"

PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
# How a camera held that way turns an upright scene: the inverse of what a viewer has to do.
_TURNED: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


def scene(width: int, height: int, *, orientation: int | None = None) -> Image.Image:
    """Paint a picture of this size that stands upright once `orientation` has been applied."""
    return _with_corners(Image.linear_gradient("L").resize((width, height)), orientation)


def _with_corners(ground: Image.Image, orientation: int | None = None) -> Image.Image:
    turn = _TURNED.get(orientation or 1)
    across, down = max(1, ground.width // 4), max(1, ground.height // 4)
    patches = Image.new("RGB", (2, 2))
    patches.putdata(CORNERS)
    if turn is not None:
        patches = patches.transpose(turn)
    picture = ground.convert("RGB")
    for right, below in product((0, 1), repeat=2):
        left, top = right * (ground.width - across), below * (ground.height - down)
        patch = patches.crop((right, below, right + 1, below + 1)).resize((across, down))
        picture.paste(patch, (left, top))
    return picture


def encoded(picture: Image.Image, form: str, **options: Any) -> bytes:
    output = BytesIO()
    picture.save(output, form, **options)
    return output.getvalue()


# Good pictures


@cache
def jpeg(
    width: int = 64,
    height: int = 48,
    *,
    mode: str = "RGB",
    exif_orientation: int | None = None,
    gps: bool = False,
    comment: bytes | None = None,
    profile: bytes | None = None,
    progressive: bool = False,
) -> bytes:
    """Width and height are those of the file, before `exif_orientation` is applied."""
    block = b""
    if exif_orientation is not None or gps:
        block = b"Exif\0\0" + exif(exif_orientation or 1, gps=gps)
    picture = scene(width, height, orientation=exif_orientation).convert(mode)
    return encoded(
        picture,
        "JPEG",
        quality=92,
        exif=block,
        comment=comment,
        icc_profile=profile,
        progressive=progressive,
    )


@cache
def phone_photo(width: int = 4000, height: int = 3000) -> bytes:
    """Twelve megapixels of a phone held upright: turned, located, commented, with a thumbnail."""
    grain = Random(12).randbytes
    rough = Image.frombytes("RGB", (width // 8, height // 8), grain(width // 8 * (height // 8) * 3))
    fine = Image.frombytes("L", (width // 2, height // 2), grain(width // 2 * (height // 2)))
    fine = fine.resize((width, height), Image.Resampling.BICUBIC)
    photo = rough.resize((width, height), Image.Resampling.BICUBIC)
    photo = _with_corners(Image.blend(photo, fine.convert("RGB"), 0.2), orientation=6)
    block = b"Exif\0\0" + exif(6, gps=True, thumbnail=jpeg(160, 120))
    return encoded(photo, "JPEG", quality=92, exif=block, comment=SECRET)


def png(
    width: int = 64,
    height: int = 48,
    *,
    mode: str = "RGB",
    exif_orientation: int | None = None,
    profile: bytes | None = None,
    text: bool = False,
) -> bytes:
    picture = scene(width, height, orientation=exif_orientation).convert(mode)
    options: dict[str, Any] = {"icc_profile": profile}
    if exif_orientation is not None:
        options["exif"] = exif(exif_orientation, gps=True)
    data = encoded(picture, "PNG", **options)
    if text:
        unpacked = b"Comment\0" + SECRET
        packed = b"Location\0\0" + zlib.compress(SECRET)
        marked = b"XML:com.adobe.xmp\0\0\0\0\0<x>" + SECRET + b"</x>"
        extra = chunk(b"tEXt", unpacked) + chunk(b"zTXt", packed) + chunk(b"iTXt", marked)
        data = data[:33] + extra + data[33:] + SECRET
    return data


def webp(
    width: int = 64,
    height: int = 48,
    *,
    mode: str = "RGB",
    exif_orientation: int | None = None,
    profile: bytes | None = None,
    lossless: bool = False,
) -> bytes:
    picture = scene(width, height, orientation=exif_orientation).convert(mode)
    options: dict[str, Any] = {"lossless": lossless, "icc_profile": profile}
    if exif_orientation is not None:
        options["exif"] = exif(exif_orientation, gps=True)
        options["xmp"] = SECRET
    return encoded(picture, "WEBP", **options)


def animation(form: Literal["PNG", "WEBP"]) -> bytes:
    """Two frames, of which the first is the scene and the second is black."""
    later = Image.new("RGB", (64, 48))
    return encoded(scene(64, 48), form, save_all=True, append_images=[later], duration=100)


def multi_picture() -> bytes:
    """Make what a phone with two lenses writes, and Pillow opens as another format, MPO."""
    return encoded(scene(64, 48), "MPO", save_all=True, append_images=[Image.new("RGB", (64, 48))])


def inked(colour: Colour, *, ycck: bool = False) -> bytes:
    """Make a JPEG of four inks the way Photoshop does: inverted, and perhaps as YCCK."""
    inks = [255 - part for part in colour] + [0]
    if not ycck:
        return encoded(Image.new("CMYK", (16, 16), tuple(inks)), "JPEG", quality=95)
    bright, blue, red = Image.new("RGB", (1, 1), tuple(inks[:3])).convert("YCbCr").split()
    stored = [band.tobytes()[0] for band in (bright, blue, red)]
    # Pillow inverts what it writes; the last ink it inverts to what Photoshop means by none.
    raw = tuple(255 - part for part in stored)
    data = encoded(Image.new("CMYK", (16, 16), (*raw, 0)), "JPEG", quality=95)
    at = data.index(b"Adobe") + 11
    return data[:at] + b"\2" + data[at + 1 :]


# Parts of files


def exif(
    orientation: int = 1, *, gps: bool = False, thumbnail: bytes = b"", order: str = "<"
) -> bytes:
    block = Image.Exif()
    block.endian = order
    block[0x010F] = SECRET.decode()
    block[0x0112] = orientation
    if gps:
        block.get_ifd(0x8825)[0x1D] = SECRET.decode()
    if thumbnail:
        block.get_ifd(0x8769)[0x927C] = thumbnail
    return block.tobytes().removeprefix(b"Exif\0\0")


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_of(
    size: tuple[int, int],
    depth: int,
    colour_type: int,
    rows: bytes,
    extra: Iterable[bytes] = (),
    *,
    interlaced: bool = False,
) -> bytes:
    """Build what Pillow cannot write; every row begins with its filter's number, 0 for none."""
    header = struct.pack(">IIBBBBB", *size, depth, colour_type, 0, 0, interlaced)
    parts = [chunk(b"IHDR", header), *extra, chunk(b"IDAT", zlib.compress(rows, 9))]
    return PNG_SIGNATURE + b"".join(parts) + chunk(b"IEND", b"")


def segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def with_segments(data: bytes, *segments: bytes) -> bytes:
    return data[:2] + b"".join(segments) + data[2:]


def riff(*chunks: tuple[bytes, bytes]) -> bytes:
    parts = [
        kind + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)
        for kind, body in chunks
    ]
    body = b"WEBP" + b"".join(parts)
    return b"RIFF" + struct.pack("<I", len(body)) + body
