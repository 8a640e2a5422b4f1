"""Backups made, checked, restored and pruned, as operators do it."""

import asyncio
import json
import os
import select
import shutil
import sys
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from adsvc.migrations import revisions
from adsvc_ops.embedded import packaged_programs
from conftest import DatabaseFactory, Environment
from support.running.commands import adsvc, done, refused, sql

pytestmark = pytest.mark.heavy

TABLES = (
    "users", "ads", "ad_images", "images", "categories", "comments", "installation",
    "totps", "recovery_codes", "passkeys", "sign_ins", "keys",
)  # fmt: skip

# Of one account, as the service stores them.
FACTORS = """
    UPDATE users SET has_totp = true, has_passkey = true WHERE id = (SELECT min(id) FROM users);
    INSERT INTO totps (user_id, secret, last_step) SELECT min(id), '\\x0102', 59 FROM users;
    INSERT INTO recovery_codes (user_id, hash) SELECT min(id), '\\x03' FROM users;
    INSERT INTO passkeys (user_id, name, credential_id, public_key, sign_count, backup_eligible,
        backed_up, rp_id)
    SELECT min(id), 'A', '\\x04', '\\x05', 7, true, true, 'ads.test' FROM users;
    INSERT INTO sign_ins (user_id, network, device)
    SELECT min(id), '203.0.113.0/24', 'Firefox, Linux' FROM users;
    INSERT INTO keys (user_id, name, prefix, hash, scopes)
    SELECT min(id), 'Import', 'adsvc_abc', '\\x06', '{ads:read}' FROM users
"""


@pytest.fixture
def filled(environment: Environment) -> Environment:
    done("seed", "--users", "2", "--ads", "6", environment=environment)
    return environment


@pytest.fixture
async def elsewhere(
    environment: Environment, bare_database: DatabaseFactory, tmp_path: Path
) -> AsyncIterator[Environment]:
    """Another machine: a database without tables, and no pictures."""
    async with bare_database() as url:
        address = url.render_as_string(hide_password=False)
        yield {
            **environment,
            "ADSVC_DATABASE_URL": address,
            "ADSVC_DATA_DIR": str(tmp_path / "elsewhere"),
        }


async def contents(environment: Environment) -> list[list[Any]]:
    return [await sql(environment, f"TABLE {table} ORDER BY 1") for table in TABLES]


def files_of(environment: Environment) -> dict[str, bytes]:
    images = Path(environment["ADSVC_DATA_DIR"]) / "images"
    return {path.name: path.read_bytes() for path in images.glob("*/*")}


def picture_of(environment: Environment, name: str) -> Path:
    return Path(environment["ADSVC_DATA_DIR"], "images", name[:2], name)


def replace(path: Path, content: bytes | None) -> None:
    """Its file alone: demonstration pictures have several names."""
    path.unlink()
    if content is not None:
        path.write_bytes(content)


def generations(place: Path) -> list[Path]:
    return sorted(path for path in place.iterdir() if path.name.startswith("2"))


def verify_site(environment: Environment) -> None:
    """In a process of its own, as it has processes that decode."""
    finished = adsvc("verify", environment=environment)
    assert (finished.returncode, finished.stdout) == (0, ""), finished.stderr


def flip(path: Path) -> bytes:
    """One bit in the middle; gives what was there."""
    before = path.read_bytes()
    changed = bytearray(before)
    changed[len(changed) // 2] ^= 1
    path.write_bytes(changed)
    return before


async def test_a_backup_is_put_back_elsewhere_as_it_was(
    filled: Environment, elsewhere: Environment, tmp_path: Path
) -> None:
    for statement in FACTORS.split(";"):
        await sql(filled, statement)
    place = tmp_path / "backups"
    told = done("backup", str(place), environment=filled)
    [generation] = generations(place)
    assert str(generation) in told
    assert place.stat().st_mode & 0o077 == 0
    manifest = json.loads((generation / "manifest.json").read_text())
    assert manifest["pictures"] == len(files_of(filled)) > 20
    assert manifest["missing"] == []
    [recorded] = await sql(filled, "SELECT succeeded_at FROM jobs WHERE name = 'backup'")
    assert recorded[0] >= datetime.fromisoformat(manifest["made_at"])
    done("verify", str(place), environment=filled)
    # Somebody else's tool reads the list too.
    checked = shutil.which("sha256sum")
    assert checked is None or not await _faults_by(checked, generation)

    told = done("restore", str(place), environment=elsewhere)
    assert generation.name in told
    restored = await contents(elsewhere)
    assert restored == await contents(filled)
    assert all(restored[-5:])
    assert files_of(elsewhere) == files_of(filled)
    verify_site(elsewhere)
    done("users", "list", environment=elsewhere)
    # It serves writes: what the schema does by itself is there.
    done("seed", "--users", "1", "--ads", "1", environment=elsewhere)
    assert "is not empty" in refused("restore", str(place), environment=elsewhere)


async def _faults_by(program: str, generation: Path) -> str:
    words = (program, "--check", "--quiet", str(generation / "pictures.sha256"))
    process = await asyncio.create_subprocess_exec(
        *words, cwd=generation / "pictures", stdout=-1, stderr=-1
    )
    said = await process.communicate()
    assert process.returncode == 0
    return b"".join(said).decode()


SLOW = """#!/bin/sh
case "$1" in
    --version) echo "pg_dump (PostgreSQL) 99.0" ;;
    *) echo $$ > "$0.pid"; exec sleep 600 ;;
esac
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux ends it")
async def test_what_a_killed_backup_has_started_ends_with_it(
    filled: Environment, tmp_path: Path
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("pg_dump", "pg_restore", "psql"):
        (programs / name).write_text(SLOW)
        (programs / name).chmod(0o755)
    words = ("-m", "adsvc", "backup", str(tmp_path / "backups"), "--postgres-bin", str(programs))
    process = await asyncio.create_subprocess_exec(sys.executable, *words, env=filled)
    told = programs / "pg_dump.pid"
    async with asyncio.timeout(60):
        while not (told.exists() and told.read_text().strip()):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        dump = os.pidfd_open(int(told.read_text()))
        process.kill()
        await process.wait()
    # It can be read from when the process has ended.
    ended, _, _ = select.select([dump], [], [], 60)
    os.close(dump)
    assert ended


@pytest.mark.large
async def test_a_second_backup_copies_only_what_is_new(filled: Environment, tmp_path: Path) -> None:
    place = tmp_path / "backups"
    done("backup", str(place), environment=filled)
    [first] = generations(place)
    before = {path.name: path.stat().st_ino for path in first.glob("pictures/*/*")}
    # One that was lost is copied again.
    lost = min(first.glob("pictures/*/*"))
    lost.unlink()
    finished = adsvc("verify", str(place), environment=filled)
    assert (finished.returncode, finished.stdout) == (1, f"{lost} is missing.\n")
    done("seed", "--users", "1", "--ads", "2", environment=filled)
    done("backup", str(place), environment=filled)
    [_, second] = generations(place)
    after = {path.name: path.stat().st_ino for path in second.glob("pictures/*/*")}
    assert set(after) > set(before)
    assert {name for name in before if after[name] != before[name]} <= {lost.name}
    done("verify", str(second), environment=filled)


@pytest.mark.large
async def test_old_backups_are_removed_and_the_newest_stay_whole(
    filled: Environment, tmp_path: Path
) -> None:
    place = tmp_path / "backups"
    for _ in range(2):
        done("backup", str(place), environment=filled)
    first, second = generations(place)
    listed = done("backups", str(place), environment=filled)
    assert listed.split() == [first.name, second.name]
    # The list of the backup before is damaged: all pictures are copied again.
    flip(second / "pictures.sha256")
    done("backup", str(place), "--keep", "2", environment=filled)
    assert generations(place)[0] == second
    done("prune", str(place), "--keep", "1", environment=filled)
    assert len(generations(place)) == 1
    done("verify", str(place), environment=filled)


@pytest.mark.long
async def test_a_flipped_bit_is_found_wherever_it_is(
    filled: Environment, elsewhere: Environment, tmp_path: Path
) -> None:
    place = tmp_path / "backups"
    done("backup", str(place), environment=filled)
    [generation] = generations(place)
    picture = min(generation.glob("pictures/*/*"))
    for path in (
        generation / "database.dump", generation / "pictures.sha256", generation / "manifest.json",
        picture,
    ):  # fmt: skip
        before = flip(path)
        finished = adsvc("verify", str(generation), environment=filled)
        assert finished.returncode == 1
        assert str(path) in finished.stdout
        assert str(path) in refused("restore", str(place), environment=elsewhere)
        path.write_bytes(before)
    assert not files_of(elsewhere)
    assert await sql(elsewhere, "SELECT to_regclass('users')") == [(None,)]


@pytest.mark.large
async def test_a_restore_that_was_interrupted_is_recognised_and_run_again(
    filled: Environment, elsewhere: Environment, tmp_path: Path
) -> None:
    place = tmp_path / "backups"
    done("backup", str(place), environment=filled)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("pg_dump", "pg_restore"):
        (programs / name).symlink_to(f"{packaged_programs()}/{name}")
    psql = programs / "psql"
    psql.write_text("#!/bin/sh\nhead -c 1000 >/dev/null; exit 3\n")
    psql.chmod(0o755)
    told = refused("restore", str(place), "--postgres-bin", str(programs), environment=elsewhere)
    assert "psql failed" in told
    assert await sql(elsewhere, "SELECT to_regclass('users')") == [(None,)]
    assert "Run it again: adsvc restore" in refused("sweep", environment=elsewhere)
    done("migrate", environment=elsewhere)
    for command in (("users", "list"), ("sweep",), ("seed", "--ads", "1")):
        assert "restore of" in refused(*command, environment=elsewhere)
    done("restore", str(place), environment=elsewhere)
    assert await contents(elsewhere) == await contents(filled)
    done("users", "list", environment=elsewhere)


@pytest.mark.large
async def test_an_embedded_database_moves_to_one_of_ones_own(
    embedded_environment: Environment, elsewhere: Environment, tmp_path: Path
) -> None:
    """As documented: a backup, and a restore into another cluster."""
    place = tmp_path / "backups"
    done("seed", "--users", "1", "--ads", "2", environment=embedded_environment)
    done("backup", str(place), environment=embedded_environment)
    listed = done("users", "list", environment=embedded_environment)
    done("restore", str(place), environment=elsewhere)
    assert done("users", "list", environment=elsewhere) == listed
    assert files_of(elsewhere) == files_of(embedded_environment)
    verify_site(elsewhere)


@pytest.mark.large
async def test_existing_data_are_replaced_only_on_request(
    filled: Environment, tmp_path: Path
) -> None:
    place = tmp_path / "backups"
    done("backup", str(place), environment=filled)
    was, pictures = await contents(filled), files_of(filled)
    done("seed", "--users", "1", "--ads", "2", environment=filled)
    await sql(filled, "DELETE FROM ads WHERE id <= 2")
    replace(picture_of(filled, min(pictures)), b"damaged")
    assert "is not empty" in refused("restore", str(place), environment=filled)
    finished = adsvc("restore", str(place), "--replace", environment=filled, typed="n\n")
    assert finished.returncode == 1
    assert await contents(filled) != was
    done("restore", str(place), "--replace", "--yes", environment=filled)
    assert await contents(filled) == was
    assert {name: files_of(filled)[name] for name in pictures} == pictures
    verify_site(filled)


@pytest.mark.long
@pytest.mark.heavy
async def test_pictures_that_do_not_fit_their_rows_are_named(
    filled: Environment, tmp_path: Path
) -> None:
    verify_site(filled)
    images = Path(filled["ADSVC_DATA_DIR"]) / "images"
    missing, cut, grown, other, variant = sorted(images.glob("*/*[0-9a-f][0-9a-f].jpg"))[:5]
    variant = variant.with_name(f"{variant.stem}-thumb.webp")
    # Demonstration pictures count for no account.
    size = sum(file.stat().st_size for file in images.glob(f"*/{grown.stem}*"))
    await sql(
        filled,
        f"INSERT INTO images SELECT name, author_id, {size} FROM ads"  # noqa: S608
        f" JOIN ad_images ON ad_id = ads.id WHERE name = '{grown.name}'",
    )
    contents_of_other = min(images.glob("*/*-card.webp")).read_bytes()
    for path, content in (
        (missing, None), (cut, cut.read_bytes()[:-200]), (grown, grown.read_bytes() + b"x"),
        (other, contents_of_other), (variant, None),
    ):  # fmt: skip
        replace(path, content)
    finished = adsvc("verify", environment=filled)
    assert finished.returncode == 1
    told = dict(line.split(" ", 1) for line in finished.stdout.splitlines())
    assert told == {
        missing.name: "is missing.",
        cut.name: "cannot be decoded.",
        grown.name: f"has {size + 1} bytes with its variants, its row {size}.",
        other.name: "has another format, webp.",
        variant.name: "is missing.",
    }
    # Of none of the pictures it finds nothing.
    damaged = "SELECT failed_at > coalesce(succeeded_at, '-infinity') FROM jobs"
    assert await sql(filled, f"{damaged} WHERE name = 'picture_check'") == [(True,)]
    done("verify", "--sample", "0", environment=filled)
    assert await sql(filled, f"{damaged} WHERE name = 'picture_check'") == [(False,)]
    # A backup is made all the same, and says what it could not save.
    finished = adsvc("backup", str(tmp_path / "backups"), environment=filled)
    assert finished.returncode == 1
    assert {missing.name, variant.name} <= set(finished.stdout.splitlines())
    # It is no good one.
    assert not await sql(filled, "SELECT FROM jobs WHERE name = 'backup'")
    done("verify", str(tmp_path / "backups"), environment=filled)


@pytest.mark.large
async def test_directories_that_cannot_hold_a_backup_are_refused(
    filled: Environment, elsewhere: Environment, tmp_path: Path
) -> None:
    inside = Path(filled["ADSVC_DATA_DIR"]) / "backups"
    assert "inside ADSVC_DATA_DIR" in refused("backup", str(inside), environment=filled)
    assert not inside.exists()
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("Dear Anna")
    assert "contains no backups" in refused("backup", str(other), environment=filled)
    assert [path.name for path in other.iterdir()] == ["letter.txt"]
    assert "cannot be written" in refused("backup", str(other / "letter.txt"), environment=filled)
    for command in ("verify", "restore"):
        assert "no complete backup" in refused(command, str(other), environment=filled)
    place = tmp_path / "backups"
    done("backup", str(place), environment=filled)
    done("migrate", environment=elsewhere)
    done("seed", "--users", "1", "--ads", "0", environment=elsewhere)
    assert "contains backups of installation" in refused(
        "backup", str(place), environment=elsewhere
    )
    assert len(generations(place)) == 1


@pytest.mark.heavy
async def test_a_backup_of_a_schema_that_cannot_be_migrated_is_refused(
    filled: Environment,
    elsewhere: Environment,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = tmp_path / "backups"
    done("backup", str(place), environment=filled)
    monkeypatch.setattr(revisions, "known", lambda: frozenset({"0001"}))
    said = refused("restore", str(place), environment=elsewhere)
    assert "this version does not know. A newer version made it" in said
    monkeypatch.setattr(revisions, "BASELINE", "9000")
    said = refused("restore", str(place), environment=elsewhere)
    assert "this version does not know. Install 0.3.0 first" in said


async def test_one_ad_comes_back_from_a_backup(filled: Environment, tmp_path: Path) -> None:
    where = str(tmp_path / "backups")
    # What COPY escapes.
    title = "UPDATE ads SET title = E'A\\\\\\\\tab\\tthere', description = '\\\\N' WHERE id = 3"
    await sql(filled, title)
    done("backup", where, environment=filled)
    before, files = await contents(filled), files_of(filled)
    present = refused("restore", where, "--ad", "3", environment=filled)
    assert "has no place any more" in present
    found = await sql(filled, "SELECT name FROM ad_images WHERE ad_id = 3")
    names = [name for (name,) in found]
    assert names
    await sql(filled, "DELETE FROM ads WHERE id = 3")
    for name in names:
        picture_of(filled, name).unlink()
    assert await contents(filled) != before
    assert "has no ad 999" in refused("restore", where, "--ad", "999", environment=filled)
    done("restore", where, "--ad", "3", environment=filled)
    assert await contents(filled) == before
    assert {name: files_of(filled)[name] for name in names} == {name: files[name] for name in names}


async def test_a_backup_of_rows_alone_is_restored_beside_the_pictures(
    filled: Environment, tmp_path: Path
) -> None:
    place = str(tmp_path / "backups")
    rows_alone = {**filled, "ADSVC_BACKUP_PICTURES": "external"}
    assert "0 files of pictures" in done("backup", place, environment=rows_alone)
    was, pictures = await contents(filled), files_of(filled)
    await sql(filled, "DELETE FROM ads WHERE id = 3")
    done("restore", place, "--replace", "--yes", environment=rows_alone)
    assert (await contents(filled), files_of(filled)) == (was, pictures)
