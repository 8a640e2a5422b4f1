"""Terms that accounts accept: at registration, and again after each new version."""

import asyncio
from typing import Any

import httpx2
import pytest

from conftest import ApiFactory
from support.scene.api import PASSWORD, Api, Person
from support.scene.factors import kind
from support.scene.keys import created

PAGE = {"title": {"en": "Terms"}, "text": {"en": "Be kind."}}
TERMS = "/users/me/terms"


async def with_terms(api: Api) -> Person:
    """An administrator, of a site with terms from now on."""
    admin = await api.admin()
    assert (await admin.put("/admin/pages/terms", json=PAGE)).status_code == 200
    assert (await admin.patch("/admin/site", json={"termsPage": "terms"})).status_code == 200
    return admin


async def publish(admin: Person) -> None:
    assert (await admin.post("/admin/pages/terms/publish")).status_code == 200


async def terms_of(api: Api) -> dict[str, Any] | None:
    terms: dict[str, Any] | None = (await api.client.get("/site")).json()["terms"]
    return terms


async def registered(api: Api, **members: object) -> httpx2.Response:
    sent = {"username": "new@example.com", "password": PASSWORD, **members}
    return await api.client.post("/register", json=sent)


async def test_a_new_account_accepts_the_version_in_force(api: Api) -> None:
    await with_terms(api)
    assert await terms_of(api) == {"page": "terms", "version": 1}
    for sent in ({}, {"acceptedTerms": None}, {"acceptedTerms": 2}):
        refusal = await registered(api, **sent)
        assert (refusal.status_code, kind(refusal)) == (400, "terms-required")
        assert [fault["pointer"] for fault in refusal.json()["errors"]] == ["/acceptedTerms"]
    assert (await registered(api, acceptedTerms=1)).status_code == 201
    recent = "SELECT page || version FROM accepted_terms WHERE at > now() - interval '1 hour'"
    assert await api.sql(recent) == ["terms1"]


@pytest.mark.heavy
async def test_a_new_version_is_accepted_before_the_next_change(api: Api) -> None:
    author = await api.person()
    ad = (await author.post_ad())["pk"]
    admin, comments = await with_terms(api), f"/ads/{ad}/comments"
    for refusal in (
        await author.post(comments, json={"text": "Still there?"}),
        await author.patch(f"/ads/{ad}", json={"title": "A round table"}),
        await author.patch("/users/me", json={"firstName": "Ann"}),
    ):
        assert (refusal.status_code, kind(refusal)) == (403, "terms-required"), refusal.text
    for wrong in (0, 2):
        assert (await author.post(TERMS, json={"version": wrong})).status_code == 400
    accepted = await asyncio.gather(*(author.post(TERMS, json={"version": 1}) for _ in range(3)))
    assert [answer.status_code for answer in accepted] == [204, 204, 204]
    assert (await author.post(comments, json={"text": "Still there?"})).status_code == 200
    await publish(admin)
    assert kind(await author.post(comments, json={"text": "And now?"})) == "terms-required"
    assert (await author.post(TERMS, json={"version": 1})).status_code == 400
    assert (await author.post(TERMS, json={"version": 2})).status_code == 204
    export = (await author.get("/users/me/export")).json()
    assert [(each["page"], each["version"]) for each in export["terms"]] == [
        ("terms", 1),
        ("terms", 2),
    ]
    assert (await author.delete("/users/me", json={"currentPassword": PASSWORD})).status_code == 204
    assert await api.sql("SELECT 1 FROM accepted_terms") == []


async def test_who_does_not_accept_reads_protects_the_account_and_leaves(api: Api) -> None:
    author, other = await api.person(), await api.person()
    key = await created(other)
    await with_terms(api)
    for path in ("/users/me", "/users/me/export", "/ads/me", "/users/me/notifications"):
        assert (await author.get(path)).status_code == 200
    gone = await author.delete("/users/me", json={"currentPassword": PASSWORD})
    assert gone.status_code == 204, gone.text
    assert (await other.delete(f"/users/me/keys/{key['id']}")).status_code == 204
    passwords = {"currentPassword": PASSWORD, "newPassword": "another horse battery"}
    changed = await other.patch("/users/set_password", json=passwords)
    other.token = changed.json()["access_token"]
    [session] = (await other.get("/users/me/sessions")).json()["results"]
    assert (await other.delete(f"/users/me/sessions/{session['id']}")).status_code == 204


@pytest.mark.heavy
async def test_administrators_are_not_bound_and_terms_go_with_their_page(
    api: Api, start_api: ApiFactory
) -> None:
    admin = await with_terms(api)
    await publish(admin)
    missing = await admin.patch("/admin/site", json={"termsPage": "imprint"})
    assert (missing.status_code, missing.json()["errors"][0]["pointer"]) == (400, "/termsPage")
    assert (await admin.patch("/users/me", json={"firstName": "Ada"})).status_code == 200
    assert (await admin.delete("/admin/pages/terms")).status_code == 204
    assert await terms_of(api) is None
    assert (await registered(api)).status_code == 201
    # The undo brings both back, in the version that they had; another process follows.
    [deletion, *_] = (await admin.get("/admin/site/history")).json()["results"]
    assert deletion["before"]["termsPage"] == "terms"
    assert (await admin.post(f"/admin/site/history/{deletion['id']}/restore")).status_code == 200
    async with start_api() as second:
        assert await terms_of(second) == {"page": "terms", "version": 2}
        refusal = await registered(second, username="late@example.com")
        assert kind(refusal) == "terms-required"
