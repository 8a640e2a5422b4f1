"""The stored file contains nothing of the uploaded file but the picture."""

import pytest

from support.pictures.colour_profiles import swapped_profile
from support.pictures.samples import (
    SECRET,
    animation,
    jpeg,
    multi_picture,
    phone_photo,
    png,
    segment,
    webp,
    with_segments,
)
from support.pictures.stored import is_bare, normalised


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


@pytest.mark.heavy
def test_nothing_of_a_phone_photo_but_the_picture_is_stored() -> None:
    assert SECRET in phone_photo()
    assert is_bare(normalised(phone_photo()))


def test_a_picture_that_was_stored_can_be_uploaded_again() -> None:
    once = normalised(png(mode="RGBA", text=True))
    assert normalised(once.data) == once
