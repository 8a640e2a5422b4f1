"""Files that are no pictures, or would harm the decoder, are refused."""

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageFile

from adsvc.errors import InvalidImageError, UnsupportedImageError
from adsvc.kit.pictures.normalise import normalise
from support.pictures.harmless import HARMLESS
from support.pictures.hostile import HOSTILE, one_bit_png
from support.pictures.samples import chunk, jpeg, png, png_of, webp
from support.pictures.stored import Factory, decoded, is_bare, is_upright, normalised


@pytest.mark.heavy
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused(name: str) -> None:
    make, status = HOSTILE[name]
    expected = {400: InvalidImageError, 415: UnsupportedImageError}[status]
    with pytest.raises(expected):
        normalised(make())


@pytest.mark.heavy
@pytest.mark.parametrize("name", HARMLESS)
def test_a_strange_but_good_picture_is_taken(name: str) -> None:
    picture = normalised(HARMLESS[name]())
    assert is_bare(picture)
    assert decoded(picture).size == (64, 48)
    assert is_upright(decoded(picture))


@pytest.mark.heavy
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
    ("make", "why"),
    [(jpeg, "ends too early|decoded"), (png, "ends too early"), (webp, "decoded")],
)
def test_a_picture_that_ends_anywhere_too_early_is_refused(make: Factory, why: str) -> None:
    data = make()
    # A JPEG that lacks only its end marker, or a half of it, is whole.
    enough = len(data) - 2 if make is jpeg else len(data)
    for end in range(12, enough):
        with pytest.raises(InvalidImageError) as refusal:
            normalised(data[:end])
        assert re.search(why, refusal.value.detail)


def test_numbers_of_colours_without_a_palette_are_refused() -> None:
    with pytest.raises(InvalidImageError):
        normalised(png_of((8, 8), 8, 3, bytes(9 * 8), []))


# Prints by how many kilobytes the process grew at its largest. What `resource` says would not do:
# it begins with the size of the process that started this one.
WATCH = """
import re, sys
from pathlib import Path
from random import Random
from adsvc.errors import RefusalError
from adsvc.kit.pictures.normalise import normalise

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
