"""What every image store does: on a directory, on the light S3, and on versitygw (`make drill`)."""

import asyncio
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from adsvc.errors import PictureMissingError
from adsvc.kit.storage import ImageStore, LocalImageStore, new_image_name, open_store
from adsvc.settings import Settings
from faults.scale import SHORT
from support.s3.gateway import gateway, missing
from support.s3.light import LightS3
from support.s3.server import BUCKET, S3Server
from support.scene.stores import DAY, FURTHER, NAME, AgedStore, age, content, names


@pytest.fixture(params=["local", "s3", pytest.param("versitygw", marks=pytest.mark.drill)])
def kept(request: pytest.FixtureRequest) -> AgedStore:
    made: AgedStore = request.getfixturevalue(f"kept_{request.param}")
    made.store.prepare()
    return made


@pytest.fixture
def kept_local(tmp_path: Path) -> AgedStore:
    store = LocalImageStore(tmp_path / "images")
    return AgedStore(store, partial(age, store))


@pytest.fixture
def kept_s3(s3: tuple[S3Server, LightS3], prefix: str) -> AgedStore:
    server, light = s3
    store = open_store(Settings(**server.settings(prefix)))
    return AgedStore(store, lambda name, seconds: light.age(f"{prefix}/{name}", seconds))


@pytest.fixture(scope="module")
def versitygw(
    s3_credentials: None,  # noqa: ARG001 - set in the environment
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[S3Server, Path]]:
    why = missing(build=not SHORT)
    if why is not None:
        pytest.skip(why)
    directory = tmp_path_factory.mktemp("versitygw")
    with gateway(directory) as started:
        yield started.server, directory / "s3" / BUCKET


@pytest.fixture
def kept_versitygw(versitygw: tuple[S3Server, Path], prefix: str) -> AgedStore:
    server, directory = versitygw

    def make_older(name: str, seconds: float) -> None:
        file = directory / prefix / name
        then = file.stat().st_mtime - seconds
        os.utime(file, (then, then))

    return AgedStore(open_store(Settings(**server.settings(prefix))), make_older)


@pytest.fixture
def store(kept: AgedStore) -> ImageStore:
    return kept.store


async def test_what_was_put_is_there_until_it_is_deleted(store: ImageStore) -> None:
    data = os.urandom(1_400_000)
    await store.put(NAME, data)
    await store.require(NAME)
    image = await store.open(NAME)
    assert image.size == len(data)
    await image.close()
    assert await content(store, NAME) == data
    for start, stop in ((0, 1), (262_143, 262_145), (600_000, 1_300_000), (1_399_999, 1_400_000)):
        assert await content(store, NAME, start, stop) == data[start:stop], (start, stop)
    await store.delete(NAME)
    for asked in (store.open(NAME), store.require(NAME)):
        with pytest.raises(PictureMissingError):
            await asked
    await store.delete(NAME)


@pytest.mark.heavy
async def test_pictures_that_are_put_together_are_all_there(store: ImageStore) -> None:
    await store.put_all({NAME: b"picture", FURTHER: b"variant"})
    assert sorted(await names(store)) == sorted([NAME, FURTHER])
    assert await store.present([NAME, FURTHER, new_image_name("png")]) == {NAME, FURTHER}
    assert [await content(store, name) for name in (NAME, FURTHER)] == [b"picture", b"variant"]


async def test_many_are_deleted_at_once_and_those_that_are_not_there_count(
    store: ImageStore,
) -> None:
    there = [new_image_name("jpg") for _ in range(20)]
    await store.put_all(dict.fromkeys(there, b"picture"))
    asked = [*there[:15], new_image_name("jpg")]
    assert sorted(await store.delete_all(asked)) == sorted(asked)
    assert sorted(await names(store)) == sorted(there[15:])
    assert await store.delete_all([]) == []


async def test_a_picture_being_read_is_read_to_its_end_though_deleted(store: ImageStore) -> None:
    data = os.urandom(400_000)
    await store.put(NAME, data)
    image = await store.open(NAME)
    await store.delete(NAME)
    assert b"".join([chunk async for chunk in image.chunks(0, image.size)]) == data


async def test_looking_whether_the_store_works_leaves_nothing(store: ImageStore) -> None:
    await asyncio.gather(*(store.check() for _ in range(10)))
    assert await names(store) == []


async def test_duplicates_are_pictures_of_their_own(store: ImageStore) -> None:
    await store.put(NAME, b"picture")
    further = [new_image_name("jpg") for _ in range(3)]
    await store.duplicate([(NAME, name) for name in further])
    await store.delete(NAME)
    assert [await content(store, name) for name in further] == [b"picture"] * 3


@pytest.mark.heavy
async def test_only_files_of_that_age_are_named(kept: AgedStore) -> None:
    store = kept.store
    old, almost, young = (new_image_name(ending) for ending in ("jpg", "png", "webp"))
    for name in (old, almost, young):
        await store.put(name, b"picture")
    kept.age(old, DAY + 60)
    kept.age(almost, DAY - 60)
    assert await names(store, DAY) == [old]
    assert sorted(await names(store)) == sorted([old, almost, young])


async def test_of_many_that_claim_a_store_one_wins(store: ImageStore) -> None:
    assert await store.owner() is None
    assert await store.is_empty()
    claims = await asyncio.gather(*(store.claim(f"owner {number}") for number in range(8)))
    winner = await store.owner()
    assert winner is not None
    assert set(claims) == {winner}
    assert await store.claim("another") == winner
    assert await store.claim("heir", instead_of=winner) == "heir"
    assert await store.owner() == "heir"
    # What says whose the store is, is no picture.
    assert await store.is_empty()
    await store.put(NAME, b"picture")
    assert not await store.is_empty()


def test_names_are_not_guessed() -> None:
    made = {new_image_name("jpg") for _ in range(1000)}
    assert len(made) == 1000
    assert {len(name) for name in made} == {36}
