"""Walking through all pages while ads come and go."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, product
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import ApiFactory
from support.scene.api import Api, Person
from support.scene.listings import analyze, delete_ads, insert_ads, listed

Query = dict[str, str | int]

SORTS = ("-created", "created", "price", "-price")
OAK: Query = {"q": "oak"}
QUERIES: dict[str, Query] = {
    "newest": {},
    "oldest": {"sort": "created"},
    "cheapest": {"sort": "price"},
    "dearest": {"sort": "-price"},
    "relevant": {"q": "oak"},
    "relevant beginnings": {"q": "ta"},
    "relevant cheapest": {"q": "oak", "sort": "price"},
    "relevant newest": {"q": "oak", "sort": "-created"},
    "within a time": {"createdAfter": 1, "sort": "created"},
    "within a time, relevant": {"createdAfter": 1, "q": "oak"},
    "within a price, newest": {"minPrice": 2},
}


@dataclass(frozen=True)
class Meanwhile:
    """What happens between two pages: ads go, by their place among all, and others come."""

    gone: Sequence[int]
    come: Sequence[dict[str, Any]]


# Few prices, moments and words, so that many ads are alike.
advertisement = st.fixed_dictionaries(
    {
        "title": st.sampled_from(("Oak table", "Red lamp", "Lamp")),
        "description": st.sampled_from(("Solid oak, for a table.", "Nothing to do with it.")),
        "price": st.integers(1, 4),
        "created": st.integers(1, 3).map(lambda day: day * 86_400_000),
    }
)
meanwhile = st.builds(
    Meanwhile,
    gone=st.lists(st.integers(0, 99), max_size=3),
    come=st.lists(advertisement, max_size=3),
)


def matches(ad: dict[str, Any], query: Query) -> bool:
    text = f"{ad['title']} {ad['description']}"
    wanted = {"oak": "oak", "ta": "table"}.get(str(query.get("q")), "")
    return wanted in text.lower() and ad["price"] >= int(query.get("minPrice", 0))


@dataclass
class Market:
    """All ads that are there, by id, and those of them that were there all the time."""

    api: Api
    author: int
    there: dict[int, dict[str, Any]] = field(default_factory=dict)
    stable: set[int] = field(default_factory=set)

    async def add(self, ads: Sequence[dict[str, Any]]) -> None:
        ids = await insert_ads(self.api, self.author, ads)
        self.there.update(zip(ids, ads, strict=True))

    async def happen(self, events: Meanwhile) -> None:
        ids = sorted(self.there)
        gone = {ids[place % len(ids)] for place in events.gone} if ids else set()
        # At the same time, as strangers do it.
        await asyncio.gather(delete_ads(self.api, sorted(gone)), self.add(events.come))
        for ad_id in gone:
            del self.there[ad_id]
        self.stable -= gone


def in_order(query: Query, ads: list[dict[str, Any]]) -> bool:
    """Within a page or across pages; the title shows how relevant an ad is."""
    sort = query.get("sort", "relevance" if "q" in query else "-created")

    def key(ad: dict[str, Any]) -> tuple[Any, ...]:
        moment = ad["createdAt"] if "createdAfter" in query else 0
        keys = {
            "price": (ad["price"], ad["pk"]),
            "-price": (-ad["price"], -ad["pk"]),
            "created": (moment, ad["pk"]),
            "-created": (-moment, -ad["pk"]),
            "relevance": ("Oak" not in ad["title"], -moment, -ad["pk"]),
        }
        return keys[str(sort)]

    return all(key(one) < key(other) for one, other in pairwise(ads))


async def walk(
    api: Api, person: Person, query: Query, plan: list[tuple[int, Meanwhile]],
    first: list[dict[str, Any]],
) -> None:  # fmt: skip
    market = Market(api, person.id)
    await market.add(first)
    market.stable = {ad_id for ad_id, ad in market.there.items() if matches(ad, query)}
    pages: list[list[dict[str, Any]]] = []
    cursor: dict[str, str] = {}
    while True:
        limit, events = plan[len(pages) % len(plan)]
        page = await listed(api.client, **query, **cursor, limit=limit)
        expected = sum(matches(ad, query) for ad in market.there.values())
        assert (page["count"], page["countExact"]) == (expected, True)
        pages.append(page["results"])
        if page["next"] is None:
            break
        assert len(page["results"]) == limit
        cursor = {"cursor": page["next"]}
        # Newcomers at the far end could make the walk endless.
        if len(pages) < 40:
            await market.happen(events)
    met = list(chain.from_iterable(pages))
    ids = [ad["pk"] for ad in met]
    assert len(ids) == len(set(ids))
    assert market.stable <= set(ids)
    assert in_order(query, met)


@pytest.mark.heavy
@pytest.mark.parametrize("name", QUERIES)
async def test_every_ad_that_stays_is_met_exactly_once(api: Api, name: str) -> None:
    person = await api.person()
    loop = asyncio.get_running_loop()

    # Hypothesis calls functions that are not coroutines, so they run in a thread of their own.
    @settings(
        max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    @given(
        first=st.lists(advertisement, max_size=25),
        plan=st.lists(st.tuples(st.integers(1, 9), meanwhile), min_size=1, max_size=6),
    )
    def check(first: list[dict[str, Any]], plan: list[tuple[int, Meanwhile]]) -> None:
        async def once() -> None:
            try:
                await walk(api, person, QUERIES[name], plan, first)
            finally:
                await api.sql("DELETE FROM ads")

        asyncio.run_coroutine_threadsafe(once(), loop).result()

    await asyncio.to_thread(check)


@pytest.mark.long
@pytest.mark.heavy
@pytest.mark.parametrize(
    ("examined", "entries"),
    [pytest.param(3, 0, marks=pytest.mark.large), (3, 1000), (45, 0), (45, 1000)],
)
async def test_a_search_that_may_look_at_little_is_walked_through(
    api: Api, monkeypatch: pytest.MonkeyPatch, examined: int, entries: int
) -> None:
    """By pages from the next ads in order, from the word index and the filter's, and in part."""
    for module in ("statements", "repository"):
        monkeypatch.setattr(f"adsvc.repositories.ads.search.{module}.EXAMINED", examined)
    for module in ("planner", "repository"):
        monkeypatch.setattr(f"adsvc.repositories.ads.search.{module}.ENTRIES", entries)
    person = await api.person()
    rows = [
        {
            "title": "Oak table" if number % 10 == 0 or 30 < number < 60 else "Red lamp",
            "description": "Of oak." if number % 7 == 0 else "Of no wood.",
            "price": number % 5,
        }
        for number in range(100)
    ]
    ids = await insert_ads(api, person.id, rows)
    # So that the words are known to be common.
    await analyze(api)
    texts = [f"{row['title']} {row['description']}".lower() for row in rows]
    wanted: dict[str, tuple[Query, list[bool]]] = {
        "common": (OAK, ["oak" in text for text in texts]),
        "excluded": ({"q": "-oak"}, ["oak" not in text for text in texts]),
        "either": (
            {"q": "table -red or zebra "},
            ["table" in text and "red" not in text for text in texts],
        ),
        "filtered": (
            {"q": "oak", "minPrice": 3},
            ["oak" in text and number % 5 > 2 for number, text in enumerate(texts)],
        ),
    }  # fmt: skip
    for query, fits in wanted.values():
        for sort, limit in product(("-created", "price", "relevance"), (7, 50)):
            found, page = await walked(api.client, query | {"sort": sort, "limit": limit})
            assert sorted(found) == [pk for pk, fit in zip(ids, fits, strict=True) if fit]
            assert not page["countExact"] or page["count"] == len(found)


@pytest.mark.heavy
@pytest.mark.parametrize("query", ["-scratch", "-scratch des", "desk"])
async def test_a_scan_in_steps_meets_each_match_once(
    api: Api, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    """Also the last ones, fewer than a step reads, and those without the word in their titles."""
    bounds = {"statements.EXAMINED": 20, "repository.EXAMINED": 20, "repository.GENEROSITY": 1}
    for name, value in (bounds | {"repository.FEWEST": 2}).items():
        monkeypatch.setattr(f"adsvc.repositories.ads.search.{name}", value)
    rows = [
        {"title": f"{'Desk' if n % 2 else 'Lamp'} {n}", "description": "Fits a desk."}
        for n in range(30)
    ]
    ids = await insert_ads(api, (await api.person()).id, rows)
    await analyze(api)
    for sort in ("-created", "relevance"):
        found, page = await walked(api.client, {"q": query, "sort": sort, "limit": 7})
        assert sorted(found) == ids, sort
        assert page["count"] == len(ids), sort


async def walked(client: httpx2.AsyncClient, query: Query) -> tuple[list[int], dict[str, Any]]:
    """All ads met, and the last page. No page's count is lower than the number met so far."""
    met: list[int] = []
    cursor: dict[str, str] = {}
    while True:
        page = await listed(client, **query, **cursor)
        met += [ad["pk"] for ad in page["results"]]
        assert page["count"] >= len(met)
        if page["next"] is None:
            return met, page
        cursor = {"cursor": page["next"]}


@pytest.mark.heavy
async def test_a_cursor_survives_a_restart_and_says_nothing(start_api: ApiFactory) -> None:
    query: Query = {"q": "oak or secret", "sort": "price"}
    async with start_api() as api:
        author = await api.person()
        rows = [{"title": f"Oak chair {number}", "price": number % 3} for number in range(5)]
        await insert_ads(api, author.id, rows)
        first = await listed(api.client, **query, limit=2)
    async with start_api() as api:
        rest = await listed(api.client, **query, cursor=first["next"])
    met = [*first["results"], *rest["results"]]
    assert len({ad["pk"] for ad in met}) == 5
    assert in_order(query, met)
    assert "secret" not in first["next"]
    assert len(first["next"]) < 100
