"""Encrypted backups: what can be done to them without the key, and the key's file."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from uuid import uuid4

import pytest
from pydantic import SecretStr

from adsvc.errors import OperatorError
from adsvc.settings import Settings
from adsvc.storage import LocalImageStore, open_store
from adsvc_ops.backup import locations, making, vault, verifying
from adsvc_ops.backup.database import NamedPicture
from adsvc_ops.backup.directory import BackupDirectory
from adsvc_ops.backup.locations import (
    open_place,
    require_elsewhere,
    resolve_generation,
    split_address,
)
from adsvc_ops.backup.making import BATCH, BATCHES_AT_ONCE, copy_pictures
from adsvc_ops.backup.store import DUMP, LIST, BackupStore, Manifest, lines_of, rendered
from adsvc_ops.backup.vault import make_key, read_key
from support.s3.light import LightS3, Object, light_s3
from support.s3.server import ACCESS_KEY, BUCKET, SECRET_KEY, S3Server

KEY = bytes(range(32))
OWNER = "3f1b8a52-6f6b-4a55-9a32-0d2a0b1f2c3d"
ROWS = b"".join(b"row %d of the dump\n" % number for number in range(300))
PICTURES = {f"{number:02x}{number:030x}.jpg": b"a picture %d" % number for number in range(3)}
ADDRESS = f"s3://{BUCKET}/backups"


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[S3Server, LightS3]]:
    with light_s3() as made:
        yield made


@pytest.fixture(params=["directory", "bucket"])
def address(
    request: pytest.FixtureRequest, tmp_path: Path, server: tuple[S3Server, LightS3]
) -> str:
    server[1].restore()
    return ADDRESS if request.param == "bucket" else str(tmp_path / "backups")


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vault, "PART_BYTES", 1000)


@pytest.fixture
def settings(server: tuple[S3Server, LightS3], tmp_path: Path) -> Settings:
    return Settings(
        data_dir=tmp_path / "data",
        backup_s3_endpoint=server[0].endpoint,
        backup_s3_region="us-east-1",
        backup_s3_access_key_id=ACCESS_KEY,
        backup_s3_secret_access_key=SecretStr(SECRET_KEY),
    )


def test_what_an_earlier_version_sealed_can_be_read() -> None:
    """Another size of nonce, key or name would go unnoticed by what seals and reads alike."""
    cipher = vault.Cipher(KEY, b"i" * 16)
    sealed = bytes.fromhex(
        "760613068be32c216778c46b4ef01cc5935801f16ae40c6751dee6d857df163253059816f8857cee29"
    )
    assert cipher.unseal("a/name", sealed) == b"what was kept"
    assert cipher.pseudonym("a/name") == "bc4d3d3a1f39469af2cbc3355e090cd7d481e8c0"


async def pieces(*data: bytes) -> AsyncIterator[bytes]:
    for piece in data:
        yield piece


async def make(
    place: BackupStore, rows: bytes = ROWS, pictures: Mapping[str, bytes] = PICTURES
) -> str:
    """A backup without a database."""
    await place.prepare()
    async with place.locked(exclusive=True):
        assert await place.claim(OWNER) == OWNER
        digests = {name: sha256(data).hexdigest() for name, data in pictures.items()}
        await place.put(pictures)
        for name, digest in digests.items():
            await place.write_digests(name[:2], {name: digest})
        generation = await place.begin()
        files = {
            LIST: await place.write(generation, LIST, pieces(rendered(digests))),
            DUMP: await place.write(generation, DUMP, pieces(rows[:1500], rows[1500:])),
        }
        manifest = Manifest(
            made_at=datetime.now(UTC), version="1", revision="0001", postgresql="18.4",
            installation=uuid4(), pictures=len(pictures), missing=[], files=files,
        )  # fmt: skip
        await place.finish(generation, manifest)
    return generation


async def faults(place: BackupStore) -> list[str]:
    generations = await place.generations()
    reading = verifying.faults(place, generations, lambda *_: lambda *_: None)
    return [fault async for fault in reading]


class Stored:
    """What can be seen and changed at the place without the key."""

    def __init__(self, address: str, s3: LightS3) -> None:
        self._address = address
        self._objects = s3.buckets[BUCKET]
        self.is_bucket = address.startswith("s3:")

    def all(self) -> dict[str, bytes]:
        if self.is_bucket:
            found = self._objects.items()
            return {key.removeprefix("backups/"): found.data for key, found in found}
        paths = (path for path in Path(self._address).rglob("*") if path.is_file())
        return {
            str(path.relative_to(self._address)): path.read_bytes()
            for path in paths
            if path.name != ".lock"
        }

    def put(self, name: str, data: bytes | None) -> None:
        if not self.is_bucket:
            path = Path(self._address, name)
            path.parent.mkdir(exist_ok=True)
            path.unlink() if data is None else path.write_bytes(data)
        elif data is None:
            del self._objects[f"backups/{name}"]
        else:
            self._objects[f"backups/{name}"] = Object(data, {}, datetime.now(UTC))


@pytest.fixture
def stored(address: str, server: tuple[S3Server, LightS3]) -> Stored:
    return Stored(address, server[1])


@pytest.mark.heavy
async def test_whatever_is_changed_without_the_key_is_found(
    address: str, settings: Settings, stored: Stored
) -> None:
    place = open_place(address, KEY, settings)
    generation = await make(place)
    assert await faults(place) == []
    before = stored.all()
    kinds = {name.partition("/")[0] for name in before}
    assert kinds == {"vault", "pictures", "digests", "backups"}
    for name, data in before.items():
        flipped = bytearray(data)
        flipped[len(data) // 2] ^= 1
        changes = (bytes(flipped), data[:-1], data[: len(data) // 2], b"", data + b"x", None)
        for changed in changes:
            stored.put(name, changed)
            # Another process, which has kept nothing.
            await _is_found(address, settings, generation, name)
            stored.put(name, data)
    assert await faults(open_place(address, KEY, settings)) == []


async def _is_found(address: str, settings: Settings, generation: str, name: str) -> None:
    place = open_place(address, KEY, settings)
    if name.startswith("digests/"):
        # Nothing rests on them: the pictures are copied again.
        assert await place.known_digests(next(iter(PICTURES))[:2]) in ({}, _digests(0))
        return
    try:
        found = await faults(place)
        # Without its manifest it is none.
        found += [] if generation in await place.generations() else ["none"]
    except OperatorError as error:
        found = [str(error)]
    assert found, name


def _digests(number: int) -> dict[str, str]:
    name = list(PICTURES)[number]
    return {name: sha256(PICTURES[name]).hexdigest()}


@pytest.mark.heavy
async def test_swapped_objects_and_those_of_other_backups_are_found(
    address: str, settings: Settings, stored: Stored
) -> None:
    place = open_place(address, KEY, settings)
    first = await make(place)
    second = await make(place, rows=ROWS.swapcase())
    assert await faults(place) == []
    before = stored.all()
    names = [name for name in before if not name.startswith("digests/")]
    kinds = [name.partition(f"{first}/")[2] for name in names if first in name]
    # Neighbours, those at opposite ends, and the same object of two backups.
    pairs = [*pairwise(names), *zip(names, reversed(names), strict=True)]
    pairs += [(f"backups/{first}/{kind}", f"backups/{second}/{kind}") for kind in kinds]
    for one, other in {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}:
        stored.put(one, before[other])
        stored.put(other, before[one])
        for generation in (first, second):
            if "backups/" not in one + other or generation in one + other:
                await _is_found(address, settings, generation, one)
        stored.put(one, before[one])
        stored.put(other, before[other])
    assert len(kinds) > 5
    assert await faults(open_place(address, KEY, settings)) == []


async def test_nothing_of_another_place_with_the_same_key_is_taken(
    settings: Settings, tmp_path: Path, server: tuple[S3Server, LightS3]
) -> None:
    server[1].restore()
    for name in ("one", "other"):
        await make(open_place(str(tmp_path / name), KEY, settings), pictures={})
    one, other = (Stored(str(tmp_path / name), server[1]) for name in ("one", "other"))
    [manifest] = [name for name in one.all() if name.endswith("manifest.json")]
    [there] = [name for name in other.all() if name.endswith("manifest.json")]
    one.put(manifest, other.all()[there])
    [fault] = await faults(open_place(str(tmp_path / "one"), KEY, settings))
    assert "not as it was written" in fault


async def test_a_manifest_that_is_edited_and_digested_anew_is_found_by_the_key_alone(
    settings: Settings, tmp_path: Path, server: tuple[S3Server, LightS3]
) -> None:
    forged = b"SELECT 'what an intruder wants'"
    plain = open_place(str(tmp_path / "plain"), None, settings)
    assert isinstance(plain, BackupDirectory)
    generation = await make(plain)
    manifest = await plain.manifest(generation)
    changed = manifest.files[DUMP].model_copy(
        update={"bytes": len(forged), "sha256": sha256(forged).hexdigest()}
    )
    edited = manifest.model_copy(update={"files": {**manifest.files, DUMP: changed}})
    (plain.path / generation / DUMP).write_bytes(forged)
    (plain.path / generation / "manifest.json").write_bytes(edited.rendered())
    assert await faults(plain) == []

    sealed = open_place(str(tmp_path / "sealed"), KEY, settings)
    generation = await make(sealed)
    stored = Stored(str(tmp_path / "sealed"), server[1])
    stored.put(f"backups/{generation}/{DUMP}/000000", forged)
    stored.put(f"backups/{generation}/manifest.json", edited.rendered())
    [fault] = await faults(sealed)
    assert "manifest.json is not as it was written" in fault


async def test_the_place_reveals_neither_names_nor_contents(
    address: str, settings: Settings, stored: Stored
) -> None:
    await make(open_place(address, KEY, settings))
    names, contents = "\n".join(stored.all()), b"\n".join(stored.all().values())
    for name, data in PICTURES.items():
        assert name.partition(".")[0] not in names
        assert name.encode() not in contents
        assert data not in contents
    assert b"of the dump" not in contents
    assert OWNER.encode() not in contents
    # The same picture is another object elsewhere, and at another time.
    await make(open_place(address, KEY, settings))
    before = stored.all()
    await open_place(address, KEY, settings).put(PICTURES)
    assert before.keys() == stored.all().keys()
    assert not [
        name for name, data in before.items() if "pictures/" in name and stored.all()[name] == data
    ]


async def test_the_wrong_key_and_none_are_refused_by_a_sentence(
    address: str, settings: Settings
) -> None:
    await make(open_place(address, KEY, settings))
    other = open_place(address, bytes(32), settings)
    for refused in (other.generations(), other.claim(OWNER), other.prepare(), other.picture("a.b")):
        with pytest.raises(OperatorError, match="The key does not fit"):
            await refused
    with pytest.raises(OperatorError, match="--key-file"):
        open_place(address, None, settings)


async def test_encrypted_and_other_backups_do_not_mix(settings: Settings, tmp_path: Path) -> None:
    await make(open_place(str(tmp_path / "plain"), None, settings))
    sealed = open_place(str(tmp_path / "plain"), KEY, settings)
    with pytest.raises(OperatorError, match="no encrypted backups"):
        await sealed.prepare()
    with pytest.raises(OperatorError, match="no encrypted backups"):
        await resolve_generation(sealed, None)


@pytest.mark.heavy
async def test_old_ones_go_with_the_pictures_that_no_other_names(
    address: str, settings: Settings, stored: Stored
) -> None:
    place = open_place(address, KEY, settings)
    first, second, third = list(PICTURES)
    await make(place, pictures={first: PICTURES[first], second: PICTURES[second]})
    old = await make(place, pictures={third: PICTURES[third]})
    new = await make(place, pictures={second: PICTURES[second], third: PICTURES[third]})
    # A command that was killed has left this; it is none, and the next one removes it.
    killed = await place.begin()
    await place.write(killed, LIST, pieces(b"half of it"))
    assert [killed in left for left in await place.leftovers()] == [True]
    assert await place.generations() == [*sorted({*await place.generations(), old, new})]
    await making.prune(place, 1)
    assert await place.generations() == [new]
    assert await faults(place) == []
    assert len([name for name in stored.all() if name.startswith("pictures/")]) == 2
    await place.begin()
    assert await place.leftovers() == []
    assert await place.known_digests(first[:2]) == {}


async def test_what_is_damaged_is_copied_again(
    address: str, settings: Settings, stored: Stored, tmp_path: Path
) -> None:
    store = LocalImageStore(tmp_path / "pictures")
    store.prepare()
    await store.put_all(PICTURES)
    place = open_place(address, KEY, settings)
    await place.prepare()
    await place.claim(OWNER)
    assert await _copied(store, place) == len(PICTURES)
    before = stored.all()
    assert await _copied(store, place) == 0
    lost = next(name for name in before if name.startswith("pictures/"))
    stored.put(lost, None)
    assert await _copied(store, place) == 1
    assert stored.all().keys() == before.keys()


async def _copied(store: LocalImageStore, place: BackupStore) -> int:
    """How many were copied; all of them are listed, in order."""
    moved = 0

    def advance(parts: int, size: int) -> None:
        nonlocal moved
        moved += parts if size else 0

    listed = [shard async for shard in copy_pictures(store, place, _rows(list(PICTURES)), advance)]
    assert [line for shard in listed for line in lines_of(shard.digests)] == sorted(
        (line for number in range(3) for line in lines_of(_digests(number))),
        key=lambda line: line.split("  ")[1],
    )
    return moved


async def _rows(names: list[str]) -> AsyncIterator[NamedPicture]:
    for name in sorted(names):
        yield NamedPicture(name, has_variants=False, width=None, height=None, bytes=None)


@pytest.mark.heavy
async def test_so_many_pictures_are_copied_at_once_and_no_more(
    settings: Settings, tmp_path: Path, server: tuple[S3Server, LightS3],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    server[1].restore()
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    store = open_store(settings.model_copy(update=server[0].settings("ads")))
    # In few shards, and each in one of its own.
    names = [f"{number % 3:02x}{number:030x}.jpg" for number in range(60)]
    names += [f"{number:02x}{number:030x}.jpg" for number in range(100, 160)]
    await asyncio.gather(*(store.put(name, name.encode()) for name in names))
    server[1].most_at_once, server[1].seconds = 0, 0.01
    place = open_place(str(tmp_path / "backups"), KEY, settings)
    await place.prepare()
    await place.claim(OWNER)
    rows = _rows(names)
    listed = [shard async for shard in copy_pictures(store, place, rows, lambda *_: None)]
    assert sum(len(shard.digests) for shard in listed) == len(names)
    assert BATCH < server[1].most_at_once <= BATCH * BATCHES_AT_ONCE


@pytest.mark.heavy
async def test_one_command_writes_into_a_bucket_and_a_killed_one_is_taken_over(
    settings: Settings, server: tuple[S3Server, LightS3], monkeypatch: pytest.MonkeyPatch
) -> None:
    server[1].restore()
    monkeypatch.setattr(locations, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(locations, "SILENCE_SECONDS", 5.0)
    one, other = (open_place(ADDRESS, KEY, settings) for _ in range(2))
    await one.prepare()
    await one.claim(OWNER)
    async with one.locked(exclusive=True):
        with pytest.raises(OperatorError, match="Another command uses"):
            async with other.locked(exclusive=True):
                pass
        # Those that read need no turn.
        async with other.locked(exclusive=False):
            pass
        # Once another has taken its turn, the first one writes nothing any more.
        with pytest.raises(OperatorError, match="taken over"):
            await until_refused(one, server[1])
    server[1].buckets[BUCKET]["backups/lock"] = Object(b"killed 7", {}, datetime.now(UTC))
    monkeypatch.setattr(locations, "SILENCE_SECONDS", 0.2)
    async with other.locked(exclusive=True):
        await other.put(PICTURES)
    assert "backups/lock" not in server[1].buckets[BUCKET]


async def until_refused(place: BackupStore, s3: LightS3) -> None:
    async with asyncio.timeout(20):
        while True:
            # Again, as the one before may be about to show its life.
            s3.buckets[BUCKET]["backups/lock"] = Object(b"other 7", {}, datetime.now(UTC))
            await place.put(PICTURES)
            await asyncio.sleep(0.02)


async def test_what_strangers_put_beside_backups_is_none_and_nothing_goes_for_it(
    address: str, settings: Settings, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = open_place(address, KEY, settings)
    generation = await make(place)
    stored.put("backups/x/manifest.json", b"planted")
    assert await place.generations() == [generation]
    newer = "99991231T235959Z"
    stored.put(f"backups/{newer}/manifest.json", b"planted")
    # It passes for the newest one, so that the others would be too many.
    with pytest.raises(OperatorError, match="not as it was written"):
        await making.prune(place, 1)
    assert generation in await place.generations()
    if stored.is_bucket:
        monkeypatch.setattr(locations, "LARGEST", 5000)
        stored.put(f"backups/{newer}/manifest.json", bytes(6000))
        with pytest.raises(OperatorError, match="has 6000 bytes"):
            await place.manifest(newer)


def test_a_key_is_its_owners_alone_and_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "key"
    make_key(path)
    assert path.stat().st_mode & 0o777 == 0o600
    key, warning = read_key(path)
    assert (len(key), warning) == (32, None)
    with pytest.raises(OperatorError, match="never replaced"):
        make_key(path)
    assert read_key(path) == (key, None)
    for mode in (0o604, 0o602, 0o620, 0o606, 0o660):
        path.chmod(mode)
        with pytest.raises(OperatorError, match="chmod 600"):
            read_key(path)
    # As Kubernetes gives it to a group of a pod.
    path.chmod(0o440)
    assert read_key(path)[1] == f"The group of the key {path} may read it."
    path.chmod(0o600)
    text = path.read_text()
    for changed in ("", text[:-3], "x" + text, text.strip() + "AAAA", "secret"):
        path.write_text(changed)
        with pytest.raises(OperatorError, match="not a backup key"):
            read_key(path)
    with pytest.raises(OperatorError, match="cannot be read"):
        read_key(tmp_path / "none")


def test_backups_are_not_where_the_pictures_are(settings: Settings, tmp_path: Path) -> None:
    ours = settings.model_copy(
        update={"image_store": "s3://ads/pictures", "backup_s3_endpoint": None}
    )
    for address in ("s3://ads/pictures", "s3://ads", "s3://ads/pictures/backups/"):
        with pytest.raises(OperatorError, match="where the pictures are"):
            require_elsewhere(address, ours)
    for address in ("s3://ads/pictures-too", "s3://other/pictures", str(tmp_path / "backups")):
        require_elsewhere(address, ours)
    assert split_address("s3://b/p/20261122T140330Z/") == ("s3://b/p", "20261122T140330Z")
    assert split_address("20261122T140330Z") == (".", "20261122T140330Z")
    assert split_address("/backup/") == ("/backup", None)
