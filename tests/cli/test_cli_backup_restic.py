"""Backups in a repository of restic: in a directory, and in a bucket."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from conftest import DatabaseFactory, Environment
from support.running.commands import adsvc, done, refused, run_here
from support.s3.light import light_s3
from support.s3.server import BUCKET, CREDENTIALS, REGION

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(shutil.which("restic") is None, reason="restic is not installed"),
]


@pytest.fixture
async def elsewhere(
    environment: Environment, bare_database: DatabaseFactory, tmp_path: Path
) -> AsyncIterator[Environment]:
    """Another machine: a database without tables, and no pictures."""
    async with bare_database() as url:
        yield {
            **environment,
            "ADSVC_DATABASE_URL": url.render_as_string(hide_password=False),
            "ADSVC_DATA_DIR": str(tmp_path / "elsewhere"),
        }


@pytest.fixture
def secrets(tmp_path: Path) -> Environment:
    """What restic reads from its environment."""
    (tmp_path / "password").write_text("a long one")
    return {
        "RESTIC_PASSWORD_FILE": str(tmp_path / "password"),
        "RESTIC_CACHE_DIR": str(tmp_path / "cache"),
        "AWS_DEFAULT_REGION": REGION,
        **CREDENTIALS,
    }


def made(location: str, secrets: Environment) -> str:
    """A new repository."""
    _restic("init", environment={**secrets, "RESTIC_REPOSITORY": location})
    return f"restic:{location}"


def _restic(*words: str, environment: Environment) -> None:
    program = shutil.which("restic")
    assert program is not None
    subprocess.run([program, *words], env={**environment}, check=True, capture_output=True)


def verified(environment: Environment) -> None:
    """In a process of its own, as it has processes that decode."""
    finished = adsvc("verify", environment=environment)
    assert (finished.returncode, finished.stdout) == (0, ""), finished.stderr


@pytest.mark.long
def test_backups_in_a_bucket_are_made_listed_checked_restored_and_pruned(
    environment: Environment, elsewhere: Environment, secrets: Environment
) -> None:
    done("seed", "--users", "2", "--ads", "6", environment=environment)
    with light_s3() as (server, bucket):
        # The pictures have other credentials.
        others = {
            "AWS_ACCESS_KEY_ID": "pictures",
            "ADSVC_BACKUP_S3_REGION": REGION,
            "ADSVC_BACKUP_S3_ACCESS_KEY_ID": CREDENTIALS["AWS_ACCESS_KEY_ID"],
            "ADSVC_BACKUP_S3_SECRET_ACCESS_KEY": CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        }
        here, there = ({**one, **secrets, **others} for one in (environment, elsewhere))
        place = made(f"s3:{server.endpoint}/{BUCKET}/backups", secrets)
        first = run_here("backup", "--to", place, environment=here)
        assert first.exit_code == 0, first.stderr
        assert f"{place}/2" in first.stdout
        stored = len(bucket.buckets[BUCKET])
        done("seed", "--users", "1", "--ads", "1", environment=here)
        done("backup", "--to", place, environment=here)
        old, new = done("backups", place, environment=here).split()
        # Only the newest is on the disk, and its pictures are those of the site.
        staged = Path(here["ADSVC_DATA_DIR"], "backup")
        assert [path.name for path in staged.glob("2*")] == [new]
        images = {path.name: path for path in Path(here["ADSVC_DATA_DIR"], "images").glob("*/*")}
        for path in staged.glob("2*/pictures/*/*"):
            assert path.stat().st_ino == images.pop(path.name).stat().st_ino
        assert not images
        assert len(bucket.buckets[BUCKET]) > stored
        assert b"picture" not in b"".join(found.data for found in bucket.buckets[BUCKET].values())
        done("verify", place, environment=here)
        done("verify", f"{place}/{old}", environment=here)
        done("restore", f"{place}/{old}", environment=there)
        verified(there)
        done("prune", place, "--keep", "1", environment=here)
        assert done("backups", place, environment=here).split() == [new]
        assert "no backup" in refused("restore", f"{place}/{old}", environment=there)
        done("restore", place, "--replace", "--yes", environment=there)
        verified(there)
        assert not Path(there["ADSVC_DATA_DIR"], "backup", "restore").exists()


@pytest.mark.long
def test_a_flipped_byte_in_a_repository_is_found_and_nothing_is_restored_from_it(
    environment: Environment, elsewhere: Environment, secrets: Environment, tmp_path: Path
) -> None:
    done("seed", "--users", "1", "--ads", "2", environment=environment)
    here, place = {**environment, **secrets}, made(str(tmp_path / "repository"), secrets)
    done("backup", "--to", place, environment=here)
    largest = max(tmp_path.glob("repository/data/*/*"), key=lambda path: path.stat().st_size)
    largest.chmod(0o600)
    content = bytearray(largest.read_bytes())
    content[len(content) // 2] ^= 1
    largest.write_bytes(content)
    finished = run_here("verify", place, environment=here)
    assert finished.exit_code == 1
    assert place in finished.stdout
    assert "restic restore failed" in refused(
        "restore", place, environment={**elsewhere, **secrets}
    )
    assert not list(Path(elsewhere["ADSVC_DATA_DIR"]).glob("images/*/*.jpg"))


@pytest.mark.long
async def test_a_backup_that_was_killed_while_it_was_stored_is_none_and_the_next_one_is_whole(
    environment: Environment, secrets: Environment
) -> None:
    done("seed", "--users", "2", "--ads", "6", environment=environment)
    with light_s3() as (server, bucket):
        here = {**environment, **secrets}
        place = made(f"s3:{server.endpoint}/{BUCKET}/backups", secrets)
        bucket.seconds = 0.05
        words = ("-m", "adsvc", "backup", "--to", place)
        process = await asyncio.create_subprocess_exec(sys.executable, *words, env=here)
        async with asyncio.timeout(60):
            while not [key for key in bucket.buckets[BUCKET] if "/data/" in key]:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        process.kill()
        await process.wait()
        bucket.seconds = 0
        assert "no backup" in refused("restore", place, environment=here)
        # Its lock is still there.
        assert [key for key in bucket.buckets[BUCKET] if "/locks/" in key]
        done("backup", "--to", place, "--keep", "1", environment=here)
        done("verify", place, environment=here)


@pytest.mark.long
def test_a_repository_of_another_installation_is_refused(
    environment: Environment, elsewhere: Environment, secrets: Environment, tmp_path: Path
) -> None:
    place = made(str(tmp_path / "repository"), secrets)
    done("seed", "--users", "1", "--ads", "0", environment=environment)
    done("backup", "--to", place, environment={**environment, **secrets})
    done("migrate", environment=elsewhere)
    done("seed", "--users", "1", "--ads", "0", environment=elsewhere)
    assert "backups of installation" in refused(
        "backup", "--to", place, environment={**elsewhere, **secrets}
    )


def test_places_that_are_no_repository_are_refused_by_a_sentence(
    environment: Environment, secrets: Environment, tmp_path: Path
) -> None:
    done("seed", "--users", "1", "--ads", "0", environment=environment)
    here = {**environment, **secrets}
    assert "--to restic:REPOSITORY" in refused("backup", environment=here)
    assert "--to restic:REPOSITORY" in refused("backup", "s3://backups/x", environment=here)
    assert "--to restic:REPOSITORY" in refused("backup", "restic:x", environment=here)
    assert "no repository" in refused("backup", "--to", str(tmp_path), environment=here)
    (tmp_path / "sealed").mkdir()
    (tmp_path / "sealed/vault").touch()
    for place in (f"{tmp_path}/sealed", "s3://backups/x"):
        assert "restored by 0.3.0" in refused("restore", place, environment=here)
    told = refused("backup", "--to", f"restic:{tmp_path}/none", environment=here)
    assert "Is there a repository" in told
    without = {**here, "PATH": str(tmp_path)}
    told = refused("backup", "--to", f"restic:{tmp_path}", environment=without)
    assert "the program restic is not installed" in told
    assert "\n" not in told
