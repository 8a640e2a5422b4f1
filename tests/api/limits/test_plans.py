"""Plans: limits of accounts that administrators choose."""

from typing import Any

import pytest

from conftest import ApiFactory
from support.scene.api import PASSWORD, Api, Person, ad_form

PLANS = "dealer uploads=3 writes=9 ads=2 searches=1 streams=1, tiny writes=1"


async def left(person: Person) -> dict[str, Any]:
    answer = await person.get("/users/me/limits")
    assert answer.status_code == 200, answer.text
    return {each["name"]: (each["limit"], each["remaining"]) for each in answer.json()["results"]}


async def give(admin: Person, person: Person, plan: str) -> None:
    answer = await admin.patch(f"/users/{person.id}", json={"plan": plan})
    assert (answer.status_code, answer.json()["plan"]) == (200, plan), answer.text


@pytest.mark.heavy
async def test_a_plan_decides_the_limits_of_an_account(start_api: ApiFactory) -> None:
    limits = {"uploads_per_user": 1, "writes_per_user": 20}
    async with start_api(plans=PLANS, rate_limits="on", **limits) as api:
        admin, anna = await api.admin(), await api.person()
        plans = (await api.client.get("/site")).json()["plans"]
        assert plans["dealer"] == {"uploads": 3, "writes": 9, "ads": 2, "searches": 1, "streams": 1}
        assert plans["tiny"] == plans["standard"] | {"writes": 1}
        await anna.post_ad()
        assert (await anna.post("/ads", files=ad_form())).status_code == 429
        assert (await left(anna))["uploads"] == (1, 0)

        await give(admin, anna, "dealer")
        assert (await left(anna))["ads"] == (2, 1)
        await anna.post_ad()
        search = {"query": "q=oak", "name": "Oak", "notify": "never"}
        assert (await anna.post("/users/me/searches", json=search)).status_code == 201
        refused = await anna.post("/users/me/searches", json=search | {"query": "q=ash"})
        assert (refused.status_code, refused.json()["type"]) == (409, "/problems#too-many")
        assert await left(anna) == {
            "uploads": (3, 2), "writes": (9, 7), "ads": (2, 0), "searches": (1, 0),
            "streams": (1, 1),
        }  # fmt: skip
        # It holds for a token that is known from before, too.
        await give(admin, anna, "tiny")
        changes = [await anna.patch("/ads/1", json={"price": price}) for price in (1, 2)]
        assert changes[-1].status_code == 429
        assert changes[-1].headers["RateLimit-Policy"].startswith('"write";q=1;')


@pytest.mark.heavy
async def test_no_more_ads_are_shown_than_the_plan_allows(start_api: ApiFactory) -> None:
    async with start_api(plans="dealer ads=1") as api:
        admin, anna = await api.admin(), await api.person()
        first, second = await anna.post_ad(), await anna.post_ad()
        await give(admin, anna, "dealer")
        draft = await anna.post_ad(status="draft")
        path = f"/ads/{draft['pk']}/publish"
        refusals = [await anna.post("/ads", files=ad_form()), await anna.post(path)]
        for refused in refusals:
            assert (refused.status_code, refused.json()["type"]) == (409, "/problems#too-many")
        for ad in (first, second):
            await anna.post(f"/ads/{ad['pk']}/withdraw")
        assert (await anna.post(path)).status_code == 200


async def test_who_changes_a_plan_and_to_what(api: Api) -> None:
    admin, anna = await api.admin(), await api.person()
    path = f"/users/{anna.id}"
    assert (await anna.patch(path, json={"plan": "dealer"})).status_code == 403
    for body, pointer in (
        ({"plan": "golden"}, "/plan"),
        ({"role": "MODERATOR"}, "/currentPassword"),
        ({}, ""),
    ):
        answer = await admin.patch(path, json=body)
        assert answer.status_code == 400, body
        assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]
    await give(admin, anna, "dealer")
    both = {"plan": "standard", "role": "MODERATOR", "currentPassword": PASSWORD}
    changed = (await admin.patch(path, json=both)).json()
    assert (changed["plan"], changed["role"]) == ("standard", "MODERATOR")
    events = (await admin.get("/admin/audit?kind=plan_changed")).json()["results"]
    assert [(event["actor"], event["user"]) for event in events] == [(str(admin.id), anna.id)] * 2
