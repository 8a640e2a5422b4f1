"""The files of a backup, and how PostgreSQL's programs find the database."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import text

from adsvc.db.database import Database
from adsvc.errors import OperatorError
from adsvc.pictures.picture import files_of
from adsvc.repositories import InstallationRepository
from adsvc.settings import async_database_url
from adsvc.storage import LocalImageStore, new_image_name
from adsvc_ops.backup.database import picture_named
from adsvc_ops.backup.directory import BackupDirectory
from adsvc_ops.backup.locations import resolve_generation
from adsvc_ops.backup.making import prune
from adsvc_ops.backup.programs import connection_environment, find_programs
from adsvc_ops.backup.restoring import Restore
from adsvc_ops.backup.store import (
    DUMP,
    LIST,
    MANIFEST,
    Manifest,
    StoredFile,
    digest_of,
    rendered,
    shards_of,
)
from adsvc_ops.backup.verifying import faults
from conftest import DatabaseFactory
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


async def test_one_command_writes_at_a_time_and_what_was_killed_goes(tmp_path: Path) -> None:
    directory = BackupDirectory(tmp_path / "backups")
    await directory.prepare()
    async with directory.locked(exclusive=True):
        for exclusive in (True, False):
            with pytest.raises(OperatorError, match="Another command"):
                async with directory.locked(exclusive=exclusive):
                    pass
        await directory.begin()
        [killed] = await directory.leftovers()
        half = Path(killed) / "database.dump"
        half.write_bytes(b"half of it")
        assert await directory.generations() == []
        first = await directory.begin()
        assert not half.exists()
        await directory.finish(first, _manifest())
        second = await directory.begin()
        await directory.finish(second, _manifest())
        assert await directory.generations() == [first, second]
        # Nobody but the owner may read any of it.
        files = list(directory.path.rglob("*"))
        assert len(files) > 256
        assert not [path for path in files if path.parent == directory.path and _open(path)]
        assert not [path for path in files if path.is_file() and _open(path)]
    async with directory.locked(exclusive=False), directory.locked(exclusive=False):
        assert await resolve_generation(directory, None) == second
        assert await resolve_generation(directory, first) == first


def _open(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o077)


async def _made(place: BackupDirectory, pictures: dict[str, bytes]) -> str:
    """A backup that names these pictures, as `adsvc backup` leaves it, but for the database."""

    async def chunks(content: bytes) -> AsyncIterator[bytes]:
        yield content

    await place.prepare()
    generation = await place.begin()
    listed = rendered({name: digest_of(data) for name, data in pictures.items()})
    files = {
        name: await place.write(generation, name, chunks(content))
        for name, content in ((DUMP, b"a dump"), (LIST, listed))
    }
    await place.put(pictures)
    manifest = _manifest().model_copy(update={"files": files, "pictures": len(pictures)})
    await place.finish(generation, manifest)
    return generation


async def test_every_file_of_a_backup_is_checked(tmp_path: Path) -> None:
    place = BackupDirectory(tmp_path / "backups")
    generation = await _made(place, {"ab.jpg": b"one", "cd.jpg": b"other"})

    async def found() -> list[str]:
        checked = faults(place, [generation], lambda *_: lambda *_: None)
        return [fault async for fault in checked]

    assert await found() == []
    files = [Path(place.where(generation, name)) for name in (DUMP, LIST, MANIFEST)]
    for path in (*files, *(Path(place.where_picture(name)) for name in ("ab.jpg", "cd.jpg"))):
        before = path.read_bytes()
        # Also another list, as well-formed as the right one, that names less.
        for damaged in (bytes([before[0] ^ 1]) + before[1:], before.splitlines(keepends=True)[0]):
            if damaged != before:
                path.write_bytes(damaged)
                [told] = await found()
                assert str(path) in told
        path.unlink()
        [told] = await found()
        assert str(path) in told
        path.write_bytes(before)
    assert await found() == []


def _swap(path: str, content: bytes) -> bytes:
    """Writes the file, and gives what was in it."""
    before = Path(path).read_bytes()
    Path(path).write_bytes(content)
    return before


def _there(place: BackupDirectory) -> list[str]:
    return sorted(path.name for path in place.path.glob("pictures/*/*.jpg"))


async def test_no_picture_goes_while_a_list_that_may_name_it_is_damaged(tmp_path: Path) -> None:
    place = BackupDirectory(tmp_path / "backups")
    pictures = {"ab.jpg": b"old", "cd.jpg": b"kept", "ef.jpg": b"new"}
    old, *kept = [await _made(place, {name: data}) for name, data in pictures.items()]
    for generation in kept:
        whole = _swap(place.where(generation, LIST), b"")
        with pytest.raises(OperatorError, match="damaged"):
            await prune(place, 2)
        assert await place.generations() == [old, *kept]
        assert _there(place) == ["ab.jpg", "cd.jpg", "ef.jpg"]
        _swap(place.where(generation, LIST), whole)
    assert await prune(place, 2) == [old]
    assert _there(place) == ["cd.jpg", "ef.jpg"]


async def test_a_restore_overwrites_nothing_that_it_was_not_told_to(
    new_database: DatabaseFactory, tmp_path: Path
) -> None:
    store = LocalImageStore(tmp_path / "images")
    store.prepare()
    name = new_image_name("jpg")
    async with new_database() as url:
        database = Database(url)
        place = BackupDirectory(tmp_path / "backups")
        restore = Restore(place, "", database, url, store, None, None)  # type: ignore[arg-type]
        async with database.autocommit() as session:
            ours = str(await InstallationRepository(session).id())
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
    # One from before there were any.
    await api.sql("UPDATE ad_images SET has_variants = false")
    assert await files(name) == [name]
    assert await picture_named(reader, "0.jpg") is None
