"""Commands against the wrong database, an empty one, or another's pictures."""

import os
import shutil
import time
from pathlib import Path

import pytest

from adsvc_ops.cli.environment import stored_secret
from conftest import DatabaseFactory, Environment
from support.running.commands import adsvc, done, refused

pytestmark = pytest.mark.heavy

DAY = 24 * 60 * 60


@pytest.fixture
def filled(environment: Environment) -> Environment:
    """A site with a few ads, whose pictures are old enough for the sweep."""
    done("seed", "--users", "2", "--ads", "8", environment=environment)
    make_old(environment)
    return environment


def images_of(environment: Environment) -> Path:
    return Path(environment["ADSVC_DATA_DIR"]) / "images"


def pictures(environment: Environment) -> set[str]:
    return {path.name for path in images_of(environment).glob("*/*")}


def make_old(environment: Environment) -> None:
    then = time.time() - 2 * DAY
    for path in images_of(environment).glob("*/*"):
        os.utime(path, (then, then))


def orphan(environment: Environment, number: int) -> str:
    name = f"{number:032x}.jpg"
    path = images_of(environment) / name[:2] / name
    path.write_bytes(b"orphan")
    then = time.time() - 2 * DAY
    os.utime(path, (then, then))
    return name


COMMANDS = (
    ("sweep",), ("sweep", "--force"), ("adopt",), ("users", "list"),
    ("users", "promote", "anna"), ("users", "demote", "anna"), ("audit",),
)  # fmt: skip


def test_no_command_makes_a_database_but_those_that_are_to(filled: Environment) -> None:
    """The same directory, but the address of the database is missing: a cron job's environment."""
    before = pictures(filled)
    bare = {"ADSVC_DATA_DIR": filled["ADSVC_DATA_DIR"], "ADSVC_DATABASE_URL": ""}
    for command in COMMANDS:
        told = refused(*command, environment=bare)
        assert "ADSVC_DATABASE_URL is not set" in told
        assert f"{filled['ADSVC_DATA_DIR']}/postgres" in told
    assert pictures(filled) == before
    left = {path.name for path in Path(filled["ADSVC_DATA_DIR"]).iterdir()}
    assert left == {"images"}
    nowhere = images_of(filled).with_name("nowhere")
    for command in COMMANDS:
        refused(*command, environment={**bare, "ADSVC_DATA_DIR": str(nowhere)})
    assert not nowhere.exists()


@pytest.mark.long
async def test_nothing_acts_on_the_pictures_of_another_installation(
    filled: Environment, bare_database: DatabaseFactory
) -> None:
    before = pictures(filled)
    async with bare_database() as url:
        other = {**filled, "ADSVC_DATABASE_URL": url.render_as_string(hide_password=False)}
        migrated = adsvc("migrate", environment=other)
        assert migrated.returncode == 0
        assert "belongs to" in migrated.stderr
        for command in (
            ("sweep", "--force"), ("sweep", "--dry-run"), ("seed", "--ads", "1"), ("users", "list"),
            ("users", "promote", "anna"), ("serve", "--port", "0"),
        ):  # fmt: skip
            told = refused(*command, environment=other)
            # What was compared, and how to go on if it is right.
            assert str(url.database) in told
            assert str(images_of(filled)) in told
            assert "adsvc adopt" in told
        assert pictures(filled) == before
        told = done("adopt", environment=other)
        assert str(images_of(filled)) in told
        assert "is more than a tenth" in refused("sweep", environment=other)
        assert pictures(filled) == before
        assert adsvc("sweep", "--force", environment=other).returncode == 0
        assert pictures(filled) == set()


def test_a_store_without_its_id_is_adopted_only_if_it_holds_what_the_rows_name(
    filled: Environment,
) -> None:
    images, marker = images_of(filled), images_of(filled) / ".installation"
    identity = marker.read_text()
    # As an older version left it.
    marker.unlink()
    assert "belongs to none" in refused("sweep", environment=filled)
    done("users", "list", environment=filled)
    assert not marker.exists()
    done("seed", "--users", "1", "--ads", "1", environment=filled)
    assert marker.read_text() == identity
    # A file system that is not mounted.
    away = images.rename(images.with_name("away"))
    for command in (("serve", "--port", "0"), ("seed", "--ads", "1")):
        told = refused(*command, environment=filled)
        assert "of 9 pictures that the database names, the store holds 0" in told
        assert "mounted" in told
    assert "belongs to none" in refused("sweep", "--force", environment=filled)
    assert not pictures(filled)
    shutil.rmtree(images)
    away.rename(images)
    done("seed", "--users", "1", "--ads", "1", environment=filled)


async def test_a_new_database_does_not_take_pictures_without_an_id_for_its_own(
    filled: Environment, bare_database: DatabaseFactory
) -> None:
    (images_of(filled) / ".installation").unlink()
    async with bare_database() as url:
        other = {**filled, "ADSVC_DATABASE_URL": url.render_as_string(hide_password=False)}
        done("migrate", environment=other)
        told = refused("serve", "--port", "0", environment=other)
        assert "the database names no picture, and the store holds some" in told
        assert not (images_of(filled) / ".installation").exists()


def test_a_copy_of_a_site_differs_from_its_original(filled: Environment) -> None:
    marker = images_of(filled) / ".installation"
    before = marker.read_text()
    told = done("adopt", "--new-id", environment=filled)
    assert marker.read_text() != before
    assert before in told
    assert marker.read_text() in told
    done("users", "list", environment=filled)
    marker.write_text(before)
    refused("users", "list", environment=filled)


@pytest.mark.long
def test_a_sweep_of_more_than_a_tenth_has_to_be_forced(filled: Environment) -> None:
    few = {orphan(filled, number) for number in range(20)}
    # Twenty are a few, though they are more than a tenth.
    assert adsvc("sweep", environment=filled).stdout.splitlines() == sorted(few)
    many = sorted(orphan(filled, number) for number in range(21))
    before = pictures(filled)
    looked = adsvc("sweep", "--dry-run", environment=filled)
    assert (looked.returncode, looked.stdout.splitlines()) == (0, many)
    assert f"Would remove 21 of {len(before)}" in looked.stderr
    assert "--force" in looked.stderr
    assert f"21 of the {len(before)} files" in refused("sweep", environment=filled)
    assert pictures(filled) == before
    assert done("sweep", "--force", environment=filled).splitlines() == many
    assert pictures(filled) == before - set(many)


@pytest.mark.long
@pytest.mark.large
def test_a_sweep_of_many_that_are_less_than_a_tenth_is_a_sweep(filled: Environment) -> None:
    done("seed", "--users", "1", "--ads", "200", environment=filled)
    many = sorted(orphan(filled, number) for number in range(22))
    assert done("sweep", environment=filled).splitlines() == many


def test_a_secret_that_others_can_read_is_mended_with_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "jwt_secret"
    made = stored_secret(path)
    assert caplog.text == ""
    path.chmod(0o644)
    assert stored_secret(path) == made
    assert path.stat().st_mode & 0o777 == 0o600
    assert str(path) in caplog.text
    assert made.get_secret_value() not in caplog.text
