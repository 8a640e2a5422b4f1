"""Colours and transparency stay as they were seen."""

import pytest
from PIL import Image

from support.pictures.colour_profiles import green_ink_profile, linear_grey_profile, swapped_profile
from support.pictures.samples import (
    GREEN,
    RED,
    chunk,
    encoded,
    inked,
    jpeg,
    png,
    png_of,
    scene,
    segment,
    webp,
    with_segments,
)
from support.pictures.stored import alike, colour_at, is_upright, stored


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
    assert is_upright(image)


def test_what_is_transparent_does_not_bleed_into_what_is_shown() -> None:
    picture = Image.new("RGBA", (200, 200), (255, 0, 0, 0))
    picture.paste((0, 0, 255, 255), (99, 0, 200, 200))
    visible = stored(encoded(picture, "PNG"), max_side=100).crop((49, 0, 100, 100))
    assert visible.getextrema()[0] == (0, 0)
