"""Views of an ad, and what else its author sees of its success."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest

from adsvc.repositories import views as view_rows
from adsvc.services.views import MOST_OF_NETWORK, Views
from conftest import ApiFactory
from support.running.in_process import HERE
from support.scene.api import Api, Person
from support.scene.talk import write

BROWSER = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
OTHER = {"User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Safari/604.1"}
CRAWLER = {"User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"}
PREFETCH = {**OTHER, "Sec-Purpose": "prefetch;prerender"}


@pytest.fixture
async def api(start_api: ApiFactory) -> AsyncIterator[Api]:
    """A process of its own remembers no views of other tests."""
    async with start_api(jobs="off") as started:
        yield started


async def stats(api: Api, person: Person, ad_id: int) -> dict[str, Any]:
    """Of all views so far."""
    await api.app.state.views.write(api.state.database)
    answer = await person.get(f"/ads/{ad_id}/stats")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.heavy
async def test_a_visitor_counts_once_a_day_and_neither_the_author_nor_a_crawler(api: Api) -> None:
    author, reader = await api.person(), await api.person()
    ad_id = (await author.post_ad())["pk"]
    path = f"/ads/{ad_id}"
    details = f"{path}/details"
    # The second one is from the cache, the third one is not sent again.
    for _ in range(2):
        seen = await api.client.get(details, headers=BROWSER)
    again = {**BROWSER, "If-None-Match": seen.headers["etag"]}
    assert (await api.client.get(details, headers=again)).status_code == 304
    for headers in (CRAWLER, PREFETCH, {}, {"User-Agent": "curl/8.14"}):
        assert (await api.client.get(details, headers=headers)).status_code == 200
    assert (await api.client.head(details, headers=OTHER)).status_code == 200
    assert (await stats(api, author, ad_id))["views"] == 1
    # A page of an account reads both.
    for person in (reader, author):
        await api.client.get(details, headers=OTHER)
        assert (await person.get(path, headers=OTHER)).status_code == 200
    found = await stats(api, author, ad_id)
    assert found["views"] == 2
    today = datetime.now(UTC).date().isoformat()
    assert (len(found["days"]), found["days"][-1]) == (30, {"date": today, "views": 2})
    # From elsewhere an account is still the same visitor.
    await api.at("203.0.113.9").get(path, headers={**reader.headers, **BROWSER})
    assert (await stats(api, author, ad_id))["views"] == 2
    # Another process sees the same visitor.
    other = Views(api.state.settings)
    other.note({b"user-agent": BROWSER["User-Agent"].encode()}, HERE, ad_id, reader.id)
    await other.write(api.state.database)
    assert (await stats(api, author, ad_id))["views"] == 1


@pytest.mark.heavy
async def test_a_network_is_few_visitors_whatever_it_calls_its_browsers(api: Api) -> None:
    author = await api.person()
    ad_id = (await author.post_ad())["pk"]
    views: Views = api.app.state.views
    for number in range(150):
        # What differs only behind the beginning is the same browser.
        for end in (b"a", b"b"):
            agent = b"Mozilla/5.0 %d " % number + b"x" * 10_000 + end
            views.note({b"user-agent": agent}, f"2001:db8::{number:x}", ad_id, None)
    views.note({b"user-agent": b"Mozilla/5.0"}, "2001:db8:0:1::1", ad_id, None)
    assert (await stats(api, author, ad_id))["views"] == MOST_OF_NETWORK + 1


@pytest.mark.heavy
async def test_stats_are_for_the_author_and_administrators(api: Api) -> None:
    author, buyer, admin = await api.person(), await api.person(), await api.admin()
    ad_id = (await author.post_ad(title="Oak table", price=50))["pk"]
    path = f"/ads/{ad_id}/stats"
    assert (await buyer.get(path)).status_code == 403
    assert (await api.client.get(path)).status_code == 401
    assert (await admin.get("/ads/987654/stats")).status_code == 404
    await buyer.put(f"/users/me/favorites/{ad_id}")
    await write(buyer, f"/ads/{ad_id}")
    for person in (author, admin):
        found = await stats(api, person, ad_id)
        assert (found["saves"], found["conversations"]) == (1, 1)
        assert found["similarPrice"] is None


@pytest.mark.heavy
async def test_from_five_similar_ads_on_there_is_a_price_guide(api: Api) -> None:
    author, admin = await api.person(), await api.admin()
    definition = {"name": "Tables"}
    assert (await admin.put("/categories/tables", json=definition)).status_code in {200, 201}
    mine = (await author.post_ad(title="Oak table", price=50, category="tables"))["pk"]
    for price in (10, 20, 30, 40):
        await author.post_ad(title="Small table", price=price, category="tables")
    await author.post_ad(title="Lamp", price=1, category="tables")
    await author.post_ad(title="Round table", price=1, priceType="onRequest", category="tables")
    assert (await stats(api, author, mine))["similarPrice"] is None
    sold = (await author.post_ad(title="Long table", price=100, category="tables"))["pk"]
    await author.post(f"/ads/{sold}/sell")
    assert (await stats(api, author, mine))["similarPrice"] == {
        "low": 20, "median": 30, "high": 40, "count": 5
    }  # fmt: skip
    await api.sql("UPDATE ads SET sold_at = now() - interval '91 days' WHERE id = :id", id=sold)
    assert (await stats(api, author, mine))["similarPrice"] is None


@pytest.mark.heavy
async def test_visitors_are_forgotten_and_a_hundred_thousand_views_are_few_rows(api: Api) -> None:
    author = await api.person()
    ads = [(await author.post_ad())["pk"] for _ in range(3)]
    views, headers = Views(api.state.settings), {b"user-agent": BROWSER["User-Agent"].encode()}
    for number in range(100_000):
        address = f"10.{number // 3 % 4}.{number // 12 % 100}.1"
        views.note(headers, address, ads[number % 3], None)
    await views.write(api.state.database)
    assert await api.sql("SELECT count(*) FROM ad_views") == [3]
    assert (await stats(api, author, ads[0]))["views"] == 400
    for days in (1, 40):
        await api.sql(f"UPDATE ad_views SET day = day - {days}")  # noqa: S608 - a number
        while await view_rows.forget_visitors(api.state.database.writer):
            pass
        assert await api.sql("SELECT DISTINCT cardinality(visitors) FROM ad_views") == [0]
        found = await stats(api, author, ads[0])
        assert (found["views"], sum(day["views"] for day in found["days"])) == (
            400, 400 if days == 1 else 0
        )  # fmt: skip
