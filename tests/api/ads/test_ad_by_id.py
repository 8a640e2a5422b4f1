"""`GET /ads/{id}`: who sees an ad, and which members of it, cached or not."""

from typing import Any

import httpx2
import pytest

from adsvc.settings import RateLimits
from conftest import ApiFactory
from support.pictures import samples as pictures
from support.scene.api import Api, Person, image_form
from support.scene.listings import insert_ads
from support.scene.warmth import reads, rely, settle, warmed

EXACT = {"latitude": 52.5162734, "longitude": 13.3777021}
SHOWN, HIDDEN, GONE = (200, None), (404, "/problems#ad-not-found"), (410, "/problems#gone")
STATUSES = {
    "active": SHOWN, "reserved": SHOWN, "draft": HIDDEN, "withdrawn": HIDDEN, "sold": GONE,
    "expired": GONE,
}  # fmt: skip


async def set_status(api: Api, ad_id: int, status: str) -> None:
    """As another process does it: this one hears of it."""
    async with api.state.database.autocommit() as session:
        connection = await session.connection()
        await connection.exec_driver_sql(
            "UPDATE ads SET status = $1 WHERE id = $2", (status, ad_id)
        )
    await settle(api)


def said(answer: httpx2.Response) -> tuple[int, str | None]:
    return answer.status_code, answer.json().get("type")


@pytest.mark.heavy
@pytest.mark.parametrize("status", STATUSES)
async def test_the_status_of_an_ad_decides_who_sees_it(api: Api, status: str) -> None:
    author, stranger, admin = await api.person(), await api.person(), await api.admin()
    ad = await author.post_ad(location=EXACT)
    path = f"/ads/{ad['pk']}"
    # What was kept while it was shown is of no use afterwards.
    await warmed(api, path, stranger.headers)
    await warmed(api, path, author.headers)
    await warmed(api, f"{path}/details")
    await set_status(api, ad["pk"], status)
    # What its author and administrators see is not cached for others.
    for _ in range(2):
        own, seen = await author.get(path), await admin.get(path)
        assert (own.status_code, seen.status_code) == (200, 200)
        assert own.json()["location"] == EXACT
        assert seen.json()["location"] == ad["location"]
        assert said(await stranger.get(path)) == STATUSES[status]
        for who in (api.client, stranger, author, admin):
            assert said(await who.get(f"{path}/details")) == STATUSES[status]
        assert (await stranger.request("HEAD", path)).status_code == STATUSES[status][0]
        assert (await api.client.get(path)).status_code == 401
    # And back again.
    await set_status(api, ad["pk"], "active")
    assert (await stranger.get(path)).status_code == 200
    assert (await api.client.get(f"{path}/details")).status_code == 200


@pytest.mark.heavy
async def test_an_ad_that_expires_is_in_no_answer_from_that_moment_on(api: Api) -> None:
    """Whether or not anybody marks it as expired, and whatever was kept."""
    author, stranger = await api.person(), await api.person()
    path = f"/ads/{(await author.post_ad())['pk']}"
    await settle(api)
    await api.sql("UPDATE ads SET expires_at = now() + interval '1 second'")
    for _ in range(3):
        await author.get(path)
        await stranger.get(path)
        await api.client.get(f"{path}/details")
    await api.sql("SELECT 1 FROM (SELECT pg_sleep_until(max(expires_at)) FROM ads) AS slept")
    assert said(await stranger.get(path)) == GONE
    assert said(await api.client.get(f"{path}/details")) == GONE
    assert (await author.get(path)).status_code == 200


@pytest.mark.heavy
async def test_what_is_kept_of_an_ad_is_kept_until_it_expires(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    author, stranger = await api.person(), await api.person()
    path = f"/ads/{(await author.post_ad())['pk']}"
    await api.sql("UPDATE ads SET expires_at = now() + interval '1 hour'")
    asked: list[tuple[Person | httpx2.AsyncClient, str]]
    asked = [(author, path), (stranger, path), (api.client, f"{path}/details")]
    for who, where in asked:
        headers = {} if isinstance(who, httpx2.AsyncClient) else who.headers
        await warmed(api, where, headers)
    began = api.state.responses.now()
    for seconds, made_anew in ((3500, False), (3601, True)):
        # To settle would be a change, of which details are dropped.
        await rely(api)
        monkeypatch.setattr(api.state.responses, "now", lambda later=began + seconds: later)
        for who, where in asked:
            with reads(api) as counted:
                assert (await who.get(where)).status_code == 200
            assert (counted.total() > 0) == made_anew, where


@pytest.mark.heavy
async def test_details_are_what_everyone_sees(api: Api) -> None:
    author = await api.person(firstName="Anna", lastName="Berg", phone="+49 30 1234567")
    await author.patch("/users/me/image", files=image_form(pictures.jpeg()))
    profile = (await author.get("/users/me")).json()
    ad = await author.post_ad(location=EXACT, place="Berlin")
    await author.post_ad()
    [since] = await api.sql("SELECT (extract(epoch FROM created_at) * 1000)::bigint FROM users")
    cold, hot = await warmed(api, f"/ads/{ad['pk']}/details")
    assert cold.content == hot.content
    assert cold.headers["Cache-Control"] == "public, no-cache"
    details = cold.json()
    assert details["author"] == {
        "id": author.id, "firstName": "Anna", "image": profile["image"], "since": since,
        "adCount": 2, "answerMinutes": None, "answerRate": None, "rating": None,
    }  # fmt: skip
    extended = (await (await api.person()).get(f"/ads/{ad['pk']}")).json()
    contact = {"author", "authorFirstName", "authorLastName", "email", "phone", "externalId"}
    assert details.keys() == extended.keys() - contact | {"author"}
    for name in extended.keys() - contact:
        assert details[name] == extended[name], name
    for secret in ("Berg", "1234567", author.username):
        assert secret not in cold.text
    again = await api.client.get(
        f"/ads/{ad['pk']}/details", headers={"If-None-Match": cold.headers["ETag"]}
    )
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.heavy
async def test_details_change_with_everything_they_contain(api: Api) -> None:
    author = await api.person(firstName="Anna")
    ad = await author.post_ad()
    path = f"/ads/{ad['pk']}/details"

    async def details() -> dict[str, Any]:
        """From memory, which is as new as the database."""
        _, hot = await warmed(api, path)
        record: dict[str, Any] = hot.json()
        return record

    before = await details()
    assert (before["author"]["image"], before["author"]["adCount"]) == (None, 1)
    await author.patch("/users/me", json={"firstName": "Hanna"})
    assert (await details())["author"]["firstName"] == "Hanna"
    await author.patch("/users/me/image", files=image_form())
    assert (await details())["author"]["image"]
    await author.patch(f"/ads/{ad['pk']}", json={"price": 3})
    assert (await details())["price"] == 3
    await author.patch(f"/ads/{ad['pk']}/image", files=image_form())
    assert (await details())["image"] != before["image"]
    other = await author.post_ad()
    assert (await details())["author"]["adCount"] == 2
    await author.delete(f"/ads/{other['pk']}")
    assert (await details())["author"]["adCount"] == 1
    # By another process, of which this one hears.
    async with api.state.database.autocommit() as session:
        connection = await session.connection()
        await connection.exec_driver_sql("UPDATE users SET first_name = 'Johanna'")
        await connection.exec_driver_sql(
            "INSERT INTO ads (author_id, title, description, price, image)"
            " SELECT author_id, 'Oak', 'An oak.', 1, 'x.jpg' FROM ads"
        )
    told = (await details())["author"]
    assert (told["firstName"], told["adCount"]) == ("Johanna", 2)
    await author.delete(f"/ads/{ad['pk']}")
    assert said(await api.client.get(path)) == HIDDEN


@pytest.mark.heavy
async def test_only_contacts_that_are_shown_count(start_api: ApiFactory) -> None:
    async with start_api(rate_limits=RateLimits.ON, ad_reads_per_user=1) as api:
        author, stranger = await api.person(), await api.person()
        titles = [{"title": f"Oak chair {n}"} for n in range(4)]
        draft, sold, shown, other = await insert_ads(api, author.id, titles)
        await set_status(api, draft, "draft")
        await set_status(api, sold, "sold")
        for ad_id, status in ((draft, 404), (sold, 410), (shown, 200), (other, 429), (shown, 200)):
            assert (await stranger.get(f"/ads/{ad_id}")).status_code == status
        for ad_id in (shown, other):
            assert (await stranger.get(f"/ads/{ad_id}/details")).status_code == 200
        assert (await author.get(f"/ads/{draft}")).status_code == 200


async def test_no_spelling_of_a_path_finds_another_s_form(api: Api) -> None:
    author, stranger = await api.person(), await api.person()
    path = f"/ads/{(await author.post_ad(location=EXACT))['pk']}"
    await warmed(api, path, author.headers)
    await warmed(api, f"{path}/details")
    for spelled, status in (
        ("/ads/01/details", 400), ("/ads/+1/details", 400), ("/ads/1/details/", 404),
        ("/ads//details", 404), ("/ads/me/details", 404), ("/ads/facets/details", 404),
        ("/ads/1/own", 404), ("/ads/1/details/details", 404), ("/ads/details", 400),
        ("/ads/99/details", 404), (f"/ads/{2**63}/details", 400), ("/ads/1%2Fdetails", 200),
    ):  # fmt: skip
        answer = await stranger.get(spelled)
        assert answer.status_code == status, spelled
        assert str(EXACT["latitude"]) not in answer.text
