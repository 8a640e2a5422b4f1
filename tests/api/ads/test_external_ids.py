"""Ads by their ids in the system of their author."""

import asyncio
from typing import Any

import httpx2
import pytest

from support.pictures.samples import jpeg, png
from support.scene.api import Api, Person, ad_form

TABLE: dict[str, Any] = {"title": "Oak table", "price": 1500, "description": "Solid oak, oiled."}
PATH = "/ads/by-external-id/"


async def put(person: Person, external_id: str, **members: Any) -> httpx2.Response:
    return await person.put(PATH + external_id, json={**TABLE, **members})


async def found(person: Person, external_id: str) -> list[int]:
    page = await person.get("/ads/me", params={"externalId": external_id})
    assert page.json()["count"] == len(page.json()["results"])
    return [ad["pk"] for ad in page.json()["results"]]


@pytest.mark.heavy
async def test_an_ad_is_created_and_then_changed_under_its_external_id(api: Api) -> None:
    anna, ben = await api.person(), await api.person()
    created = await anna.put(f"{PATH}a%2F1", files=ad_form())
    assert created.status_code == 201, created.text
    ad = created.json()
    assert created.headers["Location"] == f"/ads/{ad['pk']}"
    assert (ad["externalId"], ad["status"]) == ("a/1", "active")

    changed = await put(anna, "a/1", price=900, status="draft")
    assert changed.status_code == 200, changed.text
    same = {**ad, "title": "Oak table", "price": 900, "updatedAt": changed.json()["updatedAt"]}
    assert changed.json() == same
    own = await anna.get(f"/ads/{ad['pk']}")
    assert own.headers["ETag"].replace("-gzip", "") == changed.headers["ETag"]
    assert (own.json()["externalId"], own.json()["description"]) == ("a/1", "Solid oak, oiled.")
    [exported] = (await anna.get("/users/me/export")).json()["ads"]
    assert exported["externalId"] == "a/1"
    assert await found(anna, "a/1") == [ad["pk"]]
    assert await found(anna, "a/2") == []

    # Another account has ids of its own.
    assert (await ben.put(f"{PATH}a/1", files=ad_form())).status_code == 201
    assert (await ben.get(f"/ads/{ad['pk']}")).json()["externalId"] is None
    [first, _] = (await api.client.get("/ads?sort=created")).json()["results"]
    assert "externalId" not in first


@pytest.mark.heavy
async def test_pictures_that_are_sent_replace_all_unless_they_are_the_same(api: Api) -> None:
    anna = await api.person()
    form = ad_form(image=jpeg())
    ad = (await anna.put(f"{PATH}1", files=form)).json()
    more = await anna.post(f"/ads/{ad['pk']}/images", files={"image": ("2.png", png())})
    assert more.status_code == 201
    replaced = (await anna.put(f"{PATH}1", files=form)).json()
    assert (replaced["imageCount"], replaced["image"] == ad["image"]) == (1, False)
    again = (await anna.put(f"{PATH}1", files=form)).json()
    assert again["image"] == replaced["image"]
    assert (await api.client.get(again["image"])).status_code == 200
    assert (await api.client.get(ad["image"])).status_code == 404


async def test_an_external_id_is_used_once_and_can_be_removed(api: Api) -> None:
    anna = await api.person()
    first = await anna.post_ad(externalId="1")
    other = await anna.post_ad()
    draft = {"title": "Oak", "externalId": "1"}
    refused = (
        await anna.post("/ads", files=ad_form(externalId=" 1 ")),
        await anna.post("/ads/drafts", json=draft),
        await anna.patch(f"/ads/{other['pk']}", json={"externalId": "1"}),
    )
    for answer in refused:
        assert answer.status_code == 409, answer.text
        assert answer.json()["type"] == "/problems#external-id-taken"
    freed = await anna.patch(f"/ads/{first['pk']}", json={"externalId": None})
    assert "externalId" not in freed.json()
    taken = await anna.patch(f"/ads/{other['pk']}", json={"externalId": "1"})
    assert taken.json()["externalId"] == "1"


async def test_what_a_put_refuses(api: Api) -> None:
    anna = await api.person()
    for external_id, members, pointer in (
        ("1", {}, "/image"),
        ("1", {"externalId": "2", "status": "draft"}, "/externalId"),
        ("1", {"title": ""}, "/title"),
        ("1", {"externalId": ""}, "/externalId"),
    ):
        answer = await put(anna, external_id, **members)
        assert answer.status_code == 400, answer.text
        assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer], members
    for path in ("x" * 101, "%20"):
        answer = await put(anna, path, status="draft")
        assert answer.json()["errors"][0]["parameter"] == "externalId", path
    draft = await put(anna, "1", status="draft")
    assert (draft.status_code, draft.json()["status"]) == (201, "draft")
    wrong = await put(anna, "1", category="nowhere")
    assert wrong.json()["errors"][0]["pointer"] == "/category"


@pytest.mark.heavy
async def test_requests_at_the_same_time_make_one_ad(api: Api) -> None:
    anna = await api.person()
    answers = await asyncio.gather(*(anna.put(f"{PATH}1", files=ad_form()) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 201]
    assert len({answer.json()["pk"] for answer in answers}) == 1
    assert (await api.client.get("/ads")).json()["count"] == 1


async def test_events_of_an_ad_have_its_external_id(api: Api) -> None:
    anna, admin = await api.person(), await api.admin()
    ad = await anna.post_ad(externalId="1")
    await anna.patch(f"/ads/{ad['pk']}", json={"price": 7})
    await anna.delete(f"/ads/{ad['pk']}")
    after: str | None = None
    seen: list[tuple[str, str | None]] = []
    while "ad.deleted" not in dict(seen):
        query = {"wait": 20} if after is None else {"wait": 20, "after": after}
        page = (await admin.get("/events", params=query)).json()
        seen += [(each["type"], each["data"].get("externalId")) for each in page["results"]]
        after = page["next"]
    assert {("ad.created", "1"), ("ad.priceChanged", "1"), ("ad.deleted", "1")} <= set(seen)
