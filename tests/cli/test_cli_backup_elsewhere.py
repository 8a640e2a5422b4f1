"""Backups through a pooler, of a bucket and into one, and onto a full disk."""

import os
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy.engine import URL, make_url

from conftest import DatabaseFactory, Environment
from faults.stores import small_disk
from support.running.commands import adsvc, done, refused
from support.running.pooler import PGBOUNCER, pooled
from support.s3.light import light_s3
from support.s3.server import BUCKET, CREDENTIALS

pytestmark = pytest.mark.heavy


@pytest.fixture
async def elsewhere(
    environment: Environment, bare_database: DatabaseFactory, tmp_path: Path
) -> AsyncIterator[Environment]:
    """Another machine: a database without tables, and no pictures."""
    async with bare_database() as url:
        yield {
            **environment,
            "ADSVC_DATABASE_URL": address(url),
            "ADSVC_DATA_DIR": str(tmp_path / "elsewhere"),
        }


def address(url: URL) -> str:
    return url.render_as_string(hide_password=False)


def verified(environment: Environment) -> None:
    """In a process of its own, as it has processes that decode."""
    finished = adsvc("verify", environment=environment)
    assert (finished.returncode, finished.stdout) == (0, ""), finished.stderr


def lent(environment: Environment, pooler: URL) -> Environment:
    direct = environment["ADSVC_DATABASE_URL"]
    url = pooler.set(database=make_url(direct).database)
    return {
        **environment,
        "ADSVC_DATABASE_URL": address(url),
        "ADSVC_DATABASE_LISTEN_URL": direct,
        "ADSVC_DATABASE_POOLING": "transaction",
    }


@pytest.mark.long
def test_pictures_of_a_backup_go_into_a_bucket_and_come_back(
    environment: Environment, elsewhere: Environment, tmp_path: Path
) -> None:
    done("seed", "--users", "2", "--ads", "6", environment=environment)
    done("backup", str(tmp_path / "backups"), environment=environment)
    with light_s3() as (server, bucket):
        cloud = {**elsewhere, **server.environment("ads"), **CREDENTIALS}
        done("restore", str(tmp_path / "backups"), environment=cloud)
        pictures = {path.name for path in (tmp_path / "backups").glob("*/pictures/*/*")}
        assert {key.removeprefix("ads/") for key in bucket.buckets[BUCKET]} == {
            *pictures,
            ".installation",
        }
        verified(cloud)
        done("backup", str(tmp_path / "of-bucket"), environment=cloud)
        assert {path.name for path in (tmp_path / "of-bucket").glob("*/pictures/*/*")} == pictures
        assert "is not empty" in refused("restore", str(tmp_path / "of-bucket"), environment=cloud)
        words = ("restore", str(tmp_path / "of-bucket"), "--replace", "--yes")
        done(*words, environment=cloud)
        verified(cloud)


@pytest.mark.skipif(PGBOUNCER is None, reason="pgbouncer is not installed")
def test_by_a_pooler_that_lends_connections_for_a_transaction(
    environment: Environment, elsewhere: Environment, tmp_path: Path
) -> None:
    done("seed", "--users", "2", "--ads", "6", environment=environment)
    with pooled(make_url(environment["ADSVC_DATABASE_URL"]), "transaction") as pooler:
        here, there = lent(environment, pooler), lent(elsewhere, pooler)
        done("backup", str(tmp_path / "backups"), environment=here)
        done("verify", str(tmp_path / "backups"), environment=here)
        done("restore", str(tmp_path / "backups"), environment=there)
        verified(there)
        # The pooler has kept the connections of these commands.
        done("restore", str(tmp_path / "backups"), "--replace", "--yes", environment=there)
        verified(there)


def fill(directory: Path, left: int) -> Path:
    """Somebody else's file takes all the room but so many bytes."""
    filler = directory / ".filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    os.truncate(filler, filler.stat().st_size - left)
    return filler


def test_a_full_disk_ends_a_backup_by_a_sentence_and_leaves_the_last_one(
    environment: Environment, tmp_path: Path
) -> None:
    place = tmp_path / "backups"
    done("seed", "--users", "2", "--ads", "6", environment=environment)
    with small_disk(place, "2m"):
        done("backup", str(place), environment=environment)
        before = list(place.glob("2*"))
        done("seed", "--users", "1", "--ads", "1", environment=environment)
        # Not enough for a picture, for the list of their digests, and for the dump.
        for left in (0, 32 * 1024, 64 * 1024):
            filler = fill(place, left)
            assert "No space left" in refused("backup", str(place), environment=environment)
            filler.unlink()
            assert list(place.glob("2*")) == before
            assert len(list(place.glob(".*.partial"))) == 1
            done("verify", str(place), environment=environment)
        done("backup", str(place), environment=environment)
        assert len(list(place.glob("2*"))) == 2


@pytest.mark.long
def test_a_restore_onto_a_full_disk_can_be_run_again(
    environment: Environment, elsewhere: Environment, tmp_path: Path
) -> None:
    done("seed", "--users", "2", "--ads", "6", environment=environment)
    done("backup", str(tmp_path / "backups"), environment=environment)
    words = ("restore", str(tmp_path / "backups"))
    with small_disk(Path(elsewhere["ADSVC_DATA_DIR"])):
        filler = fill(Path(elsewhere["ADSVC_DATA_DIR"]), 64 * 1024)
        assert "is full" in refused(*words, environment=elsewhere)
        filler.unlink()
        done(*words, environment=elsewhere)
        verified(elsewhere)
