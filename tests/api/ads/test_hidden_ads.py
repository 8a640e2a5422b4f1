"""Every reason to hide an ad, at every place that shows ads, after each place has shown it once."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from adsvc.enums import AdvisoryLock
from adsvc.settings import Storefront
from conftest import ApiFactory
from support.scene.api import Api, Person
from support.scene.categories import plant
from support.scene.listings import listed
from support.scene.moderation import TERMS, decide, moderator, only_case, reported
from support.scene.storefront import build
from support.scene.warmth import settle

HERE = {"latitude": 52.5162734, "longitude": 13.3777021}
NEAR: dict[str, Any] = {"near": "52.5162,13.3777", "radius": 5000}
TREE: dict[str, dict[str, Any]] = {
    "vehicles": {"name": "Vehicles"},
    "cars": {"name": "Cars", "parent": "vehicles"},
    "vans": {"name": "Vans", "parent": "cars"},
}
AD: dict[str, Any] = {"title": "Hidden oak", "category": "vans", "location": HERE}
MARKING = text(f"SELECT pg_advisory_xact_lock({AdvisoryLock.EXPIRY})")
LATE = "UPDATE ads SET expires_at = now() - interval '1 second' WHERE id = :id"

# How an ad of that author comes to be hidden, by the path of the ad.
Hide = Callable[[Api, Person, int], Awaitable[None]]


def step(name: str) -> Hide:
    async def hide(_: Api, author: Person, ad: int) -> None:
        answer = await author.post(f"/ads/{ad}/{name}")
        assert answer.status_code == 200, answer.text

    return hide


def decision(action: str) -> Hide:
    async def hide(api: Api, _: Person, ad: int) -> None:
        judge = await moderator(api)
        await reported(api, f"/ads/{ad}")
        await decide(judge, (await only_case(judge))["id"], action)

    return hide


async def expire(api: Api, _: Person, ad: int) -> None:
    await api.sql(LATE, id=ad)


async def mark_expired(api: Api, _: Person, ad: int) -> None:
    await api.sql("UPDATE ads SET status = 'expired', expires_at = now() WHERE id = :id", id=ad)


async def suspend_author(api: Api, author: Person, _: int) -> None:
    admin = await api.admin()
    answer = await admin.post(f"/users/{author.id}/suspend", json={**TERMS, "days": 3})
    assert answer.status_code == 200, answer.text


async def report_often(api: Api, _: Person, ad: int) -> None:
    await reported(api, f"/ads/{ad}")
    assert (await api.client.get(f"/ads/{ad}/details")).status_code == 200
    await reported(api, f"/ads/{ad}")


async def delete(_: Api, author: Person, ad: int) -> None:
    assert (await author.delete(f"/ads/{ad}")).status_code == 204


REASONS: dict[str, Hide] = {
    "withdrawn": step("withdraw"),
    "sold": step("sell"),
    "expired": expire,
    "marked as expired": mark_expired,
    "suspended": decision("suspendAd"),
    "removed": decision("removeAd"),
    "author suspended": suspend_author,
    "deleted": delete,
}


def within(category: str | None) -> dict[str, Any]:
    return NEAR if category is None else {**NEAR, "category": category}


def queries(author: int) -> dict[str, dict[str, Any]]:
    return {
        "list": {},
        "by author": {"author": author},
        "search": {"q": "oak"},
        "near": NEAR,
        "by distance": {**NEAR, "sort": "distance"},
        "by price": {"maxPrice": 9999, "sort": "price"},
        "category": {"category": "vehicles"},
    }


async def places(api: Api, reader: Person, author: int, ad: int) -> dict[str, Any]:
    """What each place shows of the ad, and the number of ads there."""
    get = api.client.get
    found: dict[str, Any] = {}
    for name, query in queries(author).items():
        page = await listed(api.client, **query)
        found[name] = [one["pk"] for one in page["results"]]
        if name != "by author":
            found[f"count of {name}"] = page["count"]
    found["facets"] = {
        one["slug"]: one["count"]
        for category in (None, "vehicles", "cars")
        for one in (await listed(api.client, "/ads/facets", **within(category)))["categories"]
    }
    tree = (await get("/categories")).json()["results"]
    found["category counts"] = {one["slug"]: one["count"] for one in tree}
    for name, who in (("details", api.client), ("comments", reader), ("ad", reader)):
        path = {"ad": f"/ads/{ad}"}.get(name, f"/ads/{ad}/{name}")
        found[name] = (await who.get(path)).status_code == 200
    found["feed"] = "Hidden oak" in (await get("/ads.atom")).text
    sitemap = await get("/sitemaps/ads-0.xml")
    found["sitemap"] = re.findall(r"<loc>[^<]*/a/(\d+)[^<]*</loc>", sitemap.text)
    shown = await api.client.get(f"/a/{ad}", follow_redirects=True)
    found["page"] = (shown.status_code, "Hidden oak" in shown.text)
    views = ("/", "/search", "/search?q=hidden", "/c/vehicles")
    found["first views"] = ["Hidden oak" in (await get(path)).text for path in views]
    return found


async def ad_count(api: Api, ad: int) -> int:
    """How many ads the author has, as shown beside another ad of theirs."""
    details = (await api.client.get(f"/ads/{ad}/details")).json()
    count: int = details["author"]["adCount"]
    return count


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.heavy
async def test_what_is_hidden_is_hidden_everywhere(api: Api, reason: str) -> None:
    await require_hidden(api, reason, REASONS[reason])


@pytest.mark.guard
async def test_what_reports_hide_is_hidden_everywhere(
    start_api: ApiFactory, tmp_path: Path
) -> None:
    pages = build(tmp_path / "web")
    async with start_api(reports_to_hide=2, storefront=Storefront.ON, storefront_dir=pages) as api:
        await require_hidden(api, "reports", report_often)


async def require_hidden(api: Api, reason: str, hide: Hide) -> None:
    await plant(api, **TREE)
    author, other, reader = [await api.person() for _ in range(3)]
    ad, beside = (await author.post_ad(**AD))["pk"], (await author.post_ad(title="Other"))["pk"]
    kept = (await other.post_ad(**{**AD, "title": "Kept oak"}))["pk"]
    await settle(api)
    for _ in range(2):
        before = await places(api, reader, author.id, ad)
    assert await ad_count(api, beside) == 2
    assert (before["count of list"], before["count of near"]) == (3, 2)
    assert before["facets"] == before["category counts"] == {"vehicles": 2, "cars": 2, "vans": 2}
    assert before["sitemap"] == [str(ad), str(beside), str(kept)]
    assert before["page"] == (200, True)
    assert all(before["first views"])
    assert before["details"] is before["ad"] is before["comments"] is before["feed"] is True

    # So that what is expired is not marked as such meanwhile.
    async with api.state.database.transaction() as transaction:
        await transaction.execute(MARKING)
        await hide(api, author, ad)
        await settle(api)
        for _ in range(2):
            after = await places(api, reader, author.id, ad)
            _assert_hidden(after, ad, beside, kept, reason)
        if reason not in {"expired", "author suspended"}:
            assert await ad_count(api, beside) == 1


def _assert_hidden(after: dict[str, Any], ad: int, beside: int, kept: int, reason: str) -> None:
    others = [] if reason == "author suspended" else [beside]
    assert after["list"] == [kept, *others]
    assert after["by author"] == others
    for name in ("search", "near", "by distance", "by price", "category"):
        assert ad not in after[name], name
        assert kept in after[name], name
    for name in ("details", "ad", "comments", "feed"):
        assert after[name] is False, name
    assert after["sitemap"] == [str(one) for one in (*others, kept)]
    assert not any(after["first views"])
    status, is_named = after["page"]
    assert status in {404, 410}
    assert not is_named
    assert after["facets"] == {"vehicles": 1, "cars": 1, "vans": 1}
    # Totals follow when what has expired is marked.
    if reason != "expired":
        assert after["category counts"] == {"vehicles": 1, "cars": 1, "vans": 1}
        assert after["count of list"] == 1 + len(others)
        assert after["count of near"] == after["count of category"] == 1


@pytest.mark.guard
async def test_a_draft_is_shown_nowhere(api: Api) -> None:
    await plant(api, **TREE)
    author, other, reader = [await api.person() for _ in range(3)]
    kept = (await other.post_ad(**{**AD, "title": "Kept oak"}))["pk"]
    beside = (await author.post_ad(title="Other"))["pk"]
    await settle(api)
    for _ in range(2):
        await places(api, reader, author.id, beside)
    draft = (await author.post_ad(**AD, status="draft"))["pk"]
    await settle(api)
    for _ in range(2):
        after = await places(api, reader, author.id, draft)
        assert after["list"] == [beside, kept]
        after["list"] = [kept, beside]
        after["sitemap"] = sorted(after["sitemap"], key=lambda one: int(one) != beside)
        _assert_hidden(after, draft, beside, kept, "draft")
    assert await ad_count(api, beside) == 1
