"""Parses an uploaded file, before Pillow sees it.

The result contains what decodes the first frame, and nothing else. Pillow's own readers process all
metadata, and hostile ones make them copy gigabytes or loop for minutes: ten thousand colour
profiles, a million empty chunks. What is left out here cannot do that, raises no warning, and
cannot reach the output.

Each loop is bounded in its steps, and in the bytes that it unpacks, whatever the file claims.
"""

import math
import re
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, Self

from adsvc.kit.counters import WORK_SECONDS, Histogram
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


class Durations(NamedTuple):
    """Seconds of each step: decoding and scaling, then encoding with all variants."""

    decode: float = 0.0
    encode: float = 0.0

    def within(self, seconds: float) -> Self:
        """Zeros if they are not plausible: a hostile picture may have taken over the process."""
        if all(map(math.isfinite, self)) and min(self) >= 0 and sum(self) <= seconds:
            return self
        return type(self)()


class PictureTimes:
    """Durations and failures of one process, for the metrics."""

    def __init__(self) -> None:
        self.steps = {name: Histogram(WORK_SECONDS) for name in ("decode", "encode", "store")}
        self.failures = Counter(dict.fromkeys(("invalid", "unsupported", "failed"), 0))
        # Called after each picture, for traces.
        self.observer: Callable[[Durations, float], None] | None = None

    def note(self, durations: Durations, seconds: float) -> None:
        """`seconds` is the time of the whole call of the process, with the wait for it."""
        durations = durations.within(seconds)
        self.steps["decode"].observe(durations.decode)
        self.steps["encode"].observe(durations.encode)
        if self.observer is not None:
            self.observer(durations, seconds)


# Global for the process: several services make pictures, and their figures are added up.
TIMES = PictureTimes()


# By Pillow's names of formats.
EXTENSIONS: Final = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp"}

CONTENT_TYPES: Final = {"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp"}

# The longest side a JPEG can have. The tables of a resize grow with the side, not with the pixels:
# for a picture one pixel high and forty million wide they would take 2 GB.
MAX_SIDE: Final = 65_535


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as it is stored and served."""

    data: bytes
    extension: str
    width: int
    height: int
    # Its average colour, `#rrggbb`.
    placeholder: str = ""
    # By the keys of `VARIANTS`, or of `ICONS`. An avatar has none, and no placeholder.
    variants: Mapping[str, bytes] = field(default_factory=dict)
    # The seconds of making it.
    durations: Durations = field(default=Durations(), compare=False)

    @property
    def content_type(self) -> str:
        return CONTENT_TYPES[self.extension]

    @property
    def size(self) -> int:
        """In bytes, with all variants."""
        return len(self.data) + sum(map(len, self.variants.values()))


# The longest side of each variant. Smaller pictures are not enlarged.
VARIANTS: Final = {"thumb": 320, "card": 800, "share": 1200}

# The one that lists of ads name.
THUMBNAIL: Final = "thumb"

# The one for previews of links: messengers read no WebP, and nothing large.
SHARE: Final = "share"

SHARE_MAX_BYTES: Final = 300_000

# The side of an icon, and of its variants, which are squares.
ICON_SIDE: Final = 512
ICONS: Final = {"tiny": 48, "apple": 180, "small": 192, "maskable": ICON_SIDE}

# What follows the stem of a picture's name in the name of a variant.
SUFFIXES: Final = {
    "thumb": "-thumb.webp",
    "card": "-card.webp",
    "share": "-share.jpg",
    **{icon: f"-{icon}.png" for icon in ICONS},
}


def size_within(size: tuple[int, int], limit: int) -> tuple[int, int]:
    """The size with the longer side shortened to the limit, if it is longer.

    In whole numbers, half rounded up, as `repositories.ads.projection` has it in SQL.
    """
    longest = max(size)
    if longest <= limit:
        return size
    width, height = (max(1, (side * limit + longest // 2) // longest) for side in size)
    return width, height


def variant_name(name: str, variant: str) -> str:
    return name.partition(".")[0] + SUFFIXES[variant]


def files_of(names: Sequence[str]) -> list[str]:
    """The names of the pictures, and of all variants that they may have."""
    return [
        file for name in names for file in (name, *(variant_name(name, key) for key in VARIANTS))
    ]


def hidden_name(file: str, stem: str) -> str:
    """The name of a picture's file, or of its variant's, while the picture is hidden."""
    return stem + file[len(re.split("[.-]", file, maxsplit=1)[0]) :]


def pictures_of(file: str) -> list[str]:
    """The names of the pictures that the file may belong to: the picture itself, or a variant's."""
    stem, hyphen, rest = file.partition("-")
    if hyphen + rest in SUFFIXES.values():
        return [f"{stem}.{extension}" for extension in CONTENT_TYPES]
    return [file]
