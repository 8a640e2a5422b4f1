"""Strange files that are good pictures."""

import struct
import zlib
from functools import cache
from typing import Final

from support.pictures.colour_profiles import endless_profile, green_ink_profile, swapped_profile
from support.pictures.hostile import SCRIPT, Factory, with_chunks
from support.pictures.samples import (
    PNG_SIGNATURE,
    chunk,
    encoded,
    jpeg,
    png,
    scene,
    segment,
    webp,
    with_segments,
)


def _greedy_exif() -> bytes:
    """Make 5,000 entries that all claim the whole block: to believe them takes 320 MB."""
    entries = b"".join(struct.pack("<HHII", tag, 7, 64_000, 8) for tag in range(5000))
    return b"II*\0\x08\0\0\0" + struct.pack("<H", 5000) + entries + bytes(4)


def _absurd_profile() -> bytes:
    profile = bytearray(swapped_profile())
    # As many tags as there can be numbers, and a first one that lies at the end of the world.
    profile[128:144] = b"\xff" * 16
    return bytes(profile)


@cache
def _with_more_pixels() -> bytes:
    pixels = scene(64, 48).tobytes()
    rows = b"".join(b"\0" + pixels[at : at + 192] for at in range(0, len(pixels), 192))
    packer = zlib.compressobj(9)
    packed = packer.compress(rows + bytes(64_000_000)) + packer.flush()
    header = png()[8:33]
    return PNG_SIGNATURE + header + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


# Each of them is `scene(64, 48)` with something attached that a reader might stumble over.
HARMLESS: Final[dict[str, Factory]] = {
    "JPEG with a script behind it": lambda: jpeg() + SCRIPT,
    "JPEG with a film behind it": lambda: jpeg() + b"\0\0\0\x18ftypmp42" + bytes(100_000),
    "JPEG with a script for a comment": lambda: jpeg(comment=SCRIPT),
    "JPEG with a script between segments": lambda: jpeg()[:20] + SCRIPT + jpeg()[20:],
    "JPEG with padding between segments": lambda: with_segments(jpeg(), b"\xff" * 100_000),
    "JPEG with greedy EXIF": lambda: with_segments(
        jpeg(), segment(0xE1, b"Exif\0\0" + _greedy_exif())
    ),
    "JPEG with greedy multi-picture data": lambda: with_segments(
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
    "JPEG with a profile of 5,000 steps": lambda: jpeg(profile=endless_profile()),
    "JPEG with one part of five of a profile": lambda: with_segments(
        jpeg(), segment(0xE2, b"ICC_PROFILE\0\2\5" + bytes(1000))
    ),
    "PNG with a script behind it": lambda: png() + SCRIPT,
    "PNG with greedy EXIF": lambda: with_chunks(chunk(b"eXIf", _greedy_exif())),
    "PNG with an absurd profile": lambda: png(profile=_absurd_profile()),
    "PNG with all kinds of text": lambda: png(text=True),
    "PNG with a broken animation": lambda: with_chunks(
        chunk(b"acTL", bytes(8)), chunk(b"fcTL", b"\xff" * 26)
    ),
    "PNG with 64 MB of pixels too many": _with_more_pixels,
    "WebP that asks to be shown larger": lambda: webp()[:27] + b"\x40\x30\x40" + webp()[30:],
    "WebP with a script behind it": lambda: webp() + SCRIPT,
    "WebP with an absurd profile": lambda: webp(profile=_absurd_profile()),
    "WebP with greedy EXIF": lambda: encoded(scene(64, 48), "WEBP", exif=_greedy_exif()),
}
