import re
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from conftest import Environment
from support.running.commands import adsvc, done, refused
from support.s3.light import LightS3
from support.s3.server import BUCKET, S3Server
from support.scene.stores import NAME

pytestmark = pytest.mark.heavy


async def without_variants(environment: Environment) -> None:
    """As ads of a version that made none."""
    engine = create_async_engine(environment["ADSVC_DATABASE_URL"])
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE ads SET thumbnail = NULL"))
        await connection.execute(
            text("UPDATE ad_images SET width = NULL, has_variants = false, has_share = false")
        )
    await engine.dispose()
    for file in (Path(environment["ADSVC_DATA_DIR"]) / "images").glob("*/*-*"):
        file.unlink()


@pytest.mark.long
async def test_pictures_are_rebuilt_and_those_that_cannot_be_are_named(
    environment: Environment,
) -> None:
    done("seed", "--users", "1", "--ads", "5", environment=environment)
    await without_variants(environment)
    images = Path(environment["ADSVC_DATA_DIR"]) / "images"
    pictures = sorted(images.glob("*/*[0-9a-f][0-9a-f].jpg"))
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


def pictures_in(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.glob("*/*")}


@pytest.mark.long
def test_pictures_are_copied_either_way_and_not_twice(
    environment: Environment, s3: tuple[S3Server, LightS3], prefix: str, tmp_path: Path
) -> None:
    """Beside a running service, to which they belong all the time."""
    done("seed", "--users", "1", "--ads", "6", environment=environment)
    there = pictures_in(Path(environment["ADSVC_DATA_DIR"]) / "images")
    variables = {**environment, **s3[0].environment(prefix)}
    del variables["ADSVC_IMAGE_STORE"]
    bucket = f"s3://{BUCKET}/{prefix}"
    assert copied("local", bucket, environment=variables) == (len(there), 0)
    found = {key.partition("/")[2]: held.data for key, held in s3[1].buckets[BUCKET].items()}
    assert found == there
    # One is lost and one was broken: both are copied again, and nothing else is.
    lost, broken, *_ = sorted(there)
    s3[1].buckets[BUCKET].pop(f"{prefix}/{lost}")
    s3[1].buckets[BUCKET][f"{prefix}/{broken}"].data = bytes(len(there[broken]))
    assert copied("local", bucket, environment=variables) == (2, len(there) - 2)
    # Back into a directory, whose files are those of the site again.
    back = tmp_path / "back"
    assert copied(bucket, str(back), environment=variables) == (len(there), 0)
    assert pictures_in(back) == there


def test_what_looks_like_a_bucket_makes_no_directory(
    environment: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done("seed", "--users", "1", "--ads", "1", environment=environment)
    before = set(tmp_path.iterdir())
    for wrong in ("s3:/ads/pictures", "S3://ads/pictures", "s3://Ads", "gs://ads"):
        for pair in (("local", wrong), (wrong, "local")):
            assert "s3://bucket/ads" in refused("images", "copy", *pair, environment=environment)
    assert set(tmp_path.iterdir()) == before
    done("images", "copy", "local", "./s3:", environment=environment)
    assert pictures_in(tmp_path / "s3:")


def test_the_reason_a_store_cannot_be_used_is_reported(
    environment: Environment, tmp_path: Path
) -> None:
    finished = adsvc("images", "copy", str(tmp_path), "local", environment=environment)
    assert finished.returncode == 1
    assert "Traceback" not in finished.stderr
    assert re.search(r"^adsvc: .*No such file or directory: .*/00'$", finished.stderr, re.MULTILINE)


def copied(source: str, target: str, *, environment: Environment) -> tuple[int, int]:
    """How many files were copied, and how many were there."""
    finished = adsvc("images", "copy", source, target, environment=environment)
    assert finished.returncode == 0, finished.stderr
    [told] = re.findall(r"Copied (\d+) files; (\d+) were there already\.", finished.stderr)
    return int(told[0]), int(told[1])


def test_pictures_of_another_installation_are_not_mixed_in(
    environment: Environment, s3: tuple[S3Server, LightS3], prefix: str, tmp_path: Path
) -> None:
    variables = {**environment, **s3[0].environment(prefix)}
    bucket = variables["ADSVC_IMAGE_STORE"]
    done("seed", "--users", "1", "--ads", "1", environment=variables)
    before = dict(s3[1].buckets[BUCKET])
    other = tmp_path / "other"
    (other / NAME[:2]).mkdir(parents=True)
    (other / NAME[:2] / NAME).write_bytes(b"picture")
    assert "belongs to installation" in refused(
        "images", "copy", str(other), bucket, environment=variables
    )
    assert "are the same" in refused("images", "copy", bucket, bucket, environment=variables)
    missing = str(tmp_path / "missing")
    assert "missing" in refused("images", "copy", missing, str(tmp_path), environment=variables)
    assert s3[1].buckets[BUCKET] == before
