import asyncio
from typing import Any

import pytest

from support.scene.api import PASSWORD, Api, Person, image_form
from support.scene.factors import added, with_app
from support.scene.logins import log_in, opens, refresh
from support.scene.snapshots import snapshot


async def delete(person: Person, password: object = PASSWORD) -> int:
    confirmation = {"currentPassword": password}
    return (await person.request("DELETE", "/users/me", json=confirmation)).status_code


async def comment(person: Person, ad: dict[str, Any]) -> None:
    answer = await person.post(f"/ads/{ad['pk']}/comments", json={"text": "Still there?"})
    assert answer.status_code == 200


async def furnished(api: Api) -> tuple[Person, Person, dict[str, Any], dict[str, Any]]:
    """Two people with an avatar and an ad each, who both commented on both ads."""
    leaving, staying = await api.person(), await api.person()
    ads = []
    for person in (leaving, staying):
        await person.patch("/users/me/image", files=image_form())
        ads.append(await person.post_ad())
    for ad in ads:
        for person in (leaving, staying):
            await comment(person, ad)
    return leaving, staying, ads[0], ads[1]


@pytest.mark.heavy
async def test_an_account_goes_with_everything_that_was_its_own(api: Api) -> None:
    leaving, staying, gone, kept = await furnished(api)
    elsewhere = await log_in(api, leaving)
    assert await delete(leaving) == 204
    assert (await staying.get(f"/ads/{gone['pk']}")).status_code == 404
    assert (await staying.get(f"/ads/{gone['pk']}/comments")).status_code == 404
    assert (await api.client.get(gone["image"])).status_code == 404
    listed = (await api.client.get("/ads")).json()
    assert (listed["count"], [ad["pk"] for ad in listed["results"]]) == (1, [kept["pk"]])
    comments = (await staying.get(f"/ads/{kept['pk']}/comments")).json()
    assert comments["count"] == 1
    assert [found["author"] for found in comments["results"]] == [staying.id]
    assert not await opens(api.client, leaving.token)
    assert not await opens(api.client, elsewhere["access_token"])
    assert (await refresh(api.client, elsewhere["refresh_token"])).status_code == 400
    avatar = (await staying.get("/users/me")).json()["image"]
    assert {f"/images/{name}" for name in api.pictures()} == {kept["image"], avatar}


@pytest.mark.heavy
async def test_its_factors_go_with_an_account(api: Api) -> None:
    leaving, staying = await api.person(), await api.person()
    for person in (leaving, staying):
        await added(person)
        await with_app(person)
    assert await delete(leaving) == 204
    for table, kept in (("passkeys", 1), ("totps", 1), ("recovery_codes", 10)):
        owners = f"SELECT user_id FROM {table}"  # noqa: S608 - a name of a table
        assert await api.sql(owners) == [staying.id] * kept, table


@pytest.mark.heavy
async def test_no_row_of_a_deleted_account_is_left(api: Api) -> None:
    leaving, staying, *_ = await furnished(api)
    assert await delete(leaving) == 204
    rows = (await snapshot(api)).rows
    parts = {"ad_totals", "text_totals"}
    left = {name: len(lines) for name, lines in rows.items() if lines and name not in parts}
    assert left == {
        "users": 1, "sessions": 1, "ads": 1, "author_ad_totals": 1, "comments": 1,
        "ad_comment_totals": 1, "installation": 1,
        # The ad's picture and the avatar of the one who stays.
        "images": 2, "image_totals": 1, "ad_images": 1, "ad_events": 1,
    }  # fmt: skip
    assert await api.sql("SELECT sum(ads) FROM ad_totals") == [1]
    assert await api.sql("SELECT DISTINCT owner_id FROM text_totals") == [staying.id]
    assert await api.sql("SELECT author_id FROM author_ad_totals") == [staying.id]
    assert await api.sql("SELECT comments FROM ad_comment_totals") == [1]


async def test_the_name_is_free_again_for_another_account(api: Api) -> None:
    first = await api.person("anna@example.com")
    ad = await first.post_ad()
    assert await delete(first) == 204
    second = await api.person("ANNA@example.com")
    assert second.id != first.id
    assert not await opens(api.client, first.token)
    assert (await second.get("/ads/me")).json()["count"] == 0
    assert (await second.get(f"/ads/{ad['pk']}")).status_code == 404


@pytest.mark.parametrize("password", ["not the password", PASSWORD + " ", "x"])
async def test_a_wrong_password_deletes_nothing(api: Api, password: str) -> None:
    leaving, *_ = await furnished(api)
    before = await snapshot(api)
    answer = await leaving.request("DELETE", "/users/me", json={"currentPassword": password})
    assert answer.status_code == 403
    assert answer.json()["type"] == "/problems#wrong-password"
    assert await snapshot(api) == before


@pytest.mark.parametrize("record", [{}, {"currentPassword": None}, {"password": PASSWORD}, [], 1])
async def test_a_malformed_confirmation_deletes_nothing(api: Api, record: object) -> None:
    leaving, *_ = await furnished(api)
    before = await snapshot(api)
    answer = await leaving.request("DELETE", "/users/me", json=record)
    assert answer.status_code == 400
    assert (await leaving.delete("/users/me")).status_code == 415
    assert await snapshot(api) == before


async def test_an_administrator_can_leave_too(api: Api) -> None:
    admin = await api.admin()
    assert await delete(admin) == 204
    assert not await opens(api.client, admin.token)


async def test_an_account_is_deleted_only_once(api: Api) -> None:
    person, other = await api.person(), await api.person()
    statuses = await asyncio.gather(*(delete(person) for _ in range(5)))
    assert 204 in statuses
    assert set(statuses) <= {204, 401}
    assert await api.sql("SELECT id FROM users") == [other.id]


@pytest.mark.heavy
async def test_ads_posted_while_their_author_leaves_leave_nothing(api: Api) -> None:
    person = await api.person()
    posted = [asyncio.create_task(person.get("/ads/me"))]
    posted += [asyncio.create_task(_post(person, number)) for number in range(4)]
    deletion = asyncio.create_task(delete(person))
    posted += [asyncio.create_task(_post(person, number)) for number in range(4)]
    assert await deletion == 204
    assert {answer.status_code for answer in await asyncio.gather(*posted)} <= {200, 201, 401}
    after = await snapshot(api)
    assert after.rows["ads"] == after.rows["author_ad_totals"] == []
    assert after.files == {}
    assert await api.sql("SELECT coalesce(sum(ads), 0) FROM ad_totals") == [0]


async def _post(person: Person, number: int) -> Any:
    properties = b'{"title": "Ad %d", "price": 1, "description": "Some words."}' % number
    files = {**image_form(), "properties": ("blob", properties, "application/json")}
    return await person.post("/ads", files=files)


@pytest.mark.heavy
async def test_an_author_of_many_ads_leaves_no_file_behind_the_sweep(api: Api) -> None:
    person = await api.person()
    first = await person.post_ad()
    name = first["image"].rpartition("/")[2]
    await api.sql(
        "INSERT INTO ads (author_id, title, description, price, image)"
        " SELECT author_id, title, description, price, md5(n::text) || '.jpg'"
        " FROM ads, generate_series(1, 1200) n RETURNING id"
    )
    assert name in api.files()
    assert await delete(person) == 204
    assert await api.sql("SELECT count(*) FROM ads") == [0]
    assert await api.sql("SELECT sum(ads) FROM ad_totals") == [0]
