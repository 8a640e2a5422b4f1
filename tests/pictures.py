"""Test pictures, good and bad, made in code.

Each good one has a coloured patch in every corner, so that which way is up can be seen: `CORNERS`.
`HOSTILE` are files that must be refused; `HARMLESS` are strange ones that are pictures all the same.
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
_LARGE: Final = 10 * 1024 * 1024
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


def encoded(picture: Image.Image, form: str, **options: Any) -> bytes:  # noqa: ANN401 - Pillow's
    output = BytesIO()
    picture.save(output, form, **options)
    return output.getvalue()


# Good pictures


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
    stored = [band.getextrema()[0] for band in (bright, blue, red)]
    # Pillow inverts what it writes; the last ink it inverts to what Photoshop means by none.
    raw = tuple(255 - int(part) for part in stored if isinstance(part, int))
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


# Colour profiles

_WHITE: Final = (0.9642, 1.0, 0.8249)
_PRIMARIES: Final = (
    (0.4361, 0.2225, 0.0139),
    (0.3851, 0.7169, 0.0971),
    (0.1431, 0.0606, 0.7141),
)


def swapped_profile(*, description: bytes = b"Swapped") -> bytes:
    """Make a colour space in which red means green and green means red."""
    green, red, blue = _PRIMARIES
    curve = struct.pack(">4sIIH", b"curv", 0, 1, int(2.2 * 256))
    tags = {b"rXYZ": _xyz(red), b"gXYZ": _xyz(green), b"bXYZ": _xyz(blue)}
    tags |= dict.fromkeys((b"rTRC", b"gTRC", b"bTRC"), curve)
    return _profile(b"mntr", b"RGB ", b"XYZ ", description, tags)


def linear_grey_profile() -> bytes:
    """Make a grey in which 128 is half the light, and so 188 in sRGB."""
    curve = struct.pack(">4sIIH", b"curv", 0, 1, 256)
    return _profile(b"mntr", b"GRAY", b"XYZ ", b"Linear", {b"kTRC": curve})


def green_ink_profile() -> bytes:
    """Make a print process whose inks, whatever they are, all give the same green on paper."""
    identity = struct.pack(
        ">9i", *(65536 * (row == column) for row in range(3) for column in range(3))
    )
    ramp = bytes(range(256))
    lab = bytes((140, 60, 190))
    table = b"mft1" + bytes(4) + bytes((4, 3, 2, 0)) + identity + ramp * 4 + lab * 16 + ramp * 3
    return _profile(b"prtr", b"CMYK", b"Lab ", b"Green", {b"A2B0": table})


def _xyz(values: tuple[float, float, float]) -> bytes:
    return struct.pack(">4sI3i", b"XYZ ", 0, *(round(value * 65536) for value in values))


def _profile(
    kind: bytes, space: bytes, connection: bytes, description: bytes, tags: dict[bytes, bytes]
) -> bytes:
    text = struct.pack(">4sII", b"desc", 0, len(description) + 1) + description + bytes(79)
    tags = {b"desc": text, b"wtpt": _xyz(_WHITE), **tags}
    table, bodies = struct.pack(">I", len(tags)), b""
    for name, tag in tags.items():
        at = 132 + 12 * len(tags) + len(bodies)
        table += struct.pack(">4sII", name, at, len(tag))
        bodies += tag + bytes(-len(tag) % 4)
    head = struct.pack(
        ">I4xI4s4s4s12x4s28x",
        132 + len(table) - 4 + len(bodies),
        0x02100000,
        kind,
        space,
        connection,
        b"acsp",
    )
    white = struct.pack(">3i", *(round(value * 65536) for value in _WHITE))
    return head + white + bytes(128 - len(head) - len(white)) + table + bodies


# Bad files


def _header_of_jpeg(width: int, height: int, components: int = 3, bits: int = 8) -> bytes:
    frame = struct.pack(">BHHB", bits, height, width, components)
    frame += b"".join(bytes((number, 0x11, 0)) for number in range(1, components + 1))
    scan = bytes((1, 1, 0, 0, 63, 0))
    return b"\xff\xd8" + segment(0xC0, frame) + segment(0xDA, scan) + b"\0\xff\xd9"


@cache
def one_bit_png(side: int = 13_000) -> bytes:
    """Make a file of about 20 kB that unpacks to 169 million pixels."""
    return png_of((side, side), 1, 0, bytes((side + 7) // 8 + 1) * side)


def _with_chunks(*chunks: bytes, data: bytes = b"", behind: bool = False) -> bytes:
    data = data or png()
    at = data.index(b"IEND") - 4 if behind else 33
    return data[:at] + b"".join(chunks) + data[at:]


@cache
def _bomb(size: int = 100 * 1024 * 1024) -> bytes:
    return zlib.compress(bytes(size), 9)


def _many_bombs() -> bytes:
    # Text without a keyword is text that Pillow unpacks and does not count.
    one = chunk(b"zTXt", b"\0\0" + zlib.compress(bytes(1_000_000), 9))
    return _with_chunks(one * (_LARGE // len(one)))


def _wrong_checksum() -> bytes:
    data = png()
    return data[:29] + bytes(4) + data[33:]


def _two_headers() -> bytes:
    large = struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    return _with_chunks(chunk(b"IHDR", large))


def _endless_scans() -> bytes:
    data = jpeg(progressive=True)
    start = data.index(b"\xff\xda")
    return data[:start] + data[start:-2] * 1000 + data[-2:]


def _lying_canvas(canvas: int, side: int) -> bytes:
    inner = webp(side, side)[12:]
    size = (canvas - 1).to_bytes(3, "little")
    return riff((b"VP8X", bytes(4) + size * 2), (inner[:4], inner[8:]))


def _damaged(data: bytes, at: float, length: int = 200) -> bytes:
    start = int(len(data) * at)
    return data[:start] + bytes(length) + data[start + length :]


_SCRIPT: Final = b"<?php system($_GET['c']); ?><script>alert(1)</script>"
_WEBP_LOSSLESS_400_MEGAPIXELS: Final = (
    b"\x2f" + (16_383 | 16_383 << 14).to_bytes(4, "little") + bytes(20)
)

_OTHER_KINDS: Final[dict[str, Factory]] = {
    "nothing": lambda: b"",
    "text": lambda: b"A bicycle, hardly used",
    "HTML": lambda: b"<!doctype html><script>alert(1)</script>",
    "SVG": lambda: b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
    "SVG with a prolog": lambda: b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
    "GIF": lambda: encoded(scene(64, 48), "GIF"),
    "BMP": lambda: encoded(scene(64, 48), "BMP"),
    "TIFF": lambda: encoded(scene(64, 48), "TIFF"),
    "ICO": lambda: encoded(scene(64, 64), "ICO"),
    "EPS": lambda: encoded(scene(64, 48), "EPS"),
    "PDF": lambda: b"%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj\n",
    "AVIF": lambda: b"\0\0\0\x20ftypavif\0\0\0\0avifmif1miaf",
    "ZIP": lambda: b"PK\x03\x04" + bytes(40),
    "half a PNG signature": lambda: PNG_SIGNATURE[:4],
    "WAVE in RIFF": lambda: b"RIFF\x24\0\0\0WAVEfmt " + bytes(28),
    "a JPEG behind a line of text": lambda: b"\n" + jpeg(),
}

_BAD_PICTURES: Final[dict[str, Factory]] = {
    # Not what they begin as.
    "script behind a JPEG signature": lambda: b"\xff\xd8\xff" + _SCRIPT,
    "script behind a JPEG header": lambda: jpeg()[:20] + _SCRIPT * 100,
    "script behind a PNG signature": lambda: PNG_SIGNATURE + _SCRIPT,
    "script behind a WebP header": lambda: b"RIFF\0\0\0\0WEBP" + _SCRIPT,
    "JPEG signature alone": lambda: b"\xff\xd8\xff",
    "PNG signature alone": lambda: PNG_SIGNATURE,
    "WebP signature alone": lambda: webp()[:12],
    # Cut off.
    "half a JPEG": lambda: jpeg(640, 480)[:3000],
    "half a large JPEG": lambda: phone_photo()[:2_000_000],
    "JPEG without its last byte": lambda: jpeg()[:-1],
    "half a progressive JPEG": lambda: jpeg(640, 480, progressive=True)[:3000],
    "half a PNG": lambda: png(640, 480)[:1000],
    "PNG without its last chunk": lambda: png()[:-12],
    "half a WebP": lambda: webp(640, 480)[:1000],
    "half a lossless WebP": lambda: webp(640, 480, lossless=True)[:300],
    # Damaged.
    "PNG with zeros among its pixels": lambda: _damaged(png(640, 480), 0.5),
    "PNG with a wrong checksum": _wrong_checksum,
    "PNG of no known kind": lambda: png_of((8, 8), 8, 5, bytes(72)),
    "PNG with too few pixels": lambda: png_of((640, 480), 8, 2, bytes(640)),
    "PNG without pixels": lambda: PNG_SIGNATURE + png()[8:33] + chunk(b"IEND", b""),
    "PNG of no size": lambda: png_of((0, 0), 8, 2, b""),
    "PNG with broken text": lambda: _with_chunks(chunk(b"zTXt", b"x\0\0" + b"not zlib")),
    "JPEG of two components": lambda: _header_of_jpeg(8, 8, components=2),
    "JPEG of 12 bits": lambda: _header_of_jpeg(8, 8, bits=12),
    "JPEG without tables": lambda: _header_of_jpeg(8, 8),
    "JPEG of no size": lambda: _header_of_jpeg(0, 0),
    "WebP with zeros for its picture": lambda: _damaged(webp(), 0.1),
    "WebP of an unknown kind": lambda: riff((b"VP9 ", bytes(100))),
    # Too many pixels, or a lie about them.
    "13,000 by 13,000 one-bit PNG": one_bit_png,
    "JPEG header of 400 megapixels": lambda: _header_of_jpeg(20_000, 20_000),
    "JPEG header of 4,295 megapixels": lambda: _header_of_jpeg(65_535, 65_535),
    "PNG header of 400 megapixels": lambda: png_of((20_000, 20_000), 8, 6, bytes(100)),
    "PNG header of 2³¹ by 2³¹": lambda: png_of((2**31 - 1, 2**31 - 1), 16, 6, bytes(100)),
    "PNG one pixel high": lambda: png_of((40_000_000, 1), 1, 0, bytes(5_000_001)),
    "PNG with two headers": _two_headers,
    "WebP canvas of 2²⁴ by 2⁸": lambda: riff((b"VP8X", bytes(4) + b"\xff" * 3 + b"\xff\0\0")),
    "WebP canvas of 400 megapixels": lambda: _lying_canvas(20_000, 64),
    "WebP canvas smaller than its picture": lambda: _lying_canvas(64, 640),
    "WebP header of 268 megapixels": lambda: riff((b"VP8L", _WEBP_LOSSLESS_400_MEGAPIXELS)),
    # Bombs.
    "zTXt bomb": lambda: _with_chunks(chunk(b"zTXt", b"Comment\0\0" + _bomb())),
    "iTXt bomb": lambda: _with_chunks(chunk(b"iTXt", b"Comment\0\1\0\0\0" + _bomb())),
    "iCCP bomb": lambda: _with_chunks(chunk(b"iCCP", b"Profile\0\0" + _bomb())),
    "zTXt bomb behind the pixels": lambda: _with_chunks(
        chunk(b"zTXt", b"Comment\0\0" + _bomb()), behind=True
    ),
    "ten thousand small zTXt bombs": _many_bombs,
    "PNG of a million chunks": lambda: _with_chunks(chunk(b"tEXt", b"") * (_LARGE // 12)),
    "JPEG of two million segments": lambda: with_segments(jpeg(), b"\xff\xe1\0\2" * (_LARGE // 4)),
    "JPEG of 900,000 EXIF blocks": lambda: with_segments(
        jpeg(), segment(0xE1, b"Exif\0\0x") * (_LARGE // 11)
    ),
    "JPEG of a hundred thousand tables": lambda: with_segments(
        jpeg(), segment(0xDB, (b"\0" + bytes(range(1, 65))) * 1000) * (_LARGE // 65_000)
    ),
    "JPEG of a thousand scans": _endless_scans,
    "JPEG of nothing but padding": lambda: b"\xff\xd8" + b"\xff" * _LARGE,
    "JPEG of nothing but junk": lambda: b"\xff\xd8\xff\xe0\0\2" + b"junk" * (_LARGE // 4),
    "WebP of a million chunks": lambda: riff(
        (b"VP8X", bytes(4) + b"\x3f\0\0\x2f\0\0"), *[(b"EXIF", b"")] * 1_000_000
    ),
    "JPEG with a colour profile of 8 MB": lambda: with_segments(
        jpeg(), *[segment(0xE2, b"ICC_PROFILE\0" + bytes((n, 130)) + bytes(65_000))
                  for n in range(1, 131)]
    ),
    "WebP with a colour profile of 8 MB": lambda: riff(
        (b"VP8X", b"\x20" + bytes(3) + b"\x3f\0\0\x2f\0\0"), (b"ICCP", bytes(8_000_000))
    ),
}

HOSTILE: Final[dict[str, Hostile]] = {
    **{name: Hostile(make, 415) for name, make in _OTHER_KINDS.items()},
    **{name: Hostile(make, 400) for name, make in _BAD_PICTURES.items()},
}


def _greedy_exif() -> bytes:
    """Make 5,000 entries that all claim the whole block: a reader that believes them needs 320 MB."""
    entries = b"".join(struct.pack("<HHII", tag, 7, 64_000, 8) for tag in range(5000))
    return b"II*\0\x08\0\0\0" + struct.pack("<H", 5000) + entries + bytes(4)


def _absurd_profile() -> bytes:
    profile = bytearray(swapped_profile())
    # As many tags as there can be numbers, and a first one that lies at the end of the world.
    profile[128:144] = b"\xff" * 16
    return bytes(profile)


# Each of them is `scene(64, 48)` with something attached that a reader might stumble over.
HARMLESS: Final[dict[str, Factory]] = {
    "JPEG with a script behind it": lambda: jpeg() + _SCRIPT,
    "JPEG with a film behind it": lambda: jpeg() + b"\0\0\0\x18ftypmp42" + bytes(100_000),
    "JPEG with a script for a comment": lambda: jpeg(comment=_SCRIPT),
    "JPEG with a script between segments": lambda: with_segments(jpeg(), _SCRIPT),
    "JPEG with padding between segments": lambda: with_segments(jpeg(), b"\xff" * 100_000),
    "JPEG with greedy EXIF": lambda: with_segments(
        jpeg(), segment(0xE1, b"Exif\0\0" + _greedy_exif())
    ),
    "JPEG with greedy MPF": lambda: with_segments(
        jpeg(), segment(0xE2, b"MPF\0" + _greedy_exif())
    ),
    "JPEG with EXIF that points nowhere": lambda: with_segments(
        jpeg(), segment(0xE1, b"Exif\0\0MM\0*\xff\xff\xff\xff")
    ),
    "JPEG with empty EXIF": lambda: with_segments(jpeg(), segment(0xE1, b"Exif\0\0")),
    "JPEG with an orientation of 9": lambda: jpeg(exif_orientation=9),
    "JPEG with an absurd profile": lambda: jpeg(profile=_absurd_profile()),
    "JPEG with a profile of zeros": lambda: jpeg(profile=bytes(5000)),
    "JPEG with the profile of a printer": lambda: jpeg(profile=green_ink_profile()),
    "JPEG with one part of five of a profile": lambda: with_segments(
        jpeg(), segment(0xE2, b"ICC_PROFILE\0\2\5" + bytes(1000))
    ),
    "PNG with a script behind it": lambda: png() + _SCRIPT,
    "PNG with greedy EXIF": lambda: _with_chunks(chunk(b"eXIf", _greedy_exif())),
    "PNG with an absurd profile": lambda: png(profile=_absurd_profile()),
    "PNG with all kinds of text": lambda: png(text=True),
    "PNG with a broken animation": lambda: _with_chunks(
        chunk(b"acTL", bytes(8)), chunk(b"fcTL", b"\xff" * 26)
    ),
    "PNG with a gigabyte too many pixels": lambda: _with_more_pixels(),
    "WebP with a script behind it": lambda: webp() + _SCRIPT,
    "WebP with an absurd profile": lambda: webp(profile=_absurd_profile()),
    "WebP with greedy EXIF": lambda: encoded(scene(64, 48), "WEBP", exif=_greedy_exif()),
}


@cache
def _with_more_pixels() -> bytes:
    pixels = scene(64, 48).tobytes()
    rows = b"".join(b"\0" + pixels[at : at + 192] for at in range(0, len(pixels), 192))
    packer = zlib.compressobj(9)
    packed = packer.compress(rows) + packer.compress(bytes(2**26)) * 0
    for _ in range(16):
        packed += packer.compress(bytes(2**26))
    packed += packer.flush()
    header = png()[8:33]
    return PNG_SIGNATURE + header + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
