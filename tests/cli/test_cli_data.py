import asyncio
import json
import os
import re
import sys
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from adsvc.services.places import loading
from conftest import Environment
from support.running.commands import adsvc, done, refused, run_here, sql

pytestmark = pytest.mark.heavy

NAME = "0f8fad5bd9cb469fa16570867728950e.jpg"


def pictures_in(environment: Environment) -> list[Path]:
    return list((Path(environment["ADSVC_DATA_DIR"]) / "images").glob("*/*"))


def test_a_database_is_migrated_as_often_as_one_likes(bare_environment: Environment) -> None:
    for _ in range(2):
        told = done("migrate", environment=bare_environment)
        assert re.fullmatch(r"The schema is at revision \w+\.\n", told)
    assert done("users", "list", environment=bare_environment) == ""


async def test_places_are_whole_after_a_migration_that_was_killed(
    bare_environment: Environment,
) -> None:
    done("migrate", environment={**bare_environment, "ADSVC_COUNTRIES": "MC"})
    lines = b"".join(loading.portions_of(("LI",), set())).splitlines()
    engine = create_async_engine(bare_environment["ADSVC_DATABASE_URL"])
    async with engine.connect() as holding:
        # The load has sent its lines, and waits for the outcome of another row with the same id.
        await holding.execute(
            text(
                "INSERT INTO places (id, name, country, population, latitude, longitude, cell)"
                " VALUES (:id, 'Town', 'XX', 1, 0, 0, 0)"
            ),
            {"id": int(lines[-1].split(b"\t")[1])},
        )
        killed = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "adsvc", "migrate", env={**os.environ, **bare_environment}
        )
        waiting = (
            "SELECT pid FROM pg_stat_activity"
            " WHERE wait_event_type = 'Lock' AND query LIKE '%staged_places%'"
        )
        async with asyncio.timeout(60):
            while not await sql(bare_environment, waiting):  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.05)
        killed.kill()
        await killed.wait()
        await holding.rollback()
    await engine.dispose()
    done("migrate", environment=bare_environment)
    [found] = await sql(
        bare_environment,
        "SELECT array_agg(DISTINCT country), count(DISTINCT id), count(DISTINCT place_id)"
        " FROM places LEFT JOIN place_keys ON place_id = id",
    )
    assert found == (["LI"], len(lines), len(lines))


def test_a_schema_needs_no_image_store(
    bare_environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that migrates has neither the bucket's credentials nor a way to it."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    bucket = {
        "ADSVC_IMAGE_STORE": "s3://ads/pictures", "ADSVC_S3_ENDPOINT": "http://127.0.0.1:1",
        "ADSVC_S3_TIMEOUT_SECONDS": "1",
    }  # fmt: skip
    finished = run_here("migrate", environment={**bare_environment, **bucket})
    assert finished.exit_code == 0, finished.exception
    assert "The schema is at revision" in finished.stdout
    assert "Could not check which installation owns the image store" in finished.stderr
    assert "The first start of the service does that" in finished.stderr


def test_what_needs_tables_names_the_command_that_makes_them(
    bare_environment: Environment,
) -> None:
    for command in (["users", "promote", "anna"], ["seed"], ["sweep"]):
        assert "adsvc migrate" in refused(*command, environment=bare_environment)


@pytest.mark.long
def test_demonstration_data_are_varied_and_have_their_pictures(environment: Environment) -> None:
    told = done("seed", "--users", "3", "--ads", "120", environment=environment)
    assert "Made 3 accounts and 120 ads." in told
    assert re.search(r"Log in as \S+@example\.com with the password \S+", told)
    pictures = pictures_in(environment)
    # One to five for each ad, each with three variants, of files that are drawn once.
    assert 120 * 4 < len(pictures) < 120 * 4 * 5
    assert 50 < len({picture.stat().st_ino for picture in pictures}) < len(pictures)
    # They may be made again beside what is there.
    done("seed", "--users", "1", "--ads", "5", "--password", "a password", environment=environment)
    assert len(pictures_in(environment)) >= len(pictures) + 5 * 4
    assert len(done("users", "list", environment=environment).splitlines()) == 4


@pytest.mark.long
def test_the_sweep_says_what_it_removed(environment: Environment) -> None:
    done("seed", "--users", "1", "--ads", "3", environment=environment)
    kept = len(pictures_in(environment))
    orphan = Path(environment["ADSVC_DATA_DIR"]) / "images" / NAME[:2] / NAME
    orphan.parent.mkdir(exist_ok=True)
    orphan.write_bytes(b"orphan")
    finished = adsvc("sweep", environment=environment)
    assert (finished.stdout, finished.returncode) == ("", 0)
    assert "Removed 0 image files." in finished.stderr
    assert orphan.exists()
    finished = adsvc("sweep", "--grace", "0", environment=environment)
    assert (finished.stdout, finished.returncode) == (f"{NAME}\n", 0)
    assert "Removed 1 image files." in finished.stderr
    assert len(pictures_in(environment)) == kept


def test_a_data_directory_that_cannot_be_used_is_named(
    environment: Environment, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    inside = str(tmp_path / "file" / "data")
    assert inside in refused("sweep", environment={**environment, "ADSVC_DATA_DIR": inside})
    assert "ADSVC_DATA_DIR" in refused("migrate", environment={"ADSVC_DATA_DIR": inside})


def test_the_contract_can_be_printed_without_anything_running() -> None:
    printed = json.loads(done("openapi", environment={"ADSVC_TITLE_MAX_LENGTH": "42"}))
    assert "/ads" in printed["paths"]
    title = printed["components"]["schemas"]["CreateOrUpdateAd"]["properties"]["title"]
    assert title["maxLength"] == 42
