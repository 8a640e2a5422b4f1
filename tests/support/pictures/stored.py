"""What an uploaded picture becomes, and how it looks."""

from collections.abc import Callable, Iterator
from io import BytesIO

from PIL import Image

from adsvc.kit.pictures.containers import Picture
from adsvc.kit.pictures.normalise import normalise
from support.pictures.samples import CORNERS

MAX_PIXELS = 40_000_000
FORMATS = {"jpg": "JPEG", "png": "PNG", "webp": "WEBP"}
Factory = Callable[..., bytes]


def normalised(data: bytes, max_side: int = 2048) -> Picture:
    return normalise(data, max_pixels=MAX_PIXELS, max_side=max_side)


def decoded(picture: Picture) -> Image.Image:
    image = Image.open(BytesIO(picture.data), formats=[FORMATS[picture.extension]])
    image.load()
    return image


def stored(data: bytes, max_side: int = 2048) -> Image.Image:
    return decoded(normalised(data, max_side))


def colour_at(image: Image.Image, across: float = 0.5, down: float = 0.5) -> tuple[int, ...]:
    left, top = int(image.width * across), int(image.height * down)
    return tuple(image.crop((left, top, left + 1, top + 1)).tobytes())


def alike(one: tuple[int, ...], other: tuple[int, ...], tolerance: int = 12) -> bool:
    return all(abs(a - b) <= tolerance for a, b in zip(one, other, strict=True))


def is_upright(image: Image.Image) -> bool:
    image = image.convert("RGB")
    seen = [colour_at(image, across, down) for down in (0.1, 0.9) for across in (0.1, 0.9)]
    return all(map(alike, seen, CORNERS))


def jpeg_parts(data: bytes) -> Iterator[bytes]:
    at = 2
    while (marker := data[at + 1]) != 0xDA:
        length = int.from_bytes(data[at + 2 : at + 4])
        yield bytes((marker,)) + data[at + 4 : at + 2 + length]
        at += 2 + length
    yield data[data.index(b"\xff\xd9", at) :]


def png_parts(data: bytes) -> Iterator[bytes]:
    at = 8
    while at < len(data):
        length = int.from_bytes(data[at : at + 4])
        yield data[at + 4 : at + 8]
        at += 12 + length


def webp_parts(data: bytes) -> Iterator[bytes]:
    assert len(data) == 8 + int.from_bytes(data[4:8], "little")
    at = 12
    while at < len(data):
        length = int.from_bytes(data[at + 4 : at + 8], "little")
        yield data[at : at + 4] + (data[at + 8 : at + 9] if data[at : at + 4] == b"VP8X" else b"")
        at += 8 + length + length % 2


def is_bare(picture: Picture) -> bool:
    """Whether there is nothing in the file but what is needed to show the picture."""
    match picture.extension:
        case "jpg":
            *parts, end = jpeg_parts(picture.data)
            jfif = b"\xe0JFIF\0\1\1\0\0\1\0\1\0\0"
            tables = all(part[:1] in {b"\xdb", b"\xc0", b"\xc4"} for part in parts[1:])
            return parts[0] == jfif and tables and end == b"\xff\xd9"
        case "png":
            needed = {b"IHDR", b"IDAT", b"IEND"}
            return set(png_parts(picture.data)) - {b"PLTE", b"tRNS"} == needed
        case _:
            # Of all flags of the extended header only the one for transparency.
            allowed = {b"VP8 ", b"VP8L", b"ALPH", b"VP8X\x10"}
            return set(webp_parts(picture.data)) <= allowed
