from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from conftest import Environment
from support.running.commands import adsvc, done

pytestmark = pytest.mark.heavy


async def without_variants(environment: Environment) -> None:
    """As ads of a version that made none."""
    engine = create_async_engine(environment["ADSVC_DATABASE_URL"])
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE ads SET thumbnail = NULL"))
        await connection.execute(text("UPDATE ad_images SET width = NULL, has_variants = false"))
    await engine.dispose()
    for file in (Path(environment["ADSVC_DATA_DIR"]) / "images").glob("*/*.webp"):
        file.unlink()


async def test_pictures_are_rebuilt_and_those_that_cannot_be_are_named(
    environment: Environment,
) -> None:
    done("seed", "--users", "1", "--ads", "5", environment=environment)
    await without_variants(environment)
    images = Path(environment["ADSVC_DATA_DIR"]) / "images"
    pictures = sorted(images.glob("*/*.jpg"))
    broken, whole = pictures[0], pictures[0].read_bytes()
    # Several ads may share the file: this one is broken alone.
    broken.unlink()
    broken.write_bytes(whole[:100])
    finished = adsvc("images", "rebuild", environment=environment)
    assert finished.returncode == 1
    assert finished.stdout == f"{broken.name}: The image ends too early.\n"
    assert f"Rebuilt {len(pictures) - 1} pictures." in finished.stderr
    assert len(list(images.glob("*/*-thumb.webp"))) == len(pictures) - 1
    broken.write_bytes(whole)
    finished = adsvc("images", "rebuild", environment=environment)
    assert (finished.returncode, finished.stdout) == (0, "")
    assert "Rebuilt 1 pictures." in finished.stderr
    assert len(list(images.glob("*/*-card.webp"))) == len(pictures)
