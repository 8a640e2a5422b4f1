"""Pictures without variants, from older versions: how they are shown, and get their variants."""

import asyncio
import re
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from contextvars import Context
from typing import Any

import pytest

from adsvc.errors import DiskNearlyFullError, ImageStoreUnavailableError, OperatorError
from adsvc.kit.bulkheads.uploads import DiskReserve
from adsvc.kit.pictures.containers import files_of
from adsvc.kit.storage import LocalImageStore
from adsvc.services.images import Outcome, Rebuilding
from support.pictures import samples as pictures
from support.scene.api import Api, Person
from support.scene.moderation import decide, moderator, only_case, reported
from support.trouble.breaking import gone

EVERYTHING = 2**50


def rebuilding(api: Api, reserve: int = 0) -> Rebuilding:
    state = api.state
    room = DiskReserve({"image store": state.settings.image_dir}, reserve)
    return Rebuilding(state.database, state.settings, state.store, state.image_pool, room)


async def rebuilt(api: Api) -> list[Outcome]:
    return [outcome async for outcome in rebuilding(api).run()]


def name_of(ad: dict[str, Any]) -> str:
    return str(ad["image"]).rpartition("/")[2]


async def forget_variants(api: Api) -> None:
    """As the version before left it."""
    for path in list(api.paths()):
        if "-" in path.name:
            path.unlink()
    await api.sql(
        "UPDATE ad_images SET width = NULL, height = NULL, placeholder = NULL,"
        " has_variants = false, has_share = false"
    )
    await api.sql("UPDATE ads SET thumbnail = NULL")
    for name, data in api.files().items():
        await resize(api, name, len(data))


async def resize(api: Api, name: str, size: int) -> None:
    """The picture has so many bytes with its variants."""
    await api.sql("DELETE FROM images WHERE name = :name", name=name)
    await api.sql(
        "INSERT INTO images SELECT :name, author_id, :size FROM ads JOIN ad_images"
        " ON ads.id = ad_id WHERE name = :name RETURNING name",
        name=name, size=size,
    )  # fmt: skip


async def shown(person: Person, ad: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (await person.get(f"/ads/{ad['pk']}")).json()
    [listed] = (await person.get("/ads?limit=1")).json()["results"]
    assert listed["thumbnail"] == found["thumbnail"]
    return found


@pytest.mark.heavy
async def test_a_picture_without_variants_is_its_own_thumbnail_until_it_is_rebuilt(
    api: Api,
) -> None:
    person = await api.person()
    ad = await person.post_ad(image=pictures.jpeg(900, 600))
    before = await shown(person, ad)
    files, used = api.files(), (await person.get("/users/me")).json()["storageUsed"]
    await forget_variants(api)
    without = await shown(person, ad)
    assert without["thumbnail"] == without["image"] == before["image"]
    assert without["images"] == [
        {
            "id": before["images"][0]["id"], "image": before["image"], "width": None,
            "height": None, "variants": {}, "placeholder": None,
        }
    ]  # fmt: skip
    assert await rebuilding(api).left() == 1
    assert await rebuilt(api) == [Outcome(name_of(ad))]
    assert await rebuilding(api).left() == 0
    after = await shown(person, ad)
    # The variants are made of what was stored, not of what had been uploaded.
    assert after["images"][0].pop("placeholder")
    assert before["images"][0].pop("placeholder")
    assert after == before
    assert set(api.files()) == set(files)
    assert api.pictures() == {name_of(ad): files[name_of(ad)]}
    told = (await person.get("/users/me")).json()["storageUsed"]
    assert told == sum(len(data) for data in api.files().values())
    assert abs(told - used) < used / 10
    assert await rebuilt(api) == []


@pytest.mark.heavy
async def test_a_picture_without_the_variant_for_previews_gets_that_one_alone(api: Api) -> None:
    person = await api.person()
    ad = await person.post_ad(image=pictures.jpeg(900, 600))
    before, files = await shown(person, ad), api.files()
    used = (await person.get("/users/me")).json()["storageUsed"]
    [share] = [path for path in api.paths() if path.name.endswith("-share.jpg")]
    share.unlink()
    await resize(api, name_of(ad), sum(len(data) for data in api.files().values()))
    await api.sql("UPDATE ad_images SET has_share = false")
    without = await shown(person, ad)
    assert set(without["images"][0]["variants"]) == {"thumb", "card"}
    page = (await api.client.get(f"/a/{ad['pk']}", follow_redirects=True)).text
    assert re.findall(r'"og:image" content="[^"]*(\.\w+)"', page) == [".webp", ".jpg"]
    assert await rebuilt(api) == [Outcome(name_of(ad))]
    after = await shown(person, ad)
    assert after["images"][0]["variants"] == before["images"][0]["variants"]
    assert {**api.files(), share.name: b""} == {**files, share.name: b""}
    told = (await person.get("/users/me")).json()["storageUsed"]
    assert told == sum(len(data) for data in api.files().values())
    assert abs(told - used) < used / 10
    page = (await api.client.get(f"/a/{ad['pk']}", follow_redirects=True)).text
    assert re.findall(r'"og:image[^"]*" content="(?:http://testserver)?([^"]*)"', page) == [
        f"/images/{share.name}", "900", "600", "image/jpeg",
    ]  # fmt: skip


@pytest.mark.heavy
async def test_a_picture_that_is_hidden_while_it_is_rebuilt_leaves_no_public_file(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    person, judge = await api.person(), await moderator(api)
    ad = await person.post_ad()
    await reported(api, f"/ads/{ad['pk']}")
    case = await only_case(judge, ad["pk"])
    await forget_variants(api)
    put_all = api.state.store.put_all

    async def overtaken(files: Any) -> None:
        await decide(judge, case["id"], "removeAd")
        await put_all(files)

    with monkeypatch.context() as patch:
        patch.setattr(api.state.store, "put_all", once(overtaken, put_all))
        await rebuilt(api)
    stem = name_of(ad).partition(".")[0]
    assert [name for name in api.files() if name.startswith(stem)] == []


@pytest.mark.heavy
async def test_a_picture_that_cannot_be_read_is_named_and_left_and_tried_again(api: Api) -> None:
    person = await api.person()
    broken, missing, good = [await person.post_ad() for _ in range(3)]
    await forget_variants(api)
    store = api.state.store
    assert isinstance(store, LocalImageStore)
    whole = store.path(name_of(broken)).read_bytes()
    store.path(name_of(broken)).write_bytes(whole[:100])
    store.path(name_of(missing)).unlink()
    faults = dict(await rebuilt(api))
    assert faults[name_of(good)] is None
    assert "ends too early" in (faults[name_of(broken)] or "")
    assert faults[name_of(missing)] == "There is no image with this name."
    store.path(name_of(broken)).write_bytes(whole)
    faults = dict(await rebuilt(api))
    assert (faults[name_of(broken)], set(faults)) == (
        None, {name_of(broken), name_of(missing)},
    )  # fmt: skip


@pytest.mark.heavy
async def test_an_ad_that_ends_while_its_picture_is_rebuilt_leaves_no_file(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = await api.person()
    ad = await person.post_ad()
    store = api.state.store
    put_all = store.put_all

    async def overtaken(files: Any) -> None:
        await end()
        await put_all(files)

    async def delete() -> None:
        assert (await person.delete(f"/ads/{ad['pk']}")).status_code == 204

    async def replace() -> None:
        answer = await person.patch(
            f"/ads/{ad['pk']}/image", files={"image": ("a.png", pictures.png())}
        )
        assert answer.status_code == 200

    ends: tuple[Callable[[], Coroutine[Any, Any, None]], ...] = (replace, delete)
    for end in ends:
        await forget_variants(api)
        with monkeypatch.context() as patch:
            # Once: the replacement stores a picture too.
            patch.setattr(store, "put_all", once(overtaken, put_all))
            await rebuilt(api)
        left = await api.sql("SELECT name FROM ad_images")
        assert set(api.files()) == set(files_of(left)), end


def once(first: Callable[[Any], Any], then: Callable[[Any], Any]) -> Callable[[Any], Any]:
    calls = iter([first])

    def call(argument: Any) -> Any:
        return next(calls, then)(argument)

    return call


@pytest.mark.heavy
async def test_without_a_store_or_room_it_stops_and_loses_nothing(api: Api) -> None:
    person = await api.person()
    await person.post_ad()
    await forget_variants(api)
    with pytest.raises(DiskNearlyFullError):
        await anext(rebuilding(api, EVERYTHING).run())
    with gone(api.state.settings.image_dir), pytest.raises(ImageStoreUnavailableError):
        await rebuilt(api)
    assert await rebuilding(api).left() == 1
    [(_, fault)] = await rebuilt(api)
    assert fault is None


@pytest.mark.heavy
async def test_a_second_one_at_the_same_time_is_refused_and_removes_nothing(api: Api) -> None:
    person = await api.person()
    await person.post_ad()
    files = set(api.files())
    await forget_variants(api)
    async with aclosing(rebuilding(api).run()) as first:
        await anext(first)
        # As by another process: this one holds the connection of the first.
        second = asyncio.create_task(rebuilt(api), context=Context())
        with pytest.raises(OperatorError, match="is at work"):
            await second
        assert [outcome async for outcome in first] == []
    assert set(api.files()) == files
    assert await rebuilt(api) == []
