"""Deleted pictures: gone at once, or later for certain."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from adsvc.kit.pictures.containers import files_of
from adsvc.kit.storage import LocalImageStore, new_image_name
from adsvc.services import picture_deletion
from adsvc.services.picture_deletion import work_off
from conftest import ApiFactory
from support.scene.api import PASSWORD, Api
from support.scene.warmth import warmed
from support.trouble.notifications import unnotified

SECONDS = 10


def store_of(api: Api) -> LocalImageStore:
    store = api.state.store
    assert isinstance(store, LocalImageStore)
    return store


def put(api: Api) -> str:
    name = new_image_name("jpg")
    store_of(api).path(name).write_bytes(b"picture")
    return name


async def queued(api: Api) -> list[str]:
    return await api.sql("SELECT name FROM picture_deletions ORDER BY name")


async def worked_off(api: Api) -> None:
    await work_off(api.state.database, api.state.store)
    # Should the application be at it at this very moment, it has finished then.
    await api.sql("SELECT name FROM picture_deletions FOR UPDATE")


async def until_gone(path: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while path.exists():  # noqa: ASYNC240 - a test waits
        assert time.monotonic() < deadline, path
        await asyncio.sleep(0.01)


@pytest.mark.heavy
async def test_every_picture_of_a_deleted_account_is_gone_when_the_answer_comes(api: Api) -> None:
    person = await api.person()
    ad = await person.post_ad()
    first = store_of(api).path(ad["image"].rpartition("/")[2])
    names = [f"{number:032x}.jpg" for number in range(203)]
    for name in names:
        os.link(first, store_of(api).path(name))
    await api.sql(
        "INSERT INTO ads (author_id, title, description, price, image)"
        " SELECT author_id, title, description, price, name FROM ads, unnest(:names ::text[]) name"
        " RETURNING id",
        names=names,
    )
    paths = [ad["image"], *(f"/images/{name}" for name in names)]
    # Some are in memory.
    assert {(await api.client.get(path)).status_code for path in paths} == {200}
    deletion = {"currentPassword": PASSWORD}
    assert (await person.request("DELETE", "/users/me", json=deletion)).status_code == 204
    # A proxy that sends files itself would find none.
    assert api.files() == {}
    assert {(await api.client.get(path)).status_code for path in paths} == {404}
    assert await queued(api) == []


@pytest.mark.heavy
async def test_what_a_crash_left_to_be_deleted_goes_at_the_next_start(
    api: Api, start_api: ApiFactory
) -> None:
    person = await api.person()
    ad = await person.post_ad()
    avatar = await person.patch("/users/me/image", files={"image": ("a.jpg", _jpeg())})
    names = [path.rpartition("/")[2] for path in (ad["image"], avatar.json()["image"])]
    # Deleting rows, by a cascade too, queues the pictures; no process deletes them here.
    await api.sql("DELETE FROM users")
    assert await queued(api) == sorted([*files_of(names[:1]), names[1]])
    files = [store_of(api).path(name) for name in names]
    assert all(file.exists() for file in files)
    async with start_api(data_dir=api.state.settings.data_dir, jobs="on") as other:
        for file in files:
            await until_gone(file)
        deadline = time.monotonic() + SECONDS
        while await queued(other):
            assert time.monotonic() < deadline
            await asyncio.sleep(0.01)


def _jpeg() -> bytes:
    from support.pictures import samples as pictures

    return pictures.jpeg()


async def test_a_replaced_picture_is_queued_and_worked_off(api: Api) -> None:
    person = await api.person()
    ad = await person.post_ad()
    old = ad["image"].rpartition("/")[2]
    await api.sql("UPDATE ads SET price = 7")
    assert await queued(api) == []
    await api.sql("UPDATE ads SET image = 'new.jpg'")
    assert await queued(api) == sorted(files_of([old]))
    await worked_off(api)
    assert await queued(api) == []
    assert old not in api.files()


async def test_a_picture_that_cannot_be_deleted_holds_up_no_other(api: Api) -> None:
    stuck, free = f"{0:032x}.jpg", put(api)
    path = store_of(api).path(stuck)
    path.mkdir()
    await api.sql("INSERT INTO picture_deletions VALUES (:a), (:b)", a=stuck, b=free)
    await worked_off(api)
    assert await queued(api) == [stuck]
    assert free not in api.files()
    path.rmdir()
    path.write_bytes(b"picture")
    await worked_off(api)
    assert await queued(api) == []
    assert not path.exists()


async def test_nothing_counts_as_deleted_while_the_store_is_away(api: Api) -> None:
    name = put(api)
    directory = api.state.settings.image_dir
    await api.sql("INSERT INTO picture_deletions VALUES (:name)", name=name)
    away = directory.rename(directory.with_name("away"))
    try:
        directory.mkdir()
        await worked_off(api)
        assert await queued(api) == [name]
        directory.rmdir()
    finally:
        away.rename(directory)
    await worked_off(api)
    assert await queued(api) == []
    assert api.files() == {}


def test_a_sweep_of_more_than_a_tenth_is_suspicious() -> None:
    """A few are what killed uploads leave, however few pictures there are."""
    names = [f"{number}.jpg" for number in range(picture_deletion.FEW + 1)]
    assert picture_deletion.Orphans(names, 10 * len(names) - 1).suspicious
    assert not picture_deletion.Orphans(names, 10 * len(names)).suspicious
    assert not picture_deletion.Orphans(names[1:], len(names)).suspicious


async def test_a_picture_that_a_row_names_again_is_spared(api: Api) -> None:
    ad = await (await api.person()).post_ad()
    name = ad["image"].rpartition("/")[2]
    await api.sql("INSERT INTO picture_deletions VALUES (:name)", name=name)
    await worked_off(api)
    assert await queued(api) == []
    assert name in api.files()


@pytest.mark.heavy
async def test_a_picture_that_was_cached_is_gone_with_its_file(start_own_api: ApiFactory) -> None:
    """Whether or not a notification comes."""
    # No job may delete it before it is cached.
    async with start_own_api(jobs="off") as api:
        name = put(api)
        async with unnotified(api):
            await api.sql("INSERT INTO picture_deletions VALUES (:name)", name=name)
            await warmed(api, f"/images/{name}")
            await worked_off(api)
            assert (await api.client.get(f"/images/{name}")).status_code == 404


@pytest.mark.heavy
async def test_a_picture_read_on_its_last_moment_is_not_kept_in_memory(
    api: Api, start_api: ApiFactory
) -> None:
    """Another process hears of the end of the row, and once more of the end of the file."""
    name = put(api)
    async with start_api(data_dir=api.state.settings.data_dir, jobs="on") as other:
        assert (await other.client.get(f"/images/{name}")).status_code == 200
        await api.sql("INSERT INTO picture_deletions VALUES (:name)", name=name)
        await worked_off(api)
        assert (await api.client.get(f"/images/{name}")).status_code == 404
        deadline = time.monotonic() + SECONDS
        while (await other.client.get(f"/images/{name}")).status_code != 404:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.01)
