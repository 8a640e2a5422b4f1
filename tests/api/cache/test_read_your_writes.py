"""After the response to a write, the next read shows it, whatever was cached before."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from adsvc.services.ads import listing
from conftest import ApiFactory
from support.pictures import samples as pictures
from support.scene.api import Api, Person, image_form
from support.scene.categories import plant
from support.scene.listings import listed, titles_of
from support.scene.warmth import reads, settle, warmed
from support.trouble.delays import delayed
from support.trouble.notifications import unnotified

LISTINGS = ("/ads", "/ads?limit=5", "/ads?q=oak", "/ads?sort=price&minPrice=0")


async def warm_all(api: Api, person: Person, *paths: str) -> None:
    """All of them at once ready."""
    await settle(api)
    for _ in range(2):
        for path in paths:
            assert (await person.get(path)).status_code == 200
    with reads(api) as counted:
        for path in paths:
            await person.get(path)
    assert counted.total() == 0


async def all_listed(api: Api) -> list[list[dict[str, Any]]]:
    return [(await listed(api.client, path))["results"] for path in LISTINGS]


@pytest.fixture
async def alone(api: Api) -> AsyncIterator[None]:
    async with unnotified(api):
        yield


@pytest.fixture
async def person(api: Api) -> Person:
    return await api.person(firstName="Anna", phone="+49 30 1234567")


@pytest.fixture
async def ad(person: Person) -> dict[str, Any]:
    return await person.post_ad(title="Oak table", price=5)


@pytest.mark.heavy
@pytest.mark.usefixtures("alone")
async def test_a_new_ad(api: Api, person: Person, ad: dict[str, Any]) -> None:
    await warm_all(api, person, *LISTINGS)
    new = await person.post_ad(title="Oak chair", price=7)
    found = await all_listed(api)
    assert found == [[new, ad], [new, ad], [new, ad], [ad, new]]
    assert (await listed(api.client))["count"] == 2


@pytest.mark.heavy
@pytest.mark.usefixtures("alone")
async def test_a_changed_ad(api: Api, person: Person, ad: dict[str, Any]) -> None:
    path = f"/ads/{ad['pk']}"
    await warm_all(api, person, *LISTINGS, path)
    changed = (await person.patch(path, json={"title": "Oak desk", "price": 9})).json()
    assert await all_listed(api) == [[changed]] * 4
    record = (await person.get(path)).json()
    assert (record["title"], record["price"]) == ("Oak desk", 9)
    await warm_all(api, person, *LISTINGS, path)
    await person.patch(path, json={"description": "Red plastic."})
    assert (await person.get(path)).json()["description"] == "Red plastic."
    await person.patch(path, json={"title": "Plastic desk"})
    assert await titles_of(api.client, q="oak") == []


@pytest.mark.heavy
@pytest.mark.usefixtures("alone")
async def test_a_replaced_picture(api: Api, person: Person, ad: dict[str, Any]) -> None:
    path = f"/ads/{ad['pk']}"
    await warm_all(api, person, *LISTINGS, path, ad["image"])
    form = image_form(pictures.png())
    answer = await person.patch(f"{path}/image", files=form)
    (record,) = (await all_listed(api))[0]
    assert record["image"] != ad["image"]
    assert (await person.get(path)).json()["image"] == record["image"]
    for _ in range(2):
        assert (await api.client.get(record["image"])).content == answer.content
        assert (await api.client.get(ad["image"])).status_code == 404


@pytest.mark.heavy
@pytest.mark.usefixtures("alone")
async def test_a_deleted_ad(api: Api, person: Person, ad: dict[str, Any]) -> None:
    path = f"/ads/{ad['pk']}"
    await warm_all(api, person, *LISTINGS, path, ad["image"])
    assert (await person.delete(path)).status_code == 204
    assert await all_listed(api) == [[]] * 4
    assert (await listed(api.client))["count"] == 0
    for gone in (path, ad["image"]):
        assert (await person.get(gone)).status_code == 404


@pytest.mark.heavy
@pytest.mark.usefixtures("alone")
async def test_an_administrator_s_deletion(api: Api, person: Person, ad: dict[str, Any]) -> None:
    path = f"/ads/{ad['pk']}"
    admin = await api.admin()
    await warm_all(api, person, *LISTINGS, path, ad["image"])
    assert (await admin.delete(path)).status_code == 204
    assert await all_listed(api) == [[]] * 4
    for gone in (path, ad["image"]):
        assert (await person.get(gone)).status_code == 404


@pytest.mark.usefixtures("alone")
async def test_an_author_s_new_name(api: Api, person: Person, ad: dict[str, Any]) -> None:
    path = f"/ads/{ad['pk']}"
    other = await api.person(firstName="Ben")
    path_of_other = f"/ads/{(await other.post_ad())['pk']}"
    reader = await api.person()
    await warm_all(api, reader, path, path_of_other)
    change = {"firstName": "Clara", "phone": "+49 30 7654321"}
    assert (await person.patch("/users/me", json=change)).status_code == 200
    record = (await reader.get(path)).json()
    assert (record["authorFirstName"], record["phone"]) == ("Clara", "+49 30 7654321")
    with reads(api) as counted:
        assert (await reader.get(path_of_other)).json()["authorFirstName"] == "Ben"
    assert counted.total() == 0


@pytest.mark.heavy
@pytest.mark.usefixtures("alone")
async def test_a_replaced_avatar(api: Api, person: Person) -> None:
    old = (await person.patch("/users/me/image", files=image_form())).json()["image"]
    await warm_all(api, person, old)
    new = (await person.patch("/users/me/image", files=image_form(pictures.png()))).json()["image"]
    assert (await api.client.get(old)).status_code == 404
    assert (await api.client.get(new)).status_code == 200


@pytest.mark.usefixtures("alone")
@pytest.mark.heavy
@pytest.mark.parametrize("ads", [1, 30])
async def test_a_deleted_account(api: Api, person: Person, ads: int) -> None:
    """One notice stands for many ads."""
    other = await api.person()
    posted = [await person.post_ad() for _ in range(ads)]
    avatar = (await person.patch("/users/me/image", files=image_form())).json()["image"]
    paths = [f"/ads/{ad['pk']}" for ad in posted] + [ad["image"] for ad in posted] + [avatar]
    await warm_all(api, other, *LISTINGS, *paths)
    confirmation = {"currentPassword": person.password}
    assert (await person.request("DELETE", "/users/me", json=confirmation)).status_code == 204
    assert await all_listed(api) == [[]] * 4
    for path in paths:
        assert (await other.get(path)).status_code == 404


@pytest.mark.heavy
@pytest.mark.usefixtures("alone")
async def test_a_changed_category(api: Api) -> None:
    await plant(api)
    admin = await api.admin()
    paths = "/categories", "/categories/cars", "/categories/cars/schema"
    await warm_all(api, admin, *paths)
    definition = {"parent": "vehicles", "name": "Automobiles"}
    changed = await admin.request("PUT", "/categories/cars", json=definition)
    assert changed.status_code == 200
    found = (await api.client.get("/categories")).json()["results"]
    assert "Automobiles" in {category["name"] for category in found}
    assert (await api.client.get("/categories/cars")).json() == changed.json()
    assert "fuel" not in (await api.client.get("/categories/cars/schema")).json()["properties"]
    await warm_all(api, admin, *paths)
    assert (await admin.delete("/categories/cars")).status_code == 204
    for path in paths[1:]:
        assert (await api.client.get(path)).status_code == 404


@pytest.mark.heavy
async def test_a_refused_write_forgets_nothing(
    api: Api, person: Person, ad: dict[str, Any]
) -> None:
    path = f"/ads/{ad['pk']}"
    await warm_all(api, person, *LISTINGS, path)
    assert (await person.patch(path, json={"price": -1})).status_code == 400
    assert (await person.post("/ads", json={})).status_code in {400, 415}
    assert (await (await api.person()).delete(path)).status_code == 403
    with reads(api) as counted:
        await all_listed(api)
    assert counted.total() == 0


@pytest.mark.parametrize("path", ["/ads", "/ads?q=oak&sort=price"])
async def test_a_listing_from_before_a_write_is_neither_kept_nor_shared(
    api: Api, person: Person, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    await settle(api)
    # A search takes more than one statement: what is late is the page that they make.
    with delayed(monkeypatch, listing, "page") as delay:
        early = await delay.begun(api.client.get(path))
        ad = await person.post_ad(title="Oak table")
        # The early response is still being made: a request now does not wait for it.
        assert (await listed(api.client, path))["results"] == [ad]
        assert (await delay.ended(early)).json()["results"] == []
    for _ in range(2):
        assert (await listed(api.client, path))["results"] == [ad]


@pytest.mark.heavy
async def test_an_ad_from_before_a_write_is_not_kept(
    api: Api, person: Person, ad: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/ads/{ad['pk']}"
    for change in ({"price": 77}, {"lastName": "Berg"}):
        await settle(api)
        with delayed(monkeypatch, api.state.database.reader, "fetch_by_id") as delay:
            early = await delay.begun(person.get(path))
            changed = path if "price" in change else "/users/me"
            assert (await person.patch(changed, json=change)).status_code == 200
            await delay.ended(early)
        record = (await person.get(path)).json()
        assert {record["price"], record["authorLastName"]} >= set(change.values())
        # As `warmed` would keep it for the next round.
        await person.patch(path, json={"description": "Something else."})


async def test_a_picture_read_while_it_is_deleted_is_not_kept(
    api: Api, person: Person, ad: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ad is gone, and everybody knows, a moment before the file is."""
    await settle(api)
    with delayed(monkeypatch, api.state.store, "delete_all", before=True) as delay:
        deletion = await delay.begun(person.delete(f"/ads/{ad['pk']}"))
        await settle(api)
        assert (await api.client.get(ad["image"])).status_code == 200
        assert (await delay.ended(deletion)).status_code == 204
    assert (await api.client.get(ad["image"])).status_code == 404


@pytest.mark.heavy
async def test_without_a_listener_nothing_is_shared_or_cached(
    start_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with start_api() as api, start_api() as other:
        person = await other.person()
        await warmed(api, "/ads")
        await api.state.database._listener.close()
        api.state.database.changes.apply_all()
        with delayed(monkeypatch, api.state.database.reader, "fetch") as delay:
            early = await delay.begun(api.client.get("/ads"))
            ad = await person.post_ad()
            late = asyncio.create_task(api.client.get("/ads"))
            assert (await late).json()["results"] == [ad]
            assert (await delay.ended(early)).json()["results"] == []
        assert (await listed(api.client))["results"] == [ad]
        for _ in range(2):
            with reads(api) as counted:
                await api.client.get("/ads")
            assert counted.total() > 0
