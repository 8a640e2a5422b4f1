"""The code of child processes that decode pictures, and the parsers of their answers.

They have no secrets. Once they are ready they can open neither files nor sockets. A hostile picture
that takes one over can only read what that process was sent, and answer.

Only these processes load Pillow. The service imports this module to name the functions that they
call.
"""

import ctypes
import os
import resource
import struct
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from io import BytesIO
from typing import NamedTuple

from adsvc.kit.bulkheads.pools import NICENESS
from adsvc.kit.errors import InvalidImageError, UnsupportedImageError
from adsvc.kit.pictures.containers import (
    BROKEN,
    CONTENT_TYPES,
    EXTENSIONS,
    ICONS,
    MAX_SIDE,
    VARIANTS,
    Durations,
    Picture,
    reader_of,
)
from adsvc.kit.process.pdeathsig import end_with

# From prctl.h.
PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 4, 38

# The first byte of an answer.
PICTURE, INVALID, UNSUPPORTED = b"P", b"I", b"U"

# PICTURE, the extension filled up with spaces, width and height, the three bytes of the average
# colour, and two durations. The picture and its variants follow, each after its length.
HEAD = struct.Struct(">c4sII3sff")

LENGTH = struct.Struct(">I")

# The extension filled up with spaces, the width and the height.
CHECKED_HEAD = struct.Struct(">4sII")

DETAIL_MAX_BYTES = 200


def confine(_: bytes, memory_bytes: int, parent: int) -> bytes:
    """Called once in each process, before the first picture. Afterwards it can only convert."""
    _load_everything()
    os.nice(NICENESS)
    # No more files opened, files written, processes started, or core dumps.
    for limit in ("RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_NPROC", "RLIMIT_CORE"):
        with suppress(AttributeError, ValueError, OSError):
            resource.setrlimit(getattr(resource, limit), (0, 0))
    # If address space cannot be limited, only the limit on pixels helps.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    # Only Linux has it.
    with suppress(OSError, AttributeError):
        prctl = ctypes.CDLL(None).prctl
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    end_with(parent)
    return b""


def _load_everything() -> None:
    """Loads modules and libraries now that would otherwise be loaded after the confinement."""
    # Pillow reads EXIF by its TIFF plugin.
    from PIL import Image, ImageCms, TiffImagePlugin  # noqa: F401, PLC0415 - not in the service

    from adsvc.kit.pictures.normalise import icon, normalise  # noqa: PLC0415 - not in the service

    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    for kind in ("JPEG", "PNG", "WEBP"):
        for mode in ("RGB", "RGBA", "L", "LA", "P", "1", "CMYK"):
            buffer = BytesIO()
            with suppress(OSError, InvalidImageError):
                Image.new(mode, (40, 30)).save(buffer, kind, icc_profile=profile)
                normalise(buffer.getvalue(), max_pixels=10_000, max_side=20, variants=True)
                icon(buffer.getvalue(), max_pixels=10_000)


def normalise_confined(content: bytes, max_pixels: int, max_side: int, variants: bool) -> bytes:  # noqa: FBT001 - passed by position
    """The bytes for `parse_normalised`: the picture, or why it is refused."""
    from adsvc.kit.pictures.normalise import normalise  # noqa: PLC0415 - not in the service

    make = partial(normalise, max_pixels=max_pixels, max_side=max_side, variants=variants)
    return _made(partial(make, content), VARIANTS if variants else ())


def icon_confined(content: bytes, max_pixels: int) -> bytes:
    """As `normalise_confined`, for the icon of a site."""
    from adsvc.kit.pictures.normalise import icon  # noqa: PLC0415 - not in the service

    return _made(partial(icon, content, max_pixels=max_pixels), ICONS)


def _made(make: Callable[[], Picture], variants: Collection[str]) -> bytes:
    try:
        picture = make()
    except UnsupportedImageError:
        return UNSUPPORTED
    except InvalidImageError as error:
        return INVALID + error.detail.encode()
    extension = picture.extension.encode().ljust(4)
    colour = bytes.fromhex(picture.placeholder.removeprefix("#"))
    head = HEAD.pack(PICTURE, extension, picture.width, picture.height, colour, *picture.durations)
    parts = (picture.data, *(picture.variants[key] for key in variants))
    return head + b"".join(LENGTH.pack(len(part)) + part for part in parts)


def parse_normalised(answer: bytes, *, variants: bool) -> Picture:
    """As `parse_picture`, for the answer of `normalise_confined`."""
    return parse_picture(answer, VARIANTS if variants else ())


def parse_picture(answer: bytes, variants: Collection[str]) -> Picture:
    """Raises the error of the process, which may be compromised: its answer is checked."""
    kind = answer[:1]
    if kind == UNSUPPORTED:
        raise UnsupportedImageError
    if kind == PICTURE:
        with suppress(ValueError, struct.error):
            return _picture_of(answer, variants)
    detail = answer[1:DETAIL_MAX_BYTES].decode("utf-8", "replace")
    if kind == INVALID and detail.isprintable():
        raise InvalidImageError(detail)
    raise InvalidImageError("cannot be decoded")


def _picture_of(answer: bytes, variants: Collection[str]) -> Picture:
    """`ValueError` or `struct.error` if the answer is not as `normalise_confined` makes it."""
    _, name, width, height, colour, *seconds = HEAD.unpack_from(answer)
    extension = name.decode("ascii").rstrip()
    if extension not in CONTENT_TYPES or not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
        raise ValueError(extension)
    parts, start = [], HEAD.size
    for _ in ("", *variants):
        (length,) = LENGTH.unpack_from(answer, start)
        start += LENGTH.size
        parts.append(answer[start : start + length])
        start += length
    if start != len(answer) or not all(parts):
        raise ValueError(start)
    made = dict(zip(variants, parts[1:], strict=True))
    placeholder = f"#{colour.hex()}" if made else ""
    durations = Durations(*seconds)
    return Picture(parts[0], extension, width, height, placeholder, made, durations)


class CheckedPicture(NamedTuple):
    """A stored picture that can be decoded to its end."""

    extension: str
    width: int
    height: int


def check_confined(content: bytes) -> bytes:
    """The bytes for `parse_checked`: format and size; empty if the picture cannot be decoded."""
    from PIL import Image  # noqa: PLC0415 - not in the service

    read = reader_of(content)
    if read is None:
        return b""
    try:
        contents = read(content)
        if contents.unended:
            # Uploads may lack the marker of their end, and stored pictures have it.
            return b""
        picture = Image.open(BytesIO(contents.data), formats=(contents.format,))
        picture.load()
    except Exception:  # noqa: BLE001 - damaged bytes make a decoder raise nearly anything
        return b""
    return CHECKED_HEAD.pack(EXTENSIONS[contents.format].encode().ljust(4), *picture.size)


def parse_checked(answer: bytes) -> CheckedPicture:
    """Raises `InvalidImageError`. The process may be compromised: its answer is checked."""
    with suppress(struct.error, ValueError):
        name, width, height = CHECKED_HEAD.unpack(answer)
        extension = name.decode("ascii").rstrip()
        if extension in CONTENT_TYPES and 0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE:
            return CheckedPicture(extension, width, height)
    raise InvalidImageError(BROKEN)
