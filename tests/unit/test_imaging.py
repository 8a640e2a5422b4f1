"""What becomes of uploaded pictures; the hostile ones are made in `bad_pictures`."""

import struct
import subprocess
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageFile, ImageStat

from adsvc.errors import InvalidImageError, UnsupportedImageError
from adsvc.pictures.normalise import normalise
from adsvc.pictures.picture import Picture
from support.pictures.colour_profiles import green_ink_profile, linear_grey_profile, swapped_profile
from support.pictures.hostile import HARMLESS, HOSTILE, one_bit_png
from support.pictures.samples import (
    CORNERS,
    GREEN,
    PNG_SIGNATURE,
    RED,
    SECRET,
    animation,
    chunk,
    encoded,
    exif,
    inked,
    jpeg,
    multi_picture,
    phone_photo,
    png,
    png_of,
    riff,
    scene,
    segment,
    webp,
    with_segments,
)

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


def stands_upright(image: Image.Image) -> bool:
    image = image.convert("RGB")
    seen = [colour_at(image, across, down) for down in (0.1, 0.9) for across in (0.1, 0.9)]
    return all(map(alike, seen, CORNERS))


# Size and orientation


def test_a_sideways_phone_photo_comes_back_upright() -> None:
    picture = normalised(phone_photo())
    assert picture.content_type == "image/jpeg"
    image = decoded(picture)
    assert image.height > image.width
    assert stands_upright(image)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("make", [jpeg, png, webp])
def test_every_orientation_is_applied(make: Factory, orientation: int) -> None:
    image = stored(make(exif_orientation=orientation))
    assert image.size == ((48, 64) if orientation > 4 else (64, 48))
    assert stands_upright(image)


@pytest.mark.parametrize("order", ["<", ">"])
def test_the_orientation_is_read_in_either_byte_order(order: str) -> None:
    block = segment(0xE1, b"Exif\0\0" + exif(6, order=order))
    assert stored(with_segments(jpeg(), block)).size == (48, 64)


def test_of_two_exif_blocks_the_first_counts() -> None:
    blocks = [segment(0xE1, b"Exif\0\0" + exif(orientation)) for orientation in (6, 1)]
    assert stored(with_segments(jpeg(), *blocks)).size == (48, 64)


def test_the_orientation_is_found_behind_a_chunk_of_odd_length() -> None:
    data = webp(exif_orientation=6, profile=swapped_profile() + b"\0")
    assert stored(data).size == (48, 64)


def test_the_orientation_in_a_webp_may_begin_as_in_a_jpeg() -> None:
    # Pillow takes one such beginning away when it writes.
    data = encoded(scene(64, 48), "WEBP", exif=b"Exif\0\0Exif\0\0" + exif(6))
    assert stored(data).size == (48, 64)


@pytest.mark.parametrize("make", [jpeg, png, webp])
@pytest.mark.parametrize(
    ("size", "expected"),
    [((400, 300), (100, 75)), ((300, 400), (75, 100)), ((3000, 4), (100, 1)), ((101, 1), (100, 1))],
)
def test_a_large_picture_is_shrunk_in_proportion(
    make: Factory, size: tuple[int, int], expected: tuple[int, int]
) -> None:
    assert stored(make(*size), max_side=100).size == expected


@pytest.mark.parametrize("make", [jpeg, png, webp])
def test_a_small_picture_is_not_enlarged(make: Factory) -> None:
    assert stored(make(64, 48), max_side=100).size == (64, 48)


@pytest.mark.parametrize("side", [4000, 4032, 4096, 3000, 2049])
def test_a_photo_ends_close_below_the_limit(side: int) -> None:
    assert 0.9 * 2048 <= max(stored(jpeg(side, side * 3 // 4)).size) <= 2048


@pytest.mark.heavy
@pytest.mark.parametrize("mode", ["L", "LA", "P", "RGB", "RGBA"])
def test_shrinking_in_bands_leaves_no_trace(mode: str) -> None:
    picture = scene(3000, 2500).convert(mode)
    if mode.endswith("A"):
        picture.putalpha(Image.linear_gradient("L").resize(picture.size))
    expected = picture.convert({"P": "RGB"}.get(mode, mode)).resize(
        (1200, 1000), Image.Resampling.LANCZOS
    )
    assert stored(encoded(picture, "PNG"), max_side=1200).tobytes() == expected.tobytes()


def test_a_photo_decoded_at_half_size_is_as_good_as_one_scaled() -> None:
    photo = phone_photo(2000, 1500)
    original = Image.open(BytesIO(photo)).resize((1000, 750), Image.Resampling.LANCZOS)
    scaled = Image.open(BytesIO(encoded(original, "JPEG", quality=85)))
    halved = stored(photo, max_side=1024).transpose(Image.Transpose.ROTATE_90)
    assert halved.size == (1000, 750)
    for ours, theirs in zip(errors(original, halved), errors(original, scaled), strict=True):
        assert ours < theirs * 1.1


def errors(original: Image.Image, copy: Image.Image) -> list[float]:
    return ImageStat.Stat(ImageChops.difference(original, copy)).rms


# Formats and frames


@pytest.mark.parametrize(("make", "extension"), [(jpeg, "jpg"), (png, "png"), (webp, "webp")])
def test_a_picture_keeps_its_format(make: Factory, extension: str) -> None:
    picture = normalised(make())
    assert picture.extension == extension
    assert stands_upright(decoded(picture))


@pytest.mark.parametrize("make", [jpeg, png, webp, phone_photo])
def test_the_same_picture_is_stored_as_the_same_bytes(make: Factory) -> None:
    assert normalised(make()) == normalised(make())


def test_of_several_pictures_in_a_phones_file_the_first_is_taken() -> None:
    assert Image.open(BytesIO(multi_picture())).format == "MPO"
    picture = normalised(multi_picture())
    assert picture.extension == "jpg"
    assert stands_upright(decoded(picture))


@pytest.mark.parametrize("form", ["PNG", "WEBP"])
def test_of_an_animation_the_first_frame_is_taken(form: Literal["PNG", "WEBP"]) -> None:
    image = stored(animation(form))
    assert getattr(image, "n_frames", 1) == 1
    assert stands_upright(image)


@pytest.mark.parametrize("lossless", [True, False])
def test_a_webp_picture_stays_lossless_or_lossy(lossless: bool) -> None:  # noqa: FBT001
    picture = normalised(webp(lossless=lossless))
    assert (b"VP8L" in picture.data) == lossless
    assert (decoded(picture).tobytes() == scene(64, 48).tobytes()) == lossless


def test_the_frame_of_a_lossless_animation_stays_lossless() -> None:
    options = {"save_all": True, "append_images": [Image.new("RGB", (64, 48))], "lossless": True}
    picture = normalised(encoded(scene(64, 48), "WEBP", **options))
    assert decoded(picture).tobytes() == scene(64, 48).tobytes()


def test_a_progressive_photo_is_taken() -> None:
    assert stands_upright(stored(jpeg(640, 480, progressive=True)))


# Colours


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(jpeg(profile=swapped_profile()), id="JPEG"),
        pytest.param(png(profile=swapped_profile()), id="PNG"),
        pytest.param(png(mode="RGBA", profile=swapped_profile()), id="PNG with alpha"),
        pytest.param(webp(profile=swapped_profile()), id="WebP"),
    ],
)
def test_a_colour_profile_is_applied(data: bytes) -> None:
    assert alike(colour_at(stored(data).convert("RGB"), 0.1, 0.1), GREEN, 40)


def test_a_profile_in_two_pieces_in_the_wrong_order_is_put_together() -> None:
    profile = swapped_profile()
    pieces = [
        segment(0xE2, b"ICC_PROFILE\0\2\2" + profile[200:]),
        segment(0xE2, b"ICC_PROFILE\0\1\2" + profile[:200]),
    ]
    assert alike(colour_at(stored(with_segments(jpeg(), *pieces)), 0.1, 0.1), GREEN, 40)


def test_a_profile_that_calls_itself_srgb_is_believed() -> None:
    profile = swapped_profile(description=b"sRGB IEC61966-2.1")
    assert alike(colour_at(stored(jpeg(profile=profile)), 0.1, 0.1), RED)


@pytest.mark.parametrize(("mode", "expected"), [("L", (188,)), ("LA", (188, 77))])
def test_a_grey_profile_is_applied(mode: str, expected: tuple[int, ...]) -> None:
    grey = Image.new("LA", (8, 8), (128, 77)).convert(mode)
    image = stored(encoded(grey, "PNG", icc_profile=linear_grey_profile()))
    assert image.mode == mode
    assert alike(colour_at(image), expected, 2)


def test_a_print_profile_decides_what_the_inks_look_like() -> None:
    inks = Image.new("CMYK", (16, 16), (0, 255, 255, 0))
    red, green, blue = colour_at(stored(encoded(inks, "JPEG", icc_profile=green_ink_profile())))
    assert green > max(red, blue) + 40


@pytest.mark.parametrize("ycck", [False, True])
@pytest.mark.parametrize("colour", [RED, GREEN, (255, 255, 255)])
def test_four_inks_become_the_colours_they_print(
    colour: tuple[int, int, int],
    ycck: bool,  # noqa: FBT001
) -> None:
    image = stored(inked(colour, ycck=ycck))
    assert image.mode == "RGB"
    assert alike(colour_at(image), colour)


def test_a_grey_photo_stays_grey() -> None:
    assert stored(jpeg(mode="L")).mode == "L"


@pytest.mark.parametrize("max_side", [2048, 20])
@pytest.mark.parametrize(
    ("depth", "colour_type", "row", "extra", "expected"),
    [
        pytest.param(16, 0, b"\x7f\xff", b"", (127,), id="16-bit grey"),
        pytest.param(16, 0, b"\x7f\xff", b"\x7f\xff", (127, 0), id="16-bit grey, transparent"),
        pytest.param(16, 0, b"\x7f\xff", b"\x7f\xfe", (127, 255), id="16-bit grey, opaque"),
        pytest.param(16, 2, b"\x7f\1\x40\2\x20\3", b"", (127, 64, 32), id="16-bit colour"),
        pytest.param(
            16, 2, b"\x7f\1\x40\2\x20\3", b"\x7f\1\x40\2\x20\3", (127, 64, 32, 0),
            id="16-bit colour, transparent",
        ),
        pytest.param(8, 0, b"\x55", b"\0\x55", (85, 0), id="grey, transparent"),
        pytest.param(4, 0, b"\x55", b"\0\5", (85, 0), id="4-bit grey, transparent"),
        pytest.param(2, 0, b"\x55", b"\0\1", (85, 0), id="2-bit grey, transparent"),
        pytest.param(1, 0, b"\xff", b"", (255,), id="1-bit grey"),
        pytest.param(1, 0, b"\xff", b"\0\1", (255, 0), id="1-bit grey, transparent"),
        pytest.param(8, 4, b"\x55\x66", b"", (85, 102), id="grey with alpha"),
        pytest.param(16, 4, b"\x55\0\x66\0", b"", (85, 85, 85, 102), id="16-bit grey with alpha"),
        pytest.param(8, 2, b"\1\2\3", b"\0\1\0\2\0\3", (1, 2, 3, 0), id="colour, transparent"),
        pytest.param(8, 3, b"\1", b"", (9, 8, 7), id="palette"),
        pytest.param(8, 3, b"\1", b"\xff\x66", (9, 8, 7, 102), id="palette, half transparent"),
        pytest.param(8, 3, b"\1", b"\xff\0", (9, 8, 7, 0), id="palette, transparent"),
    ],
)  # fmt: skip
def test_every_kind_of_png_keeps_colour_and_transparency(
    depth: int, colour_type: int, row: bytes, extra: bytes, expected: tuple[int, ...], max_side: int
) -> None:
    width = 40
    rows = (b"\0" + (row * width)[: width * len(row) * min(depth, 8) // 8]) * width
    chunks = [chunk(b"PLTE", bytes((6, 6, 6, 9, 8, 7)))] if colour_type == 3 else []
    chunks += [chunk(b"tRNS", extra)] if extra else []
    image = stored(png_of((width, width), depth, colour_type, rows, chunks), max_side)
    mode = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}[len(expected)]
    # What need not be scaled stays as small as it was.
    if max_side >= width and (colour_type == 3 or (depth == 1 and not extra)):
        assert image.mode == ("P" if colour_type == 3 else "1")
        image = image.convert(mode)
    assert image.mode == mode
    # What is wholly transparent has no colour once it has been scaled.
    if max_side > width or expected[-1] not in {0, 102}:
        assert alike(colour_at(image), expected, 1)
    else:
        assert colour_at(image)[-1] == expected[-1]


def test_an_interlaced_png_is_taken() -> None:
    # Seven passes over 8 by 8 pixels, of 1, 1, 2, 2, 4, 4 and 4 rows.
    rows = b"".join(
        (b"\0" + b"\x55" * width) * height
        for width, height in ((1, 1), (1, 1), (2, 1), (2, 2), (4, 2), (4, 4), (8, 4))
    )
    assert colour_at(stored(png_of((8, 8), 8, 0, rows, interlaced=True))) == (85,)


def test_a_transparent_webp_picture_stays_transparent() -> None:
    picture = scene(64, 48).convert("RGBA")
    picture.paste((255, 0, 0, 0), (20, 15, 44, 33))
    image = stored(encoded(picture, "WEBP"))
    assert image.mode == "RGBA"
    assert colour_at(image)[3] == 0
    assert stands_upright(image)


def test_what_is_transparent_does_not_bleed_into_what_is_shown() -> None:
    picture = Image.new("RGBA", (200, 200), (255, 0, 0, 0))
    picture.paste((0, 0, 255, 255), (99, 0, 200, 200))
    visible = stored(encoded(picture, "PNG"), max_side=100).crop((49, 0, 100, 100))
    assert visible.getextrema()[0] == (0, 0)


# Nothing of the file that came is in the file that is stored


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


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(jpeg(exif_orientation=6, gps=True, comment=SECRET), id="JPEG"),
        pytest.param(jpeg(profile=swapped_profile()) + SECRET, id="JPEG with more behind"),
        pytest.param(jpeg(mode="L", gps=True, comment=SECRET), id="grey JPEG"),
        pytest.param(
            with_segments(jpeg(), *[segment(0xE0 + n, SECRET) for n in range(1, 16)]),
            id="JPEG with every application segment",
        ),
        pytest.param(png(exif_orientation=6, text=True), id="PNG"),
        pytest.param(png(mode="P", text=True), id="PNG with a palette"),
        pytest.param(png(mode="RGBA", profile=swapped_profile(), text=True), id="PNG with alpha"),
        pytest.param(webp(exif_orientation=6, profile=swapped_profile()), id="WebP"),
        pytest.param(webp(lossless=True, exif_orientation=6) + SECRET, id="lossless WebP"),
        pytest.param(webp(mode="RGBA", exif_orientation=6), id="WebP with alpha"),
        pytest.param(animation("PNG"), id="animated PNG"),
        pytest.param(animation("WEBP"), id="animated WebP"),
        pytest.param(multi_picture(), id="MPO"),
    ],
)
@pytest.mark.parametrize("max_side", [2048, 32])
def test_nothing_but_the_picture_is_stored(data: bytes, max_side: int) -> None:
    picture = normalised(data, max_side)
    assert SECRET not in picture.data
    assert is_bare(picture)


def test_nothing_of_a_phone_photo_but_the_picture_is_stored() -> None:
    assert SECRET in phone_photo()
    assert is_bare(normalised(phone_photo()))


def test_a_picture_that_was_stored_can_be_uploaded_again() -> None:
    once = normalised(png(mode="RGBA", text=True))
    assert normalised(once.data) == once


# Refusals


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused(name: str) -> None:
    make, status = HOSTILE[name]
    expected = {400: InvalidImageError, 415: UnsupportedImageError}[status]
    with pytest.raises(expected):
        normalised(make())


@pytest.mark.parametrize("name", HARMLESS)
def test_a_strange_but_good_picture_is_taken(name: str) -> None:
    picture = normalised(HARMLESS[name]())
    assert is_bare(picture)
    assert decoded(picture).size == (64, 48)
    assert stands_upright(decoded(picture))


def test_the_refusal_of_a_large_picture_names_the_limit() -> None:
    with pytest.raises(InvalidImageError) as refusal:
        normalised(one_bit_png())
    assert "40000000" in refusal.value.detail


@pytest.mark.parametrize("make", [jpeg, png, webp])
def test_as_many_pixels_as_the_limit_are_taken_and_not_one_more(make: Factory) -> None:
    data = make(64, 48)
    normalise(data, max_pixels=64 * 48)
    with pytest.raises(InvalidImageError):
        normalise(data, max_pixels=64 * 48 - 1)


def test_a_second_header_cannot_make_a_picture_look_smaller(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = jpeg(64, 48)
    frame = data[data.index(b"\xff\xc0") :][:19]
    data = data[:-2] + frame[:5] + b"\0\1\0\1" + frame[9:] + data[-2:]

    def load(_: Image.Image) -> None:
        pytest.fail("The pixels were decoded.")

    monkeypatch.setattr(ImageFile.ImageFile, "load", load)
    with pytest.raises(InvalidImageError):
        normalise(data, max_pixels=100)


@pytest.mark.parametrize("fault", [MemoryError, SyntaxError, struct.error, ZeroDivisionError])
def test_whatever_a_decoder_raises_is_a_refusal(
    fault: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr(Image, "open", fail)
    with pytest.raises(InvalidImageError):
        normalised(jpeg())


@pytest.mark.parametrize(
    ("make", "why"), [(jpeg, "ends too early"), (png, "ends too early"), (webp, "decoded")]
)
def test_a_picture_that_ends_anywhere_too_early_is_refused(make: Factory, why: str) -> None:
    data = make()
    for end in range(12, len(data)):
        with pytest.raises(InvalidImageError) as refusal:
            normalised(data[:end])
        assert why in refusal.value.detail


# Prints by how many kilobytes the process grew at its largest. What `resource` says would not do:
# it begins with the size of the process that started this one.
WATCH = """
import re, sys
from pathlib import Path
from random import Random
from adsvc.errors import RefusalError
from adsvc.pictures.normalise import normalise

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])

before = peak()
for path in Path(sys.argv[1]).iterdir():
    try:
        normalise(path.read_bytes(), max_pixels=40_000_000)
    except RefusalError:
        pass
print(peak() - before)
"""


def mebibytes_taken(folder: Path) -> float:
    run = [sys.executable, "-c", WATCH, str(folder)]
    return int(subprocess.run(run, check=True, capture_output=True, text=True).stdout) / 1024


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.mark.heavy
@on_linux
def test_refusing_hostile_files_takes_little_memory(tmp_path: Path) -> None:
    for number, hostile in enumerate(HOSTILE.values()):
        (tmp_path / str(number)).write_bytes(hostile.make())
    assert mebibytes_taken(tmp_path) < 200


@pytest.mark.heavy
@on_linux
def test_a_large_palette_picture_is_never_held_in_full_colour(tmp_path: Path) -> None:
    side = 6300
    palette = [chunk(b"PLTE", bytes(6)), chunk(b"tRNS", b"\x66")]
    picture = png_of((side, side), 8, 3, bytes((side + 1) * side), palette)
    (tmp_path / "picture").write_bytes(picture)
    # One byte a pixel where it would be four, and another four while it is scaled.
    assert mebibytes_taken(tmp_path) < 200


# Damage at random

GOOD = (
    jpeg(exif_orientation=6, gps=True, comment=SECRET, profile=swapped_profile()),
    jpeg(progressive=True, mode="L"),
    jpeg(mode="CMYK", profile=green_ink_profile()),
    multi_picture(),
    png(exif_orientation=8, text=True, profile=swapped_profile()),
    png(mode="P"),
    png_of((8, 8), 16, 0, bytes(17 * 8), [chunk(b"tRNS", b"\0\0")]),
    png_of((8, 8), 8, 3, bytes(9 * 8), [chunk(b"PLTE", bytes(12)), chunk(b"tRNS", b"\x66\0")]),
    animation("PNG"),
    webp(exif_orientation=3, profile=swapped_profile()),
    webp(lossless=True, mode="RGBA"),
    animation("WEBP"),
    riff((b"VP8L", webp(lossless=True)[20:])),
)


def test_numbers_of_colours_without_a_palette_are_refused() -> None:
    with pytest.raises(InvalidImageError):
        normalised(png_of((8, 8), 8, 3, bytes(9 * 8), []))


def with_checksums(data: bytes) -> bytes:
    """Correct the checksums of a PNG, so that damage gets past them."""
    if not data.startswith(PNG_SIGNATURE):
        return data
    at, parts = 8, [PNG_SIGNATURE]
    while at + 12 <= len(data):
        end = at + 8 + int.from_bytes(data[at : at + 4])
        body = data[at + 4 : end]
        parts.append(data[at : at + 4] + body + struct.pack(">I", zlib.crc32(body)))
        at = end + 4
    return b"".join(parts)


@pytest.mark.heavy
@settings(max_examples=400, deadline=None)
@given(
    data=st.sampled_from(GOOD),
    damage=st.lists(
        st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=4))
    ),
    end=st.one_of(st.none(), st.floats(0, 1)),
    corrected=st.booleans(),
)
def test_damage_is_refused_or_makes_another_picture(
    data: bytes,
    damage: list[tuple[float, bytes]],
    end: float | None,
    corrected: bool,  # noqa: FBT001
) -> None:
    damaged = bytearray(data)
    for place, change in damage:
        at = int(place * len(data))
        damaged[at : at + len(change)] = change
    if end is not None:
        del damaged[int(end * len(data)) :]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            picture = normalised(with_checksums(bytes(damaged)) if corrected else bytes(damaged))
        except (InvalidImageError, UnsupportedImageError):
            picture = None
    assert not caught
    if picture is not None:
        assert is_bare(picture)
        decoded(picture)


def grain(mode: str, side: int) -> Image.Image:
    bands = len(Image.new(mode, (1, 1)).getbands())
    picture = Image.frombytes(mode, (side, side), Random(side).randbytes(side * side * bands))
    if mode == "P":
        picture.putpalette(Random(1).randbytes(768))
    return picture


@pytest.mark.heavy
def test_a_stored_picture_is_at_most_half_as_large_again_as_its_upload() -> None:
    drawing = encoded(grain("RGB", 1500), "WEBP", quality=1)
    hidden = drawing[12:] + b"VP8L" + bytes(4)
    swapped = encoded(grain("P", 700), "PNG", icc_profile=swapped_profile())
    uploads = {
        "a palette scaled down": encoded(grain("P", 1200), "PNG"),
        "a palette with a profile": swapped,
        "a lossy picture that claims to be lossless": riff_of(hidden),
        "a coarse photo": encoded(grain("RGB", 800), "JPEG", quality=5),
        "a coarse grey one": encoded(grain("L", 1000), "JPEG", quality=3),
        "a lossy picture of low quality": encoded(grain("RGBA", 800), "WEBP", quality=1),
        "a sideways photo": encoded(grain("RGB", 800), "JPEG", quality=5, exif=exif(6)),
        "a lossless one, hardly": encoded(grain("LA", 500).convert("RGBA"), "WEBP", lossless=True),
    }
    for name, upload in uploads.items():
        limit = max(128 * 1024, len(upload) * 3 // 2)
        for side in (2048, 1000):
            picture = normalised(upload, side)
            assert len(picture.data) <= limit, name
            assert max(decoded(picture).size) <= side, name


def riff_of(body: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def test_what_does_not_decode_the_frame_does_not_make_it_lossless() -> None:
    lossy = webp(lossless=False)
    for extra in (b"VP8L" + bytes(4), b"VP8L" + struct.pack("<I", 4) + b"\x2f" * 4):
        assert b"VP8L" not in normalised(riff_of(lossy[12:] + extra)).data
    assert normalised(lossy).data == normalised(riff_of(lossy[12:] + b"VP8L" + bytes(4))).data


@pytest.mark.parametrize("colours", [2, 4, 16, 256])
def test_a_palette_that_fits_stays_one(colours: int) -> None:
    picture = scene(200, 100, orientation=6).quantize(colours)
    for options in ({}, {"transparency": bytes(range(0, 256, 256 // colours))}):
        upload = encoded(picture, "PNG", exif=exif(6), **options)
        kept = stored(upload)
        assert kept.mode == "P"
        whole = Image.open(BytesIO(upload)).convert("RGBA").transpose(Image.Transpose.ROTATE_270)
        assert ImageChops.difference(kept.convert("RGBA"), whole).getbbox() is None
        assert len(normalised(upload).data) <= len(upload) + 1024


def test_a_picture_of_two_colours_stays_small() -> None:
    upload = encoded(scene(1600, 1200).convert("1"), "PNG")
    assert stored(upload).mode == "1"
    assert len(normalised(upload).data) <= len(upload) * 3 // 2
