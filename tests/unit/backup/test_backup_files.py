"""The files of a backup, and how PostgreSQL's programs find the database."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import text

from adsvc.errors import OperatorError
from adsvc.kit.db.database import Database
from adsvc.kit.pictures.containers import files_of
from adsvc.kit.storage import LocalImageStore, new_image_name, open_store
from adsvc.repositories.operation import server as server_rows
from adsvc.settings import Settings, async_database_url
from adsvc_ops.backup import plain
from adsvc_ops.backup.database import NamedPicture, picture_named
from adsvc_ops.backup.making import BATCH, BATCHES_AT_ONCE, PictureCopy
from adsvc_ops.backup.plain import (
    DUMP,
    LIST,
    MANIFEST,
    PICTURES,
    BackupDirectory,
    Manifest,
    StoredFile,
    digest_of,
    rendered,
    shards_of,
)
from adsvc_ops.backup.programs import connection_environment, find_programs
from adsvc_ops.backup.restoring import Restore
from adsvc_ops.backup.verifying import faults
from conftest import DatabaseFactory
from support.s3.light import light_s3
from support.s3.server import ACCESS_KEY, SECRET_KEY
from support.scene.api import Api, image_form

DIGEST = "0f" * 32


def test_no_password_is_on_a_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADSVC_JWT_SECRET", "a secret")
    monkeypatch.setenv("PGSSLROOTCERT", "/etc/ours.pem")
    for address, expected in (
        (
            "postgresql://anna:s%40crt@db.example:5433/ads?sslmode=verify-full",
            ("db.example", "5433", "anna", "s@crt", "ads", "verify-full", None),
        ),
        (
            "postgresql://anna:s@db1:5432,db2:5433/ads",
            ("db1,db2", "5432,5433", "anna", "s", "ads", None, "read-write"),
        ),
        (
            "postgresql+asyncpg://adsvc@/adsvc?host=%2Fsrv%2Fa%3A1&port=5432",
            ("/srv/a:1", "5432", "adsvc", None, "adsvc", None, None),
        ),
    ):
        told = connection_environment(async_database_url(address))
        names = ("HOST", "PORT", "USER", "PASSWORD", "DATABASE", "SSLMODE", "TARGETSESSIONATTRS")
        assert tuple(told.get(f"PG{name}") for name in names) == expected, address
        assert told["PGSSLROOTCERT"] == "/etc/ours.pem"
        assert not any("a secret" in value for value in told.values())


def test_certificates_of_an_address_reach_the_programs() -> None:
    query = "sslmode=verify-full&sslrootcert=/etc/a,b.pem&sslcert=c&sslkey=k&sslcrl=l"
    told = connection_environment(async_database_url(f"postgresql://anna@db/ads?{query}"))
    names = ("MODE", "ROOTCERT", "CERT", "KEY", "CRL")
    assert [told[f"PGSSL{name}"] for name in names] == [
        "verify-full", "/etc/a,b.pem", "c", "k", "l",
    ]  # fmt: skip


def test_programs_that_are_too_old_or_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="found: none"):
        find_programs(tmp_path, at_least=18)
    for name in ("pg_dump", "pg_restore", "psql"):
        path = tmp_path / name
        path.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 15.14 (Debian 15.14-0)'\n")
        path.chmod(0o755)
    with pytest.raises(OperatorError, match=r"found: 15\.14 in"):
        find_programs(tmp_path, at_least=18)
    assert find_programs(tmp_path, at_least=15).major == 15


async def pieces(data: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


async def test_no_list_leads_out_of_its_directory() -> None:
    digests = {"abcd.jpg": DIGEST, "ab.jpg": DIGEST, "cd.jpg": DIGEST}
    lines = rendered(digests)
    # However the reading cuts it.
    for size in (1, 75, 76, 77, 1000):
        found = [shard async for shard in shards_of(pieces(lines, size), "list")]
        assert found == [
            ("ab", {"ab.jpg": DIGEST, "abcd.jpg": DIGEST}), ("cd", {"cd.jpg": DIGEST})
        ], size  # fmt: skip
    for line in (
        f"{DIGEST}  ab/../../x\n", f"{DIGEST}  ../..x\n", f"{DIGEST}  ab/cd.jpg\n",
        f"{DIGEST}  ab/ab.jpg", f"{DIGEST[1:]}  ab/ab.jpg\n", f"{DIGEST}  ab/ab\0.jpg\n", "\n",
    ):  # fmt: skip
        for before in (b"", lines):
            with pytest.raises(OperatorError, match=f"line {4 if before else 1} is"):
                async for _ in shards_of(pieces(before + line.encode(), 50), "list"):
                    pass


def _manifest() -> Manifest:
    file = StoredFile(bytes=1, sha256=DIGEST)
    return Manifest(
        made_at=datetime.now(UTC),
        version="1",
        revision="0001",
        postgresql="18.4",
        installation=uuid4(),
        pictures=0,
        missing=[],
        files={"database.dump": file},
    )


@pytest.mark.heavy
def test_every_flipped_bit_of_a_manifest_is_found() -> None:
    manifest = _manifest()
    content = manifest.rendered()
    assert Manifest.read(content, "here") == manifest
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        with pytest.raises(OperatorError):
            Manifest.read(bytes(changed), "here")


def test_a_manifest_that_is_too_deep_is_none() -> None:
    with pytest.raises(OperatorError, match="not a manifest"):
        Manifest.read(b"[" * 200_000, "here")


async def test_one_command_writes_at_a_time_and_the_next_goes_on_where_one_was_killed(
    tmp_path: Path,
) -> None:
    place = BackupDirectory(tmp_path / "backups")
    place.prepare()
    with place.locked(exclusive=True):
        for exclusive in (True, False):
            with (
                pytest.raises(OperatorError, match="Another command"),
                place.locked(exclusive=exclusive),
            ):
                pass
        copied = place.begin() / PICTURES / "ab.jpg"
        copied.write_bytes(b"a picture")
        assert place.backups() == []
        partial = place.begin()
        assert place.unfinished() == [partial]
        assert (partial / PICTURES / "ab.jpg").exists()
        first = place.finish(partial, _manifest())
        second = place.finish(place.begin(), _manifest())
        assert place.backups() == [first, second]
        # Only the owner may read any of it.
        files = list(place.path.rglob("*"))
        assert not [path for path in files if path.stat().st_mode & 0o077]
    with place.locked(exclusive=False), place.locked(exclusive=False):
        assert place.backup(None) == second
        assert place.backup(first.name) == first
    with pytest.raises(OperatorError, match="no complete backup"):
        place.backup("20261122T140330Z")


async def _made(place: BackupDirectory, pictures: dict[str, bytes]) -> Path:
    """A backup that names these pictures, as `adsvc backup` leaves it, but for the database."""
    place.prepare()
    partial = place.begin()
    listed = rendered({name: digest_of(data) for name, data in pictures.items()})
    files = {
        name: await plain.write(partial / name, pieces(content, 1000))
        for name, content in ((DUMP, b"a dump"), (LIST, listed))
    }
    for name, data in pictures.items():
        (partial / PICTURES / name[:2]).mkdir(exist_ok=True)
        (partial / PICTURES / name[:2] / name).write_bytes(data)
    manifest = _manifest().model_copy(update={"files": files, "pictures": len(pictures)})
    return place.finish(partial, manifest)


async def _faults(*backups: Path) -> list[str]:
    return [fault async for fault in faults(backups, lambda *_: lambda *_: None)]


async def test_every_file_of_a_backup_is_checked(tmp_path: Path) -> None:
    place = BackupDirectory(tmp_path / "backups")
    backup = await _made(place, {"ab.jpg": b"one", "cd.jpg": b"other"})
    assert await _faults(backup) == []
    pictures = (backup / PICTURES / name for name in ("ab/ab.jpg", "cd/cd.jpg"))
    for path in (*(backup / name for name in (DUMP, LIST, MANIFEST)), *pictures):
        before = path.read_bytes()
        # Also another list, as well-formed as the right one, that names less.
        for damaged in (bytes([before[0] ^ 1]) + before[1:], before.splitlines(keepends=True)[0]):
            if damaged != before:
                path.write_bytes(damaged)
                [told] = await _faults(backup)
                assert str(path) in told
        path.unlink()
        [told] = await _faults(backup)
        assert str(path) in told
        path.write_bytes(before)
    assert await _faults(backup) == []


async def test_a_picture_that_is_damaged_in_one_of_two_backups_is_found(tmp_path: Path) -> None:
    place = BackupDirectory(tmp_path / "backups")
    backups = [await _made(place, {"ab.jpg": b"one"}) for _ in range(2)]
    assert await _faults(*backups) == []
    damaged = backups[1] / PICTURES / "ab" / "ab.jpg"
    damaged.write_bytes(b"two")
    assert await _faults(*backups) == [f"{damaged} is not as it was written."]


async def _rows(names: list[str]) -> AsyncIterator[NamedPicture]:
    for name in sorted(names):
        yield NamedPicture(
            name, has_variants=False, has_share=False, width=None, height=None, bytes=None
        )


async def _copied(copy: PictureCopy, names: list[str]) -> bytes:
    return b"".join([lines async for lines in copy.lines(_rows(names))])


async def test_pictures_of_the_backup_before_are_linked_and_lost_ones_copied_again(
    tmp_path: Path,
) -> None:
    store = LocalImageStore(tmp_path / "images")
    store.prepare()
    pictures = {f"{number % 3:02x}{number:030x}.jpg": b"%d" % number for number in range(20)}
    await store.put_all(pictures)
    listed = rendered({name: digest_of(data) for name, data in pictures.items()})
    found = []
    for number, known in ((0, None), (1, 0), (2, 1)):
        target = tmp_path / str(number)
        target.mkdir()
        copy = PictureCopy(store, target, lambda *_: None)
        if known is not None:
            copy.known, copy.known_list = tmp_path / str(known), tmp_path / f"{known}.list"
        lines = await _copied(copy, [*pictures, "ff.jpg"])
        assert sorted(lines.splitlines()) == sorted(listed.splitlines())
        assert (copy.copied, copy.missing) == (len(pictures), ["ff.jpg"])
        (tmp_path / f"{number}.list").write_bytes(lines)
        found.append({path.name: path.stat().st_ino for path in target.glob("*/*")})
        if number == 1:
            lost = min(target.glob("*/*"))
            lost.unlink()
    assert found[0] == found[1]
    assert {name for name in pictures if found[2][name] != found[1][name]} == {lost.name}
    assert (tmp_path / "2" / lost.name[:2] / lost.name).read_bytes() == pictures[lost.name]


@pytest.mark.heavy
async def test_a_limited_number_of_pictures_is_copied_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    with light_s3() as (server, s3):
        store = open_store(Settings(data_dir=tmp_path / "data", **server.settings("ads")))
        names = [f"{number % 3:02x}{number:030x}.jpg" for number in range(150)]
        await asyncio.gather(*(store.put(name, name.encode()) for name in names))
        s3.most_at_once, s3.seconds = 0, 0.01
        lines = await _copied(PictureCopy(store, tmp_path, lambda *_: None), names)
        assert lines.count(b"\n") == len(names)
        assert BATCH < s3.most_at_once <= BATCH * BATCHES_AT_ONCE


@pytest.mark.heavy
async def test_a_restore_overwrites_nothing_that_it_was_not_told_to(
    new_database: DatabaseFactory, tmp_path: Path
) -> None:
    store = LocalImageStore(tmp_path / "images")
    store.prepare()
    name = new_image_name("jpg")
    async with new_database() as url:
        database = Database(url)
        restore = Restore(tmp_path, database, url, store, None, None)  # type: ignore[arg-type]
        async with database.autocommit() as session:
            ours = str(await server_rows.installation_id(session))
        # Nothing is there, or only what it is named after.
        for owner in (None, ours):
            await restore._require_empty(owner)
        with pytest.raises(OperatorError, match="belongs to another"):
            await restore._require_empty("another")
        await store.put(name, b"picture")
        for owner in (None, ours, "another"):
            with pytest.raises(OperatorError, match=r"image store .* is not empty"):
                await restore._require_empty(owner)
        await store.delete(name)
        async with database.autocommit() as session:
            await session.execute(text("INSERT INTO categories (slug, name) VALUES ('a', 'A')"))
        with pytest.raises(OperatorError, match=r"database .* is not empty"):
            await restore._require_empty(ours)
        await database.close()


async def test_a_backup_expects_the_variants_that_a_picture_has(api: Api) -> None:
    person, reader = await api.person(), api.state.database.reader
    name = (await person.post_ad())["image"].rpartition("/")[2]
    answer = await person.patch("/users/me/image", files=image_form())
    avatar = answer.json()["image"].rpartition("/")[2]

    async def files(name: str) -> list[str]:
        named = await picture_named(reader, name)
        assert named is not None
        return named.files()

    assert await files(name) == files_of([name])
    assert await files(avatar) == [avatar]
    # Those from before there were some, or any.
    await api.sql("UPDATE ad_images SET has_share = false")
    assert await files(name) == files_of([name])[:3]
    await api.sql("UPDATE ad_images SET has_variants = false")
    assert await files(name) == [name]
    assert await picture_named(reader, "0.jpg") is None
