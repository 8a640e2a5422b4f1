"""Stored pictures are upright, and no larger than allowed."""

from io import BytesIO

import pytest
from PIL import Image, ImageChops, ImageStat

from support.pictures.colour_profiles import swapped_profile
from support.pictures.samples import (
    encoded,
    exif,
    jpeg,
    phone_photo,
    png,
    scene,
    segment,
    webp,
    with_segments,
)
from support.pictures.stored import Factory, decoded, is_upright, normalised, stored


@pytest.mark.heavy
def test_a_sideways_phone_photo_comes_back_upright() -> None:
    picture = normalised(phone_photo())
    assert picture.content_type == "image/jpeg"
    image = decoded(picture)
    assert image.height > image.width
    assert is_upright(image)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("make", [jpeg, png, webp])
def test_every_orientation_is_applied(make: Factory, orientation: int) -> None:
    image = stored(make(exif_orientation=orientation))
    assert image.size == ((48, 64) if orientation > 4 else (64, 48))
    assert is_upright(image)


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


@pytest.mark.heavy
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


@pytest.mark.heavy
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
