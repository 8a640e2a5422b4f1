"""EXIF: a TIFF file in miniature."""

from typing import Final

_ORIENTATION: Final = 0x0112

_INTEGER_BYTES: Final = {1: 1, 3: 2, 4: 4}


def orientation_of(exif: bytes) -> int:
    """Tell which way is up, or 1 where that is unreadable: good pictures often have bad EXIF."""
    order: Final = "big" if exif.startswith(b"MM") else "little"
    if exif[:4] not in {b"II*\0", b"MM\0*"}:
        return 1
    start = int.from_bytes(exif[4:8], order)
    count = int.from_bytes(exif[start : start + 2], order)
    for entry in range(start + 2, start + 2 + 12 * count, 12):
        if int.from_bytes(exif[entry : entry + 2], order) == _ORIENTATION:
            width = _INTEGER_BYTES.get(int.from_bytes(exif[entry + 2 : entry + 4], order), 0)
            return int.from_bytes(exif[entry + 8 : entry + 8 + width], order)
    return 1
