"""Artificial colour profiles whose effect is easy to see."""

import struct
from typing import Final

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


def endless_profile(steps: int = 5000) -> bytes:
    """Make a profile that sends each colour through thousands of matrices, all the same one."""
    values = (0.9, 0.05, 0.05, 0.05, 0.9, 0.05, 0.05, 0.05, 0.9, 0, 0, 0)
    matrix = struct.pack(">4sIHH12f", b"matf", 0, 3, 3, *values)
    place = struct.pack(">II", 16 + 8 * steps, len(matrix))
    chain = struct.pack(">4sIHHI", b"mpet", 0, 3, 3, steps) + place * steps + matrix
    return _profile(b"mntr", b"RGB ", b"XYZ ", b"Endless", {b"D2B0": chain})


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
