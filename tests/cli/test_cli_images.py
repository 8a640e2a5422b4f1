from pathlib import Path

import pytest

from conftest import Environment
from support.running.commands import adsvc, done

pytestmark = pytest.mark.heavy


def test_pictures_are_rebuilt_and_those_that_cannot_be_are_named(environment: Environment) -> None:
    done("seed", "--users", "1", "--ads", "5", environment=environment)
    images = Path(environment["ADSVC_DATA_DIR"]) / "images"
    broken = min(images.glob("*/*.jpg"))
    whole = broken.read_bytes()
    # Several ads may share the file: this one is broken alone.
    broken.unlink()
    broken.write_bytes(whole[:100])
    finished = adsvc("images", "rebuild", environment=environment)
    assert finished.returncode == 1
    assert finished.stdout == f"{broken.name}: The image ends too early.\n"
    assert "Rebuilt 4 pictures." in finished.stderr
    assert len(list(images.glob("*/*-thumb.webp"))) == 4
    broken.write_bytes(whole)
    finished = adsvc("images", "rebuild", environment=environment)
    assert (finished.returncode, finished.stdout) == (0, "")
    assert "Rebuilt 1 pictures." in finished.stderr
    assert len(list(images.glob("*/*-card.webp"))) == 5
