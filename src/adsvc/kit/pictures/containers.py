"""Parses an uploaded file, before Pillow sees it.

The result contains what decodes the first frame, and nothing else. Pillow's own readers process all
metadata, and hostile ones make them copy gigabytes or loop for minutes: ten thousand colour
profiles, a million empty chunks. What is left out here cannot do that, raises no warning, and
cannot reach the output.

Each loop is bounded in its steps, and in the bytes that it unpacks, whatever the file claims.
"""

import re
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, Literal, NamedTuple

from adsvc.kit.errors import InvalidImageError

_ORIENTATION: Final = 0x0112


def orientation_of(exif: bytes) -> object:
    """The orientation, from 1 to 8; 1 if EXIF cannot be read, as in many good pictures.

    Pillow reads no more of the values than the block has bytes, wherever its entries point.
    """
    from PIL import Image  # noqa: PLC0415 - not in the service

    block = Image.Exif()
    with warnings.catch_warnings(), suppress(Exception):
        # Pillow warns for each bad entry.
        warnings.simplefilter("ignore")
        block.load(exif)
        return block.get(_ORIENTATION, 1)
    return 1


Format = Literal["JPEG", "PNG", "WEBP"]

# A ten-megabyte file written 8 kB at a time has 1,280 parts.
_MAX_PARTS: Final = 20_000

# What compressed text and a colour profile may unpack to; the largest print profiles take 3 MiB.
_MAX_METADATA: Final = 4 * 1024 * 1024

# Every scan of a progressive JPEG passes over the whole picture; encoders write about ten.
_MAX_SCANS: Final = 64

# The tables that decode a JPEG take a few hundred bytes a scan, a JFIF thumbnail up to 64 kB.
_MAX_TABLES: Final = 256 * 1024

BROKEN: Final = "The image cannot be decoded."
TRUNCATED: Final = "The image ends too early."
_TOO_MANY_PARTS: Final = f"The image file has more than {_MAX_PARTS} parts."
_TOO_MANY_SCANS: Final = f"The image has more than {_MAX_SCANS} scans."
_TOO_MUCH_METADATA: Final = f"The image has more than {_MAX_METADATA >> 20} MiB of metadata."
_PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"


class Contents(NamedTuple):
    """A parsed file; `size` is what its header claims."""

    format: Format
    # What decodes the first frame.
    data: bytes
    size: tuple[int, int]
    # EXIF's number, from 1 to 8; other values have no meaning.
    orientation: object
    colour_profile: bytes
    # Only a PNG has `depth`, the bits of a sample, and only a WebP `lossless`.
    depth: int = 8
    lossless: bool = False
    # Whether a PNG has a palette.
    palette: bool = False
    # Whether a JPEG lacked the marker of its end, which `data` has. Pixels may be missing too.
    unended: bool = False


def reader_of(data: bytes) -> Callable[[bytes], Contents] | None:
    if data.startswith(b"\xff\xd8\xff"):
        return _read_jpeg
    if data.startswith(_PNG_SIGNATURE):
        return _read_png
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _read_webp
    return None


# JPEG: segments, and between a start of scan and the next segment its entropy-coded data.

# The marker of a segment: neither an escaped 0xFF, nor a restart, nor a fill byte.
_MARKER: Final = re.compile(rb"\xff[^\x00\x01\xd0-\xd8\xff]")

_START_OF_FRAME: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_START_OF_SCAN: Final = 0xDA
_END_OF_IMAGE: Final = 0xD9
END_OF_JPEG: Final = bytes((0xFF, _END_OF_IMAGE))

# Besides the tables, JFIF and Adobe are kept: without them libjpeg would guess the colour space.
_DECODING: Final = _START_OF_FRAME | {0xC4, 0xCC, 0xD9, 0xDA, 0xDB, 0xDD, 0xE0, 0xEE}


def _read_jpeg(data: bytes) -> Contents:
    view = memoryview(data)
    output: list[bytes | memoryview] = [view[:2]]
    size, exif, profile = (0, 0), b"", list[bytes]()
    scans = tables = last = marker = 0
    for marker, start, end in _jpeg_segments(data):
        body = view[start + 4 : end]
        if scans:
            output.append(view[last:start])
        last = end
        if marker in _DECODING:
            output.append(view[start:end])
            tables += len(body)
        if marker in _START_OF_FRAME:
            size = int.from_bytes(body[3:5]), int.from_bytes(body[1:3])
        elif marker == _START_OF_SCAN:
            scans += 1
        elif bytes(body[:6]) == b"Exif\0\0":
            exif = exif or bytes(body[6:])
        elif bytes(body[:12]) == b"ICC_PROFILE\0":
            profile.append(bytes(body[12:]))
        if scans > _MAX_SCANS or tables > _MAX_TABLES:
            raise InvalidImageError(_TOO_MANY_SCANS if scans > _MAX_SCANS else BROKEN)
    unended = marker != _END_OF_IMAGE
    if unended:
        output += _end_of_scan(view[last:], scans)
    more = orientation_of(exif), _joined(profile)
    return Contents("JPEG", b"".join(output), size, *more, unended=unended)


def _end_of_scan(data: memoryview, scans: int) -> tuple[bytes, bytes]:
    """The data that no marker follows, without half of one, and the marker."""
    if not scans:
        raise InvalidImageError(TRUNCATED)
    return bytes(data).rstrip(b"\xff"), END_OF_JPEG


def _joined(profile: list[bytes]) -> bytes:
    # Each piece of the profile begins with its number and with how many there are.
    joined = b"".join(piece[2:] for piece in sorted(profile))
    if len(joined) > _MAX_METADATA:
        raise InvalidImageError(_TOO_MUCH_METADATA)
    return joined


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Marker, beginning and end of every segment up to the end of the first image, or of the data.

    Phones append more: a second picture, a gain map, a film.
    """
    end = 2
    for _ in range(_MAX_PARTS):
        found = _MARKER.search(data, end)
        if found is None:
            return
        start = found.start()
        marker = data[start + 1]
        end = start + 2
        if marker != _END_OF_IMAGE:
            end += int.from_bytes(data[end : end + 2])
        yield marker, start, end
        if marker == _END_OF_IMAGE:
            return
    raise InvalidImageError(_TOO_MANY_PARTS)


# PNG: chunks. Those of an animation are left out with the rest: what remains is its still picture.
_PNG_DECODING: Final = frozenset({b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"})

_PNG_PALETTE: Final = 3
_PNG_COMPRESSED: Final = frozenset({b"iCCP", b"zTXt", b"iTXt"})


def _read_png(data: bytes) -> Contents:
    view = memoryview(data)
    output = [view[: len(_PNG_SIGNATURE)]]
    exif = profile = b""
    budget = _MAX_METADATA
    for kind, start, end in _png_chunks(data):
        if kind in _PNG_DECODING:
            output.append(view[start:end])
            # Pillow would accept the pixels of a damaged stream.
            if zlib.crc32(view[start + 4 : end - 4]) != int.from_bytes(view[end - 4 : end]):
                raise InvalidImageError(BROKEN)
        elif kind == b"eXIf":
            exif = exif or data[start + 8 : end - 4]
        elif kind in _PNG_COMPRESSED:
            # Text is unpacked only to detect a decompression bomb.
            unpacked = _inflate(_compressed_part(kind, data[start + 8 : end - 4]), budget)
            budget -= len(unpacked)
            if kind == b"iCCP":
                profile = profile or unpacked
    size = int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    more = orientation_of(exif), profile, data[24], False, data[25] == _PNG_PALETTE
    return Contents("PNG", b"".join(output), size, *more)


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    end = len(_PNG_SIGNATURE)
    for _ in range(_MAX_PARTS):
        start = end
        end += 12 + int.from_bytes(data[start : start + 4])
        if end > len(data):
            raise InvalidImageError(TRUNCATED)
        kind = data[start + 4 : start + 8]
        yield kind, start, end
        if kind == b"IEND":
            return
    raise InvalidImageError(_TOO_MANY_PARTS)


def _compressed_part(kind: bytes, body: bytes) -> bytes:
    rest = body.partition(b"\0")[2]
    if kind != b"iTXt":
        return rest[1:]
    if not rest.startswith(b"\1"):
        return b""
    # After the flag and the method: a language and a translated keyword.
    return rest[2:].partition(b"\0")[2].partition(b"\0")[2]


def _inflate(stream: bytes, budget: int) -> bytes:
    # A broken stream is an error: if it were ignored, many of them could exceed the budget.
    unpacked = zlib.decompressobj().decompress(stream, budget + 1)
    if len(unpacked) > budget:
        raise InvalidImageError(_TOO_MUCH_METADATA)
    return unpacked


# WebP: chunks in a RIFF file. libwebp reads only those it needs, so all of them may stay.
_WEBP_FRAMES: Final = frozenset({b"VP8 ", b"VP8L", b"ANMF"})


def _read_webp(data: bytes) -> Contents:
    found: dict[bytes, bytes] = {}
    frame = b""
    end = 12
    for _ in range(_MAX_PARTS):
        kind, start = data[end : end + 4], end + 8
        length = int.from_bytes(data[end + 4 : start], "little")
        end = start + length + length % 2
        if not kind:
            break
        if kind in {b"EXIF", b"ICCP"}:
            found.setdefault(kind, data[start : start + length])
        if not frame and kind in _WEBP_FRAMES:
            # What libwebp decodes. In an animation it has a header of 16 bytes, then own chunks.
            frame = data[start + 16 : start + 20] if kind == b"ANMF" else kind
    else:
        raise InvalidImageError(_TOO_MANY_PARTS)
    profile = found.get(b"ICCP", b"")
    if len(profile) > _MAX_METADATA:
        raise InvalidImageError(_TOO_MUCH_METADATA)
    exif = found.get(b"EXIF", b"").removeprefix(b"Exif\0\0")
    size = _webp_size(data[12:16], data[20:30])
    return Contents("WEBP", data, size, orientation_of(exif), profile, lossless=frame == b"VP8L")


def _webp_size(kind: bytes, header: bytes) -> tuple[int, int]:
    """Read the size of the canvas, which libwebp allocates before it decodes anything."""
    if kind == b"VP8X":
        return int.from_bytes(header[4:7], "little") + 1, int.from_bytes(header[7:], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(header[1:5], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = int.from_bytes(header[6:8], "little"), int.from_bytes(header[8:], "little")
        return width & 0x3FFF, height & 0x3FFF
    raise InvalidImageError(BROKEN)
