"""Files that must be refused."""

import struct
import zlib
from collections.abc import Callable
from functools import cache
from typing import Final, Literal, NamedTuple

from support.pictures.samples import (
    PNG_SIGNATURE,
    chunk,
    encoded,
    jpeg,
    phone_photo,
    png,
    png_of,
    riff,
    scene,
    segment,
    webp,
    with_segments,
)

Factory = Callable[[], bytes]

# As much as may be uploaded.
_LARGE: Final = 10 * 1024 * 1024


class Hostile(NamedTuple):
    make: Factory
    # 415 for a kind of file that is not taken, 400 for a bad one of a kind that is.
    status: Literal[400, 415]


def _header_of_jpeg(width: int, height: int, components: int = 3, bits: int = 8) -> bytes:
    frame = struct.pack(">BHHB", bits, height, width, components)
    frame += b"".join(bytes((number, 0x11, 0)) for number in range(1, components + 1))
    scan = bytes((1, 1, 0, 0, 63, 0))
    return b"\xff\xd8" + segment(0xC0, frame) + segment(0xDA, scan) + b"\0\xff\xd9"


@cache
def one_bit_png(side: int = 13_000) -> bytes:
    """Make a file of about 20 kB that unpacks to 169 million pixels."""
    return png_of((side, side), 1, 0, bytes((side + 7) // 8 + 1) * side)


def with_chunks(*chunks: bytes, data: bytes = b"", behind: bool = False) -> bytes:
    data = data or png()
    at = data.index(b"IEND") - 4 if behind else 33
    return data[:at] + b"".join(chunks) + data[at:]


@cache
def _bomb(size: int = 100 * 1024 * 1024) -> bytes:
    return zlib.compress(bytes(size), 9)


def _many_bombs() -> bytes:
    # Text without a keyword is text that Pillow unpacks and does not count.
    one = chunk(b"zTXt", b"\0\0" + zlib.compress(bytes(1_000_000), 9))
    return with_chunks(one * (_LARGE // len(one)))


def _wrong_checksum() -> bytes:
    data = png()
    return data[:29] + bytes(4) + data[33:]


def _two_headers() -> bytes:
    large = struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    return with_chunks(chunk(b"IHDR", large))


def _endless_scans() -> bytes:
    data = jpeg(progressive=True)
    start = data.rindex(b"\xff\xda")
    return data[:start] + data[start:-2] * 1000 + data[-2:]


def _lying_canvas(canvas: int, side: int) -> bytes:
    inner = webp(side, side)[12:]
    size = (canvas - 1).to_bytes(3, "little")
    return riff((b"VP8X", bytes(4) + size * 2), (inner[:4], inner[8:]))


def _lossless_header(side: int) -> bytes:
    size = (side - 1) | (side - 1) << 14
    return riff((b"VP8L", b"\x2f" + size.to_bytes(4, "little") + bytes(20)))


def _damaged(data: bytes, at: float, length: int = 200) -> bytes:
    start = int(len(data) * at)
    return data[:start] + bytes(length) + data[start + length :]


SCRIPT: Final = b"<?php system($_GET['c']); ?><script>alert(1)</script>"

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
    "script behind a JPEG signature": lambda: b"\xff\xd8\xff" + SCRIPT,
    "script behind a JPEG header": lambda: jpeg()[:20] + SCRIPT * 100,
    "script behind a PNG signature": lambda: PNG_SIGNATURE + SCRIPT,
    "script behind a WebP header": lambda: b"RIFF\0\0\0\0WEBP" + SCRIPT,
    "JPEG signature alone": lambda: b"\xff\xd8\xff",
    "PNG signature alone": lambda: PNG_SIGNATURE,
    "WebP signature alone": lambda: webp()[:12],
    # Cut off.
    "half a JPEG": lambda: jpeg(640, 480)[:3000],
    "half a large JPEG": lambda: phone_photo()[:2_000_000],
    "JPEG without its last pixels": lambda: jpeg()[:-10],
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
    "PNG with broken text": lambda: with_chunks(chunk(b"zTXt", b"x\0\0" + b"not zlib")),
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
    "WebP header of 268 megapixels": lambda: _lossless_header(16_384),
    # As many pixels as are allowed, and not there.
    "PNG header of 40 megapixels": lambda: png_of((6324, 6324), 16, 6, bytes(100)),
    "WebP header of 40 megapixels": lambda: _lossless_header(6324),
    # Bombs.
    "zTXt bomb": lambda: with_chunks(chunk(b"zTXt", b"Comment\0\0" + _bomb())),
    "iTXt bomb": lambda: with_chunks(chunk(b"iTXt", b"Comment\0\1\0\0\0" + _bomb())),
    "iCCP bomb": lambda: with_chunks(chunk(b"iCCP", b"Profile\0\0" + _bomb())),
    "zTXt bomb behind the pixels": lambda: with_chunks(
        chunk(b"zTXt", b"Comment\0\0" + _bomb()), behind=True
    ),
    "ten thousand small zTXt bombs": _many_bombs,
    "PNG of a million chunks": lambda: with_chunks(chunk(b"tEXt", b"") * (_LARGE // 12)),
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
        jpeg(),
        *[segment(0xE2, b"ICC_PROFILE\0" + bytes((n, 130)) + bytes(65_000)) for n in range(1, 131)],
    ),
    "WebP with a colour profile of 8 MB": lambda: webp(profile=bytes(8_000_000)),
}

HOSTILE: Final[dict[str, Hostile]] = {
    **{name: Hostile(make, 415) for name, make in _OTHER_KINDS.items()},
    **{name: Hostile(make, 400) for name, make in _BAD_PICTURES.items()},
}
