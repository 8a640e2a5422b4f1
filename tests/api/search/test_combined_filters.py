"""All filters, words and orders together, compared with a model that looks at every ad."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from sqlalchemy import text

from conftest import ApiFactory
from support.scene.api import Api
from support.scene.listings import STRICT, listed
from support.scene.random_queries import Ad, Query, away, make_ads, random_query


def by_price(ad: Ad, sign: int) -> tuple[bool, int, int]:
    """Ads on request have no price, and come last in both directions."""
    on_request = ad.price_type == "onRequest"
    return on_request, 0 if on_request else sign * ad.price, sign * ad.id


def in_order(ads: list[Ad], query: Query, words: Any) -> list[int]:
    latitude, longitude = map(float, query.get("near", "0,0").split(","))
    keys: dict[str, Callable[[Ad], Any]] = {
        "-created": lambda ad: -ad.id,
        "created": lambda ad: ad.id,
        "price": lambda ad: by_price(ad, 1),
        "-price": lambda ad: by_price(ad, -1),
        "relevance": lambda ad: (not words(ad.title.split()), -ad.id),
        "distance": lambda ad: (away(ad, (latitude, longitude)), -ad.id),
    }
    return [ad.id for ad in sorted(ads, key=keys[query["sort"]])]


async def walk(api: Api, query: Query, limit: int) -> tuple[list[int], list[dict[str, Any]]]:
    met: list[int] = []
    pages: list[dict[str, Any]] = []
    cursor: Query = {}
    for _ in range(3000):
        page = await listed(api.client, "/ads", STRICT, **query, **cursor, limit=limit)
        pages.append(page)
        met += [ad["pk"] for ad in page["results"]]
        if page["next"] is None:
            return met, pages
        cursor = {"cursor": page["next"]}
    raise AssertionError


async def compare(api: Api, ads: list[Ad], random: Random, queries: int, *, exact: bool) -> None:
    empty = 0
    for _ in range(queries):
        query, fits, words = random_query(random, ads)
        expected = in_order([ad for ad in ads if fits(ad)], query, words)
        empty += not expected
        limit = random.choice((1, 7, 100)) if len(expected) < 30 else 100
        met, pages = await walk(api, query, limit)
        assert met == expected, query
        for number, page in enumerate(pages):
            assert page["count"] <= len(expected), query
            if page["countExact"] or (exact and number == 0):
                assert (page["count"], page["countExact"]) == (len(expected), True), query
        if exact and random.random() < 0.2:
            asked = {name: value for name, value in query.items() if name != "sort"}
            found = await listed(api.client, "/ads/facets", **asked)
            assert (found["count"], found["countExact"]) == (len(expected), True), query
    # Most of them ask for something that is there.
    assert empty < queries * 0.7


@pytest.mark.heavy
async def test_every_combination_finds_what_a_look_at_every_ad_finds(api: Api) -> None:
    random = Random(14)
    ads = await make_ads(api, random, 200)
    await compare(api, ads, random, 60, exact=True)


@pytest.mark.large
@pytest.mark.parametrize("examined", [4000, 200])
async def test_five_hundred_combinations_among_two_thousand_ads(
    start_api: ApiFactory, monkeypatch: pytest.MonkeyPatch, examined: int
) -> None:
    """Also where a statement may look at few, and a page may be short."""
    for module in ("statements", "repository"):
        monkeypatch.setattr(f"adsvc.repositories.ads.search.{module}.EXAMINED", examined)
    for module in ("distance",):
        monkeypatch.setattr(f"adsvc.repositories.ads.search.{module}.LOOKED_AT", examined // 10)
    random = Random(examined)
    async with start_api(search_page_size_max=1000, count_bound=10_000) as api:
        ads = await make_ads(api, random, 2000)
        async with api.state.database.autocommit() as session:
            await session.execute(text("ANALYZE ads"))
        await compare(api, ads, random, 500, exact=examined == 4000)
