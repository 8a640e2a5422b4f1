"""Random damage is refused, or makes another picture."""

import struct
import warnings
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adsvc.errors import InvalidImageError, UnsupportedImageError
from support.pictures.colour_profiles import green_ink_profile, swapped_profile
from support.pictures.samples import (
    PNG_SIGNATURE,
    SECRET,
    animation,
    chunk,
    jpeg,
    multi_picture,
    png,
    png_of,
    riff,
    webp,
)
from support.pictures.stored import decoded, is_bare, normalised

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


@pytest.mark.parametrize("progressive", [False, True])
@pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
@pytest.mark.parametrize("missing", [1, 2])
def test_a_jpeg_that_lacks_only_its_end_is_whole(
    missing: int, mode: str, *, progressive: bool
) -> None:
    whole = jpeg(640, 480, mode=mode, progressive=progressive)
    assert normalised(whole[:-missing]).data == normalised(whole).data


@pytest.mark.parametrize("progressive", [False, True])
@pytest.mark.parametrize("missing", [10, 40, 1000])
def test_a_jpeg_that_lacks_pixels_is_refused(missing: int, *, progressive: bool) -> None:
    whole = jpeg(640, 480, progressive=progressive)
    for cut_off in (whole[:-missing], whole[:-missing] + b"\xff"):
        with pytest.raises(InvalidImageError):
            normalised(cut_off)
