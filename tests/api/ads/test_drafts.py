"""Drafts that are not finished: `POST /ads/drafts`, and what `publish` says of them."""

import asyncio
from typing import Any

import httpx2
import pytest

from adsvc.services import retention
from conftest import ApiFactory
from support.pictures.samples import jpeg
from support.scene.api import Api, Person, image_form
from support.scene.categories import plant
from support.scene.snapshots import snapshot
from support.trouble.blocking import meanwhile

COMPLETE: dict[str, Any] = {"title": "Oak table", "price": 0, "description": "Solid oak, oiled."}


async def begun(person: Person, **members: Any) -> dict[str, Any]:
    answer = await person.post("/ads/drafts", json={"title": "Oak", **members})
    assert answer.status_code == 201, answer.text
    draft: dict[str, Any] = answer.json()
    assert answer.headers["Location"] == f"/ads/{draft['pk']}"
    return draft


def wrong(answer: httpx2.Response) -> dict[str, str]:
    assert answer.status_code == 400, answer.text
    return {fault["pointer"]: fault["code"] for fault in answer.json()["errors"]}


async def test_what_is_missing_of_a_draft_is_empty_and_never_null(api: Api) -> None:
    anna = await api.person()
    draft = await begun(anna, title=" O ")
    assert draft["title"] == "O"
    path = f"/ads/{draft['pk']}"
    own = (await anna.get(path)).json()
    [listed] = (await anna.get("/ads/me?status=draft")).json()["results"]
    [exported] = (await anna.get("/users/me/export")).json()["ads"]
    missing = {"price": 0, "image": "", "status": "draft", "category": None}
    for record in (draft, own, listed, exported):
        assert {name: record[name] for name in missing} == missing
    for record in (draft, own, listed):
        assert (record["thumbnail"], record["imageCount"]) == ("", 0)
    for record in (own, exported):
        assert (record["description"], record["images"], record["attributes"]) == ("", [], {})


@pytest.mark.heavy
async def test_no_one_else_sees_a_draft(api: Api) -> None:
    anna, ben = await api.person(), await api.person()
    ad = await anna.post_ad(title="Oak table")
    draft = (await begun(anna, title="Oak table", location={"latitude": 52.5, "longitude": 13.4}))[
        "pk"
    ]
    for path in ("", "/details", "/similar", "/comments"):
        assert (await ben.get(f"/ads/{draft}{path}")).status_code == 404, path
    for path in ("/ads", "/ads?q=oak", f"/ads?author={anna.id}", "/ads/facets"):
        assert (await api.client.get(path)).json()["count"] == 1, path
    assert (await api.client.get("/ads/map?bbox=13,52,14,53")).json()["results"] == []
    assert (await api.client.get(f"/ads/{ad['pk']}/similar")).json()["results"] == []
    assert (await api.client.get(f"/sellers/{anna.id}")).json()["adCount"] == 1
    assert (await api.client.get("/ads.atom")).text.count("<entry>") == 1


@pytest.mark.heavy
async def test_a_draft_is_published_when_it_is_complete(api: Api) -> None:
    anna = await api.person()
    path = f"/ads/{(await begun(anna))['pk']}"
    faults = {"/title": "wrong-length", "/description": "missing", "/price": "missing"}
    missing = {**faults, "/image": "missing"}
    assert wrong(await anna.post(f"{path}/publish")) == missing
    # Whoever takes it back first gets no further.
    assert (await anna.post(f"{path}/withdraw")).status_code == 200
    assert wrong(await anna.post(f"{path}/publish")) == missing

    path = f"/ads/{(await begun(anna))['pk']}"
    for name, value in COMPLETE.items():
        assert (await anna.patch(path, json={name: value})).status_code == 200
        del faults[f"/{name}"]
        assert wrong(await anna.post(f"{path}/publish")) == {**faults, "/image": "missing"}
    assert (await anna.post(f"{path}/images", files=image_form())).status_code == 201
    published = (await anna.post(f"{path}/publish")).json()
    assert published["status"] == "active"
    assert published["image"].startswith("/images/")
    assert (await api.client.get("/ads")).json()["results"] == [published]


@pytest.mark.heavy
async def test_a_category_and_its_attributes_may_be_missing_but_not_wrong(
    start_api: ApiFactory,
) -> None:
    async with start_api(category_required=True) as api:
        await plant(api)
        anna = await api.person()
        draft = await begun(anna, **COMPLETE)
        path = f"/ads/{draft['pk']}"
        await anna.post(f"{path}/images", files=image_form())
        assert wrong(await anna.post(f"{path}/publish")) == {"/category": "missing"}
        # Cars need a fuel.
        assert (await anna.patch(path, json={"category": "cars"})).status_code == 200
        assert wrong(await anna.post(f"{path}/publish")) == {"/attributes/fuel": "missing"}
        bad = {"attributes": {"fuel": "hay"}}
        assert wrong(await anna.patch(path, json=bad)) == {"/attributes/fuel": "not-an-option"}
        refused = await anna.post("/ads/drafts", json={"title": "Oak", "category": "cars", **bad})
        assert wrong(refused) == {"/attributes/fuel": "not-an-option"}
        unknown = await anna.post("/ads/drafts", json={"title": "Oak", "category": "none"})
        assert set(wrong(unknown)) == {"/category"}
        good = {"attributes": {"fuel": "diesel"}}
        assert (await anna.patch(path, json=good)).status_code == 200
        assert (await anna.post(f"{path}/publish")).status_code == 200
        # What is shown stays complete.
        taken = {"attributes": {"fuel": None}}
        assert wrong(await anna.patch(path, json=taken)) == {"/attributes/fuel": "missing"}
        assert wrong(await anna.patch(path, json={"category": None})) == {"/category": "missing"}


async def test_only_a_draft_has_short_texts(api: Api) -> None:
    anna = await api.person()
    draft = (await begun(anna, description="Solid oak, oiled."))["pk"]
    shown = (await anna.post_ad())["pk"]
    short = {"title": "", "description": "Oak"}
    both = {"/title": "wrong-length", "/description": "wrong-length"}
    assert (await anna.patch(f"/ads/{draft}?validate=true", json=short)).status_code == 204
    assert (await anna.patch(f"/ads/{draft}", json=short)).status_code == 200
    for query in ("", "?validate=true"):
        assert wrong(await anna.patch(f"/ads/{shown}{query}", json=short)) == both
    # With all other faults.
    more = {**short, "price": -1, "category": "none"}
    others = {"/price": "out-of-range", "/category": "unknown"}
    assert wrong(await anna.patch(f"/ads/{shown}", json=more)).keys() == {**both, **others}.keys()
    assert wrong(await anna.patch(f"/ads/{draft}", json=more)).keys() == others.keys()
    more = {**short, "category": "none"}
    assert wrong(await anna.patch(f"/ads/{shown}", json=more)).keys() == {*both, "/category"}
    for body in ({}, {"title": ""}, {"title": "  "}, {"title": None}, {"title": "a" * 151}):
        assert set(wrong(await anna.post("/ads/drafts", json=body))) == {"/title"}, body
    long = {"title": "Oak", "description": "a" * 8001, "price": "x", "status": "active"}
    refused = wrong(await anna.post("/ads/drafts", json=long))
    assert refused == {"/description": "wrong-length", "/price": "wrong-type"}


@pytest.mark.heavy
async def test_a_draft_may_lose_its_last_picture_and_get_another(api: Api) -> None:
    anna = await api.person()
    path = f"/ads/{(await begun(anna, **COMPLETE))['pk']}"
    # The operation for ads with one picture adds it where there is none.
    first = await anna.patch(f"{path}/image", files=image_form(jpeg()))
    assert first.status_code == 200
    for _ in range(2):
        [image] = (await anna.get(path)).json()["images"]
        assert (await anna.delete(f"{path}/images/{image['id']}")).status_code == 204
        own = (await anna.get(path)).json()
        assert (own["image"], own["thumbnail"], own["imageCount"], own["images"]) == ("", "", 0, [])
        assert api.pictures() == {}
        assert wrong(await anna.post(f"{path}/publish")) == {"/image": "missing"}
        await anna.post(f"{path}/images", files=image_form())
    assert (await anna.post(f"{path}/publish")).status_code == 200
    [image] = (await anna.get(path)).json()["images"]
    assert (await anna.delete(f"{path}/images/{image['id']}")).status_code == 409
    # One without pictures is deleted as any other, and drops no picture that is in memory.
    other = (await begun(anna))["pk"]
    assert (await anna.delete(f"/ads/{other}")).status_code == 204
    assert await api.sql("SELECT name FROM picture_deletions") == []
    notices = await api.sql("SELECT notice FROM changes WHERE notice LIKE 'image:%'")
    assert "image:" not in notices


@pytest.mark.heavy
async def test_what_changes_while_it_is_published_is_not_published_unfinished(api: Api) -> None:
    anna = await api.person()
    path = f"/ads/{(await begun(anna, **COMPLETE))['pk']}"
    await anna.post(f"{path}/images", files=image_form())
    spoilt = "UPDATE ads SET title = '', updated_at = updated_at + interval '1 second'"
    publishing = await meanwhile(api, anna.post(f"{path}/publish"), spoilt)
    assert wrong(await publishing) == {"/title": "missing"}
    await anna.patch(path, json={"title": "Oak table"})
    shorten = anna.patch(path, json={"title": ""})
    shortening = await meanwhile(api, shorten, "UPDATE ads SET status = 'active'")
    assert wrong(await shortening) == {"/title": "wrong-length"}


@pytest.mark.heavy
async def test_an_account_has_a_limited_number_of_drafts(start_api: ApiFactory) -> None:
    async with start_api(drafts_max=2) as api:
        anna, ben = await api.person(), await api.person()
        drafts = [(await begun(anna))["pk"] for _ in range(2)]
        refused = await anna.post("/ads/drafts", json={"title": "Oak"})
        assert refused.status_code == 409
        assert refused.json()["type"] == "/problems#too-many"
        await begun(ben)
        # Ads that are complete are no matter of that limit.
        for _ in range(2):
            complete = await anna.post_ad(status="draft")
        await anna.post(f"/ads/{complete['pk']}/withdraw")
        # Nor does withdrawing them make room for others.
        for draft in drafts:
            assert (await anna.post(f"/ads/{draft}/withdraw")).status_code == 200
        assert (await anna.post("/ads/drafts", json={"title": "Oak"})).status_code == 409
        for draft in drafts:
            await anna.delete(f"/ads/{draft}")
        sent = [anna.post("/ads/drafts", json={"title": "Oak"}) for _ in range(3)]
        statuses = sorted(answer.status_code for answer in await asyncio.gather(*sent))
        assert statuses == [201, 409, 409]


@pytest.mark.heavy
async def test_an_old_draft_is_deleted_with_its_pictures(api: Api) -> None:
    anna = await api.person()
    old, withdrawn, new = [(await begun(anna))["pk"] for _ in range(3)]
    await anna.post(f"/ads/{withdrawn}/withdraw")
    sold, kept = [(await anna.post_ad())["pk"] for _ in range(2)]
    await anna.post(f"/ads/{sold}/sell")
    await anna.post(f"/ads/{kept}/withdraw")
    shown = (await anna.post_ad())["pk"]
    await anna.post(f"/ads/{old}/images", files=image_form())
    await api.sql(
        "UPDATE ads SET updated_at = now() - interval '179 days' WHERE id <> :new", new=new
    )
    database, settings = api.state.database, api.state.settings
    await retention.clean(database, settings)
    assert await api.sql("SELECT count(*) FROM ads") == [6]
    await api.sql(
        "UPDATE ads SET updated_at = now() - interval '181 days' WHERE id <> :new", new=new
    )
    await retention.clean(database, settings.model_copy(update={"draft_days": 0}))
    assert await api.sql("SELECT count(*) FROM ads") == [6]
    await retention.clean(database, settings)
    assert await api.sql("SELECT id FROM ads ORDER BY id") == [new, sold, kept, shown]
    assert await api.sql("SELECT count(*) FROM picture_deletions") == [4]


async def test_a_draft_that_is_sent_again_is_one_draft(api: Api) -> None:
    anna = await api.person()
    key = {"Idempotency-Key": "one draft, please"}
    sent = [await anna.post("/ads/drafts", json={"title": "Oak"}, headers=key) for _ in range(2)]
    assert sent[0].json() == sent[1].json()
    assert await api.sql("SELECT count(*) FROM ads") == [1]


async def test_who_may_begin_a_draft(api: Api) -> None:
    before = await snapshot(api)
    assert (await api.client.post("/ads/drafts", json={"title": "Oak"})).status_code == 401
    assert await snapshot(api) == before
    for person in (await api.person(), await api.admin()):
        await begun(person)
    assert (await api.client.get("/ads/drafts")).status_code == 405
