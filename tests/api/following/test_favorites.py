"""Ads that accounts keep."""

from typing import Any

import pytest

from conftest import ApiFactory
from support.scene.api import Api, Person

FAVORITES = "/users/me/favorites"


async def listed(person: Person, **params: Any) -> dict[str, Any]:
    answer = await person.get(FAVORITES, params=params)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.heavy
async def test_a_favorite_s_life(api: Api) -> None:
    author, other = await api.person(), await api.person()
    first = await author.post_ad(title="Oak table", price=1500)
    second = await author.post_ad(title="Oak chair", price=200)
    assert await listed(other) == {"count": 0, "results": [], "next": None}
    for ad in (first, second, first):
        assert (await other.put(f"{FAVORITES}/{ad['pk']}")).status_code == 204
    await author.patch(f"/ads/{first['pk']}", json={"price": 900})
    found = await listed(other)
    assert found["count"] == 2
    newest, oldest = found["results"]
    assert (newest["pk"], newest["priceThen"], newest["ad"]) == (second["pk"], 200, second)
    assert (oldest["pk"], oldest["priceThen"], oldest["ad"]["price"]) == (first["pk"], 1500, 900)
    # Again, it stays what it is.
    assert (await other.put(f"{FAVORITES}/{first['pk']}")).status_code == 204
    assert await listed(other) == found
    for _ in range(2):
        assert (await other.delete(f"{FAVORITES}/{second['pk']}")).status_code == 204
    assert [kept["pk"] for kept in (await listed(other))["results"]] == [first["pk"]]
    assert (await listed(author))["count"] == 0


@pytest.mark.heavy
async def test_pages_of_favorites_follow_each_other(api: Api) -> None:
    author, other = await api.person(), await api.person()
    ads = [(await author.post_ad())["pk"] for _ in range(5)]
    for ad in ads:
        await other.put(f"{FAVORITES}/{ad}")
    seen: list[int] = []
    page = await listed(other, limit=2)
    while True:
        seen += [kept["pk"] for kept in page["results"]]
        assert page["count"] == 5
        if page["next"] is None:
            break
        page = await listed(other, limit=2, cursor=page["next"])
    assert seen == ads[::-1]
    # A cursor of another list is none of this one.
    cursor = (await listed(other, limit=1, ad=ads[:3]))["next"]
    assert (await other.get(FAVORITES, params={"cursor": cursor})).status_code == 410


@pytest.mark.heavy
async def test_favorites_among_the_ads_of_a_listing(api: Api) -> None:
    author, other = await api.person(), await api.person()
    ads = [(await author.post_ad())["pk"] for _ in range(3)]
    for ad in ads[:2]:
        await other.put(f"{FAVORITES}/{ad}")
    found = await listed(other, ad=[ads[1], ads[2], 10**15])
    assert found["count"] == 1
    assert [kept["pk"] for kept in found["results"]] == [ads[1]]
    for bad in ([0], ["x"], [1] * 101):
        answer = await other.get(FAVORITES, params={"ad": bad})
        assert answer.status_code == 400, bad
        assert answer.json()["errors"][0]["parameter"] == "ad", bad


@pytest.mark.heavy
async def test_an_ad_that_is_not_to_be_seen_cannot_be_kept(api: Api) -> None:
    author, other = await api.person(), await api.person()
    gone = {"sell": 410, "withdraw": 404}
    for step, status in gone.items():
        ad = await author.post_ad()
        await author.post(f"/ads/{ad['pk']}/{step}")
        for method in ("PUT", "DELETE"):
            answer = await other.request(method, f"{FAVORITES}/{ad['pk']}")
            details = await other.get(f"/ads/{ad['pk']}/details")
            assert answer.status_code == details.status_code == status, (step, method)
    draft = await author.post_ad(status="draft")
    for ad_id in (draft["pk"], 10**12):
        assert (await other.put(f"{FAVORITES}/{ad_id}")).status_code == 404
    assert (await other.put(f"{FAVORITES}/x")).status_code == 400
    assert await api.sql("SELECT id FROM favorites") == []


async def test_one_s_own_ad_is_no_favorite(api: Api) -> None:
    author = await api.person()
    ad = await author.post_ad()
    for method in ("PUT", "DELETE"):
        answer = await author.request(method, f"{FAVORITES}/{ad['pk']}")
        assert answer.status_code == 409
        assert answer.json()["type"].endswith("#own-ad")


@pytest.mark.heavy
async def test_a_favorite_stays_when_its_ad_goes(api: Api) -> None:
    author, other = await api.person(), await api.person()
    ads = {}
    for what in ("reserve", "sell", "withdraw", "delete", "expire", "suspend"):
        ads[what] = (await author.post_ad())["pk"]
        assert (await other.put(f"{FAVORITES}/{ads[what]}")).status_code == 204
    for step in ("reserve", "sell", "withdraw"):
        await author.post(f"/ads/{ads[step]}/{step}")
    await author.delete(f"/ads/{ads['delete']}")
    await api.sql("UPDATE ads SET expires_at = now() WHERE id = :id", id=ads["expire"])
    await api.sql("UPDATE ads SET status = 'suspended' WHERE id = :id", id=ads["suspend"])
    found = {kept["pk"]: kept["ad"] for kept in (await listed(other))["results"]}
    statuses = {what: (found[ad] or {}).get("status") for what, ad in ads.items()}
    assert statuses == {
        "reserve": "reserved", "sell": "sold", "expire": "expired",
        "withdraw": None, "delete": None, "suspend": None,
    }  # fmt: skip
    for ad in ads.values():
        assert (await other.delete(f"{FAVORITES}/{ad}")).status_code == 204
    assert await api.sql("SELECT ad_id FROM favorite_totals") == []


@pytest.mark.heavy
async def test_a_thousand_favorites_are_the_most(api: Api) -> None:
    author, other = await api.person(), await api.person()
    ad = await author.post_ad()
    await api.sql(
        "INSERT INTO favorites (user_id, ad_id, price)"  # noqa: S608
        f" VALUES {', '.join(f'({other.id}, {n}, 1)' for n in range(100_001, 101_001))}"
    )
    answer = await other.put(f"{FAVORITES}/{ad['pk']}")
    assert answer.status_code == 409
    assert answer.json()["type"].endswith("#too-many")
    await other.delete(f"{FAVORITES}/100500")
    for _ in range(2):
        assert (await other.put(f"{FAVORITES}/{ad['pk']}")).status_code == 204


@pytest.mark.heavy
async def test_favorites_count_towards_the_limit_on_changes(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", writes_per_user=2) as api:
        author, other = await api.person(), await api.person()
        ad = await author.post_ad()
        path = f"{FAVORITES}/{ad['pk']}"
        statuses = [(await other.put(path)).status_code, (await other.delete(path)).status_code]
        assert [*statuses, (await other.put(path)).status_code] == [204, 204, 429]


async def test_favorites_are_their_account_s(api: Api) -> None:
    author = await api.person()
    ad = await author.post_ad()
    for method, path in (("PUT", f"/{ad['pk']}"), ("DELETE", f"/{ad['pk']}"), ("GET", "")):
        assert (await api.client.request(method, FAVORITES + path)).status_code == 401


@pytest.mark.heavy
async def test_an_account_s_favorites_go_with_it(api: Api) -> None:
    author, other, third = await api.person(), await api.person(), await api.person()
    ads = [(await author.post_ad())["pk"] for _ in range(3)]
    for ad in ads:
        await other.put(f"{FAVORITES}/{ad}")
    await third.put(f"{FAVORITES}/{ads[0]}")
    exported = (await other.get("/users/me/export")).json()["favorites"]
    assert [kept["pk"] for kept in exported] == ads
    assert exported[0].keys() == {"pk", "addedAt", "priceThen"}
    await api.sql("DELETE FROM users WHERE id = :id", id=other.id)
    assert await api.sql("SELECT ad_id FROM favorites") == [ads[0]]
    assert await api.sql("SELECT favorites FROM favorite_totals") == [1]


@pytest.mark.parametrize("status", ["active", "sold"])
async def test_an_author_sees_how_many_keep_an_ad(api: Api, status: str) -> None:
    author, admin = await api.person(), await api.admin()
    others = [await api.person() for _ in range(2)]
    ad = await author.post_ad()
    path = f"/ads/{ad['pk']}"
    for number, other in enumerate(others, 1):
        before = await author.get(path)
        assert before.json()["favoriteCount"] == number - 1
        assert (await other.put(f"{FAVORITES}/{ad['pk']}")).status_code == 204
        after = await author.get(path)
        assert after.json()["favoriteCount"] == number
        # The count is no part of the ad's version.
        assert after.headers["etag"] == before.headers["etag"]
        assert after.json()["updatedAt"] == before.json()["updatedAt"]
    if status == "sold":
        await author.post(f"{path}/sell")
    [mine] = (await author.get("/ads/me")).json()["results"]
    assert mine["favoriteCount"] == 2
    assert mine["expiresAt"] is None
    for _ in range(2):
        assert (await admin.get(path)).json()["favoriteCount"] == 2
    for other in others if status == "active" else ():
        for _ in range(2):
            assert "favoriteCount" not in (await other.get(path)).json()
    [listed_ad] = (await api.client.get("/ads")).json()["results"] or [{}]
    assert "favoriteCount" not in listed_ad
