"""The centre of notifications, and preferences."""

from typing import Any

import pytest

from conftest import ApiFactory
from support.scene.api import Api, Person

NOTIFICATIONS, PREFERENCES = "/users/me/notifications", "/users/me/preferences"
BOTH = {"site": True, "mail": True, "push": False}
SITE = {"site": True, "mail": False, "push": False}
USUAL = {
    "searchMatched": BOTH, "priceDropped": BOTH, "favoriteReserved": SITE, "favoriteSold": SITE,
    "favoriteBack": SITE, "favoriteEnding": SITE, "message": {**BOTH, "text": True}, "offer": BOTH,
    "decision": BOTH, "comment": BOTH, "adEnding": BOTH, "adEnded": BOTH,
    "rating": BOTH, "ratingReminder": BOTH,
}  # fmt: skip


async def notify(api: Api, person: Person, type_: str, **columns: Any) -> int:
    names = "".join(f", {name}" for name in columns)
    values = "".join(f", {value}" for value in columns.values())
    await api.sql(
        f"INSERT INTO notifications (user_id, type{names}) VALUES ({person.id}, '{type_}'{values})"  # noqa: S608
    )
    return int((await api.sql("SELECT max(id) FROM notifications"))[0])


async def listed(person: Person, **params: Any) -> dict[str, Any]:
    answer = await person.get(NOTIFICATIONS, params=params)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.heavy
async def test_notifications_are_listed_and_read(api: Api) -> None:
    author, other = await api.person(), await api.person()
    ad = await author.post_ad(price=900)
    assert await listed(other) == {"unread": 0, "results": [], "next": None}
    data = """'{"from": 1500, "to": 900}'"""
    ids = [
        await notify(api, other, "priceDropped", ad_id=ad["pk"], data=data),
        await notify(api, other, "decision", decision_id=7),
        await notify(api, other, "offer", conversation_id=8, ad_id=ad["pk"]),
        await notify(
            api, other, "searchMatched", search_id=3,
            data=f"""'{{"name": "Oak", "count": 40, "ads": [{ad["pk"]}, 9999]}}'""",
        ),
    ]  # fmt: skip
    await notify(api, author, "favoriteSold")
    found = await listed(other)
    assert found["unread"] == 4
    assert [one["id"] for one in found["results"]] == ids[::-1]
    matched, offer, decision, dropped = found["results"]
    assert (matched["count"], matched["ads"]) == (40, [ad])
    assert matched["search"] == {"id": 3, "name": "Oak"}
    assert (offer["conversation"], offer["ad"]) == (8, ad)
    assert (decision["decision"], decision["ad"], decision["read"]) == (7, None, False)
    assert dropped["price"] == {"before": 1500, "after": 900}

    assert (await other.post(f"{NOTIFICATIONS}/read", json={"upTo": ids[1]})).status_code == 204
    found = await listed(other)
    assert [one["read"] for one in found["results"]] == [False, False, True, True]
    assert found["unread"] == 2
    unread = await listed(other, unread="true", limit=1)
    assert [one["id"] for one in unread["results"]] == [ids[3]]
    more = await listed(other, unread="true", limit=1, cursor=unread["next"])
    assert ([one["id"] for one in more["results"]], more["next"]) == ([ids[2]], None)
    # Another account's are not touched.
    assert (await other.post(f"{NOTIFICATIONS}/read", json={"upTo": 10**15})).status_code == 204
    assert (await listed(author))["unread"] == 1


async def test_an_ad_that_is_gone_is_not_in_a_notification(api: Api) -> None:
    author, other = await api.person(), await api.person()
    ad = await author.post_ad()
    await notify(api, other, "favoriteSold", ad_id=ad["pk"])
    await author.post(f"/ads/{ad['pk']}/sell")
    assert (await listed(other))["results"][0]["ad"]["status"] == "sold"
    await author.delete(f"/ads/{ad['pk']}")
    assert (await listed(other))["results"][0]["ad"] is None


async def test_bad_requests_about_notifications_are_refused(api: Api) -> None:
    person = await api.person()
    for bad in ({"upTo": 0}, {"upTo": "3"}, {"upTo": 2**63}, {}, {"upTo": None}):
        assert (await person.post(f"{NOTIFICATIONS}/read", json=bad)).status_code == 400, bad
    for params in ({"unread": "maybe"}, {"limit": "0"}, {"cursor": "x"}):
        assert (await person.get(NOTIFICATIONS, params=params)).status_code == 400, params
    for method, path in (
        ("GET", NOTIFICATIONS), ("POST", f"{NOTIFICATIONS}/read"), ("GET", PREFERENCES),
        ("PATCH", PREFERENCES),
    ):  # fmt: skip
        assert (await api.client.request(method, path)).status_code == 401


@pytest.mark.heavy
async def test_preferences_are_merged(api: Api) -> None:
    person, other = await api.person(), await api.person()
    assert (await person.get(PREFERENCES)).json() == USUAL
    answer = await person.patch(
        PREFERENCES, json={"message": {"mail": False}, "favoriteSold": {"push": True}}
    )
    changed = {
        **USUAL, "message": {**BOTH, "mail": False, "text": True},
        "favoriteSold": {**SITE, "push": True},
    }  # fmt: skip
    assert (answer.status_code, answer.json()) == (200, changed)
    await person.patch(PREFERENCES, json={"message": {"push": True, "mail": True}})
    changed["message"] = {"site": True, "mail": True, "push": True, "text": True}
    assert (await person.get(PREFERENCES)).json() == changed
    assert (await person.get("/users/me/export")).json()["preferences"] == changed
    assert (await other.get(PREFERENCES)).json() == USUAL
    bad: list[tuple[Any, str]] = [
        ({}, ""), ({"message": {}}, "/message"), ({"message": None}, "/message"),
        ({"message": {"mail": None}}, "/message/mail"),
        ({"message": {"mail": "no"}}, "/message/mail"),
        ({"message": []}, "/message"),
    ]  # fmt: skip
    for sent, pointer in bad:
        answer = await person.patch(PREFERENCES, json=sent)
        assert answer.status_code == 400, sent
        assert answer.json()["errors"][0]["pointer"] == pointer, sent
    assert (await person.get(PREFERENCES)).json() == changed


@pytest.mark.heavy
async def test_changes_of_preferences_are_limited(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", writes_per_user=2) as api:
        person = await api.person()
        for path, method, body in (
            (PREFERENCES, "PATCH", {"message": {"mail": False}}),
            (f"{NOTIFICATIONS}/read", "POST", {"upTo": 1}),
        ):
            assert (await person.request(method, path, json=body)).status_code < 300
        assert (await person.post(f"{NOTIFICATIONS}/read", json={"upTo": 1})).status_code == 429
        assert (await person.patch(PREFERENCES, json={"offer": {"mail": True}})).status_code == 429
