"""A picture keeps its format, and is stored as small as it came."""

import struct
from io import BytesIO
from random import Random
from typing import Literal

import pytest
from PIL import Image, ImageChops

from support.pictures.colour_profiles import swapped_profile
from support.pictures.samples import (
    animation,
    encoded,
    exif,
    jpeg,
    multi_picture,
    phone_photo,
    png,
    scene,
    webp,
)
from support.pictures.stored import Factory, decoded, is_upright, normalised, stored


@pytest.mark.parametrize(("make", "extension"), [(jpeg, "jpg"), (png, "png"), (webp, "webp")])
def test_a_picture_keeps_its_format(make: Factory, extension: str) -> None:
    picture = normalised(make())
    assert picture.extension == extension
    assert is_upright(decoded(picture))


@pytest.mark.parametrize("make", [jpeg, png, webp, phone_photo])
@pytest.mark.heavy
def test_the_same_picture_is_stored_as_the_same_bytes(make: Factory) -> None:
    assert normalised(make()) == normalised(make())


def test_of_several_pictures_in_a_phones_file_the_first_is_taken() -> None:
    assert Image.open(BytesIO(multi_picture())).format == "MPO"
    picture = normalised(multi_picture())
    assert picture.extension == "jpg"
    assert is_upright(decoded(picture))


@pytest.mark.parametrize("form", ["PNG", "WEBP"])
def test_of_an_animation_the_first_frame_is_taken(form: Literal["PNG", "WEBP"]) -> None:
    image = stored(animation(form))
    assert getattr(image, "n_frames", 1) == 1
    assert is_upright(image)


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
    assert is_upright(stored(jpeg(640, 480, progressive=True)))


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


@pytest.mark.heavy
def test_a_picture_of_two_colours_stays_small() -> None:
    upload = encoded(scene(1600, 1200).convert("1"), "PNG")
    assert stored(upload).mode == "1"
    assert len(normalised(upload).data) <= len(upload) * 3 // 2
