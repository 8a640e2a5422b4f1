"""Two users and an administrator, from registration to the deletion of their accounts."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest

from adsvc.services import picture_deletion
from conftest import ApiFactory
from support.pictures import samples as pictures
from support.scene.api import Api, Person, image_form
from support.scene.logins import bearer, log_in, opens, refresh, revoke
from support.scene.snapshots import snapshot


@pytest.fixture
async def own_api(start_api: ApiFactory) -> AsyncIterator[Api]:
    async with start_api() as api:
        yield api


def operator(api: Api, *command: str, stdin: str = "") -> str:
    """What the operator's command line says."""
    settings = api.state.settings
    done = subprocess.run(
        [sys.executable, "-m", "adsvc", *command],
        env={**os.environ, **settings.to_environment()},
        input=stdin.encode(),
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


async def comment(person: Person, ad: dict[str, Any], text: str) -> str:
    answer = await person.post(f"/ads/{ad['pk']}/comments", json={"text": text})
    assert answer.status_code == 200
    return f"/ads/{ad['pk']}/comments/{answer.json()['pk']}"


async def leave(person: Person) -> None:
    confirmation = {"currentPassword": person.password}
    assert (await person.request("DELETE", "/users/me", json=confirmation)).status_code == 204
    assert (await person.get("/users/me")).status_code == 401


async def moderate(api: Api, admin: Person, anna: Person, ads: list[dict[str, Any]]) -> None:
    """The operator makes an administrator, who tidies up and is made an ordinary user again."""
    rude = await comment(anna, ads[2], "Something rude.")
    assert (await admin.delete(rude)).status_code == 403
    assert admin.username in operator(api, "users", "promote", admin.username)
    assert (await admin.delete(rude)).status_code == 204
    assert (await admin.patch(f"/ads/{ads[0]['pk']}", json={"price": 1})).status_code == 200
    assert (await admin.delete(f"/ads/{ads[1]['pk']}")).status_code == 204
    operator(api, "users", "demote", admin.username)
    assert (await admin.delete(f"/ads/{ads[0]['pk']}")).status_code == 403


@pytest.mark.heavy
async def test_nothing_is_left_when_everybody_has_gone(own_api: Api) -> None:
    api = own_api
    anna, ben, admin = [await api.person() for _ in range(3)]
    for person in (anna, ben):
        for image in (pictures.jpeg(), pictures.png()):
            await person.patch("/users/me/image", files=image_form(image))
    ads = [await anna.post_ad(title=f"Of Anna {number}") for number in range(2)]
    ads.append(await ben.post_ad(image=pictures.webp()))
    for person in (anna, ben, admin):
        for ad in ads:
            await comment(person, ad, "Still there?")
    assert (
        await anna.patch(f"/ads/{ads[0]['pk']}/image", files=image_form(pictures.png()))
    ).status_code == 200
    await moderate(api, admin, anna, ads)

    elsewhere = await log_in(api, ben)
    elsewhere = (await refresh(api.client, elsewhere["refresh_token"])).json()
    assert (await revoke(api.client, elsewhere["refresh_token"])).status_code == 200
    operator(api, "users", "set-password", ben.username, stdin="set by the operator\n")
    assert not await opens(api.client, ben.token)
    ben.password = "set by the operator"
    ben.token = (await log_in(api, ben))["access_token"]

    exported = (await anna.get("/users/me/export")).json()
    assert [ad["id"] for ad in exported["ads"]] == [ads[0]["pk"]]
    assert (await api.client.get("/ads")).json()["count"] == 2
    listed = await api.client.get(f"/ads/{ads[2]['pk']}/comments", headers=bearer(ben.token))
    assert listed.json()["count"] == 3

    for person in (anna, ben, admin):
        await leave(person)
    await assert_empty(api)


async def assert_empty(api: Api) -> None:
    after = await snapshot(api)
    # Of what the log had of prices, ids and numbers stay as long as events do.
    kept = {"ad_totals", "installation", "price_changes"}
    assert {name: rows for name, rows in after.rows.items() if rows and name not in kept} == {}
    assert await api.sql("SELECT coalesce(sum(ads), 0) FROM ad_totals") == [0]
    listed = (await api.client.get("/ads")).json()
    assert (listed["count"], listed["results"]) == (0, [])
    async with api.state.database.autocommit() as session:
        store = api.state.store
        swept = [name async for name in picture_deletion.sweep(session, store, grace_seconds=0)]
    # Nothing was left to the sweep: every file went with what it belonged to.
    assert swept == []
    assert api.files() == {}
