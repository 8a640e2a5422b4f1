"""Filters and orders, alone and together, compared with results computed here."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations, pairwise, product
from random import Random
from typing import Any

import httpx2
import pytest

from conftest import SEARCH_URL, ApiFactory
from support.scene.api import Api
from support.scene.listings import faulty_parameters, ids_of, insert_ads, listed

# 2026-03-01T00:00Z, from where on three ads at once appear every five days.
FIRST = 1_772_323_200_000
DAY = 86_400_000
SORTS = ("-created", "created", "price", "-price")


@dataclass(frozen=True)
class Ad:
    id: int
    author: int
    title: str
    price: int
    created: int


async def make_ads(api: Api, count: int = 40) -> list[Ad]:
    """Of three authors, with many prices and moments twice; later ids are never older."""
    random = Random(count)
    authors = [(await api.person()).id for _ in range(3)]
    rows: list[dict[str, Any]] = [
        {
            "author": random.choice(authors),
            "title": f"{random.choice(('Oak table', 'Red lamp', 'Old desk'))} {number}",
            "price": random.choice((0, 1, 99, 100, 101, 500, 500, 2_147_483_647)),
            "created": FIRST + number // 3 * 5 * DAY,
        }
        for number in range(count)
    ]
    ids = await insert_ads(api, 0, rows)
    return [Ad(ad_id, **row) for ad_id, row in zip(ids, rows, strict=True)]


def in_order(ads: list[Ad], sort: str) -> list[int]:
    keys: dict[str, Callable[[Ad], Any]] = {
        "-created": lambda ad: -ad.id,
        "created": lambda ad: ad.id,
        "price": lambda ad: (ad.price, ad.id),
        "-price": lambda ad: (-ad.price, -ad.id),
        "relevance": lambda ad: -ad.id,
    }
    return [ad.id for ad in sorted(ads, key=keys[sort])]


def conditions(ads: list[Ad]) -> dict[str, tuple[str | int, Callable[[Ad], bool]]]:
    author, middle = ads[0].author, FIRST + 25 * DAY
    return {
        "q": ("table", lambda ad: "table" in ad.title),
        "minPrice": (100, lambda ad: ad.price >= 100),
        "maxPrice": (500, lambda ad: ad.price <= 500),
        "author": (author, lambda ad: ad.author == author),
        "createdAfter": (middle, lambda ad: ad.created > middle),
        "createdBefore": (FIRST + 45 * DAY, lambda ad: ad.created < FIRST + 45 * DAY),
    }


@pytest.mark.heavy
async def test_every_filter_alone_and_with_every_other_in_every_order(api: Api) -> None:
    ads = await make_ads(api)
    known = conditions(ads)
    chosen = [names for size in range(len(known) + 1) for names in combinations(known, size)]
    for names, sort in product(chosen, (*SORTS, "relevance")):
        if sort == "relevance" and "q" not in names:
            continue
        query = {name: known[name][0] for name in names}
        matching = [ad for ad in ads if all(known[name][1](ad) for name in names)]
        found = await listed(api.client, **query, sort=sort)
        assert [ad["pk"] for ad in found["results"]] == in_order(matching, sort), (query, sort)
        assert (found["count"], found["countExact"]) == (len(matching), True), query
    assert len(chosen) == 64


async def test_the_newest_come_first_unless_said_otherwise(api: Api) -> None:
    ads = await make_ads(api)
    assert await ids_of(api.client) == in_order(ads, "-created")


@pytest.mark.parametrize(
    ("query", "prices"),
    [
        ({"minPrice": 0}, [0, 1, 2, 2_147_483_647]),
        ({"minPrice": 1}, [1, 2, 2_147_483_647]),
        ({"maxPrice": 0}, [0]),
        ({"maxPrice": 1}, [0, 1]),
        ({"minPrice": 1, "maxPrice": 1}, [1]),
        ({"minPrice": 2_147_483_647}, [2_147_483_647]),
        ({"maxPrice": 2_147_483_647}, [0, 1, 2, 2_147_483_647]),
    ],
)
async def test_prices_at_the_bounds_are_within(
    api: Api, query: dict[str, int], prices: list[int]
) -> None:
    rows = [{"title": "Ad", "price": price} for price in (0, 1, 2, 2_147_483_647)]
    await insert_ads(api, (await api.person()).id, rows)
    found = await listed(api.client, sort="price", **query)
    assert [ad["price"] for ad in found["results"]] == prices


@pytest.mark.parametrize("moment", [0, FIRST, FIRST + 1, FIRST + 999, 253_402_300_799_998])
async def test_moments_are_exact_to_the_millisecond_and_not_included(api: Api, moment: int) -> None:
    created = [max(moment - 1, 0), moment, moment + 1]
    rows = [{"title": "Ad", "created": when} for when in created]
    await insert_ads(api, (await api.person()).id, rows)

    async def moments(**query: int) -> list[int]:
        found = await listed(api.client, sort="created", **query)
        return [ad["createdAt"] for ad in found["results"]]

    assert await moments() == created
    assert await moments(createdAfter=moment) == [when for when in created if when > moment]
    assert await moments(createdBefore=moment) == [when for when in created if when < moment]
    assert await moments(createdAfter=moment - 1 if moment else 0, createdBefore=moment + 1) == (
        [moment] if moment else []
    )
    assert await moments(createdAfter=moment, createdBefore=moment) == []


async def test_an_unknown_author_has_no_ads(api: Api) -> None:
    await make_ads(api, 3)
    for author in (9_999, 2**53 - 1):
        assert await listed(api.client, author=author) == {
            "count": 0, "countExact": True, "results": [], "next": None,
        }  # fmt: skip


NUMBERS = ("", "-1", "+1", " 1", "1 ", "1.0", "1e2", "01", "0x1", "abc", "٣", "1_000", "NaN",
           "null", "1" * 30)  # fmt: skip


@pytest.mark.parametrize(
    "name", ["minPrice", "maxPrice", "author", "createdAfter", "createdBefore"]
)
async def test_what_is_no_number_is_refused_by_name(client: httpx2.AsyncClient, name: str) -> None:
    largest = {"minPrice": 2**31, "maxPrice": 2**31, "author": 2**53}
    for value in (*NUMBERS, str(largest.get(name, 253_402_300_800_000))):
        assert await faulty_parameters(client, **{name: value}) == [name], value


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"author": "0"}, ["author"]),
        ({"sort": ""}, ["sort"]),
        ({"sort": "-relevance"}, ["sort"]),
        ({"sort": "PRICE"}, ["sort"]),
        ({"sort": "price;id"}, ["sort"]),
        ({"sort": "relevance"}, ["sort"]),
        ({"minPrice": "x", "maxPrice": "x"}, ["minPrice", "maxPrice"]),
    ],
)
async def test_what_cannot_be_meant_is_refused_by_name(
    client: httpx2.AsyncClient, query: dict[str, str], names: list[str]
) -> None:
    assert await faulty_parameters(client, **query) == names


@pytest.mark.heavy
async def test_a_cursor_belongs_to_its_query(api: Api) -> None:
    ads = await make_ads(api, 12)
    queries: list[dict[str, str | int]] = [
        {},
        {"q": "desk or table or lamp"},
        {"q": "desk or table or lamps"},
        {"q": "desk or table or lamp", "sort": "price"},
        {"minPrice": 0},
        {"minPrice": 1},
        {"maxPrice": 500},
        {"createdAfter": FIRST - 1},
        {"createdBefore": FIRST + 99 * DAY},
        {"author": ads[0].author},
        {"sort": "created"},
        {"sort": "price"},
        {"sort": "-price"},
    ]
    cursors = [(await listed(api.client, **query, limit=1))["next"] for query in queries]
    assert all(cursors)
    assert len(set(cursors)) == len(cursors)
    for (of, cursor), (at, query) in product(enumerate(cursors), enumerate(queries)):
        answer = await api.client.get("/ads", params={**query, "cursor": cursor})
        assert answer.status_code == (200 if of == at else 410), (queries[of], query)
    # The default by another name is the same listing.
    same = await api.client.get("/ads", params={"sort": "-created", "cursor": cursors[0]})
    assert same.status_code == 200


@pytest.mark.heavy
async def test_up_to_the_bound_the_count_is_exact(start_api: ApiFactory) -> None:
    async with start_api(count_bound=5, facet_bound=5) as api:
        person = await api.person()
        await insert_ads(api, person.id, [{"title": "Lamp", "price": 1}])
        there = 0
        for matching in (0, 4, 5, 6, 9):
            more = [{"title": "Oak table", "price": 7} for _ in range(matching - there)]
            await insert_ads(api, person.id, more)
            there = matching
            told = (min(matching, 5), matching <= 5)
            for query in ({"minPrice": 2}, {"q": "oak"}, {"q": "oak", "author": person.id}):
                found = await listed(api.client, limit=1, **query)
                assert (found["count"], found["countExact"]) == told, (matching, query)
                facets = await listed(api.client, "/ads/facets", **query)
                # A search engine counts them all.
                all_told = told if SEARCH_URL is None or "q" not in query else (matching, True)
                assert (facets["count"], facets["countExact"]) == all_told, (matching, query)
            for path, query in (("/ads", {}), ("/ads", {"author": person.id}), ("/ads/me", {})):
                found = await listed(person, path, **query)
                assert (found["count"], found["countExact"]) == (matching + 1, True), query


# Steps in which people think.
PRICE_STEPS = (
    *(1, 10, 20, 50, 100, 200, 500),
    *(1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000),
)


async def test_facets_count_by_price_band_and_month(api: Api) -> None:
    ads = await make_ads(api)
    for names in ((), ("q",), ("minPrice", "createdBefore"), ("author", "q", "maxPrice")):
        known = conditions(ads)
        found = await listed(api.client, "/ads/facets", **{name: known[name][0] for name in names})
        matching = [ad for ad in ads if all(known[name][1](ad) for name in names)]
        edges = [0, *PRICE_STEPS, None]
        bands = []
        for low, high in pairwise(edges):
            inside = [
                a for a in matching if a.price >= (low or 0) and not (high and a.price >= high)
            ]
            if inside:
                bands.append({"min": low, "max": high and high - 1, "count": len(inside)})
        months = Counter(
            f"{datetime.fromtimestamp(ad.created / 1000, UTC):%Y-%m}" for ad in matching
        )
        assert found == {
            "count": len(matching),
            "countExact": True,
            "prices": bands,
            "months": [{"month": month, "count": n} for month, n in sorted(months.items())],
            "categories": [],
            "attributes": {},
        }
        assert names or len(months) == 3


async def test_a_range_whose_ends_are_the_wrong_way_round_is_400(api: Api) -> None:
    for path in ("/ads", "/ads/facets", "/ads.atom"):
        for query, parameter in (
            ("minPrice=2&maxPrice=1", "minPrice"),
            ("createdAfter=2&createdBefore=1", "createdAfter"),
        ):
            answer = await api.client.get(f"{path}?{query}")
            assert answer.status_code == 400, (path, query)
            [fault] = answer.json()["errors"]
            assert (fault["parameter"], fault["code"]) == (parameter, "inconsistent"), path
    assert (await api.client.get("/ads?createdAfter=1&createdBefore=1")).status_code == 200
