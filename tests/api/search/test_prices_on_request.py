"""Ads whose price is on request: in orders, filters and bands of prices."""

from typing import Any

import pytest

from support.scene.api import Api
from support.scene.listings import analyze, ids_of, insert_ads, listed

Query = dict[str, str | int]
LARGEST = 2_147_483_647
# What the price of an ad says about it is in the title.
ADS = (
    ("fixed", 70), ("onRequest", 0), ("free", 0), ("negotiable", LARGEST), ("onRequest", LARGEST),
    ("fixed", 0), ("onRequest", 70), ("negotiable", 70), ("fixed", LARGEST), ("onRequest", 0),
)  # fmt: skip
# Each is another way to the matches: all ads, words, an author, a time, and both.
WAYS: dict[str, Query] = {
    "everything": {},
    "words": {"q": "lamp"},
    "excluded words": {"q": "-zebra"},
    "time": {"createdAfter": 1},
    "words in a time": {"q": "lamp", "createdAfter": 1},
}


async def make_ads(api: Api) -> dict[int, tuple[str, int]]:
    """The type and the price of each ad by its id, in the order of ids."""
    author = (await api.person()).id
    rows: list[dict[str, Any]] = [
        {"title": f"Lamp {number}", "price": price, "price_type": price_type}
        for number, (price_type, price) in enumerate(ADS)
    ]
    ids = await insert_ads(api, author, rows)
    return dict(zip(ids, ADS, strict=True))


def in_order(ads: dict[int, tuple[str, int]], *, descending: bool) -> list[int]:
    """By price and id; ads on request come last, and their prices do not matter."""
    sign = -1 if descending else 1

    def key(ad_id: int) -> tuple[bool, int, int]:
        price_type, price = ads[ad_id]
        on_request = price_type == "onRequest"
        return on_request, 0 if on_request else sign * price, sign * ad_id

    return sorted(ads, key=key)


async def walk(api: Api, query: Query) -> list[int]:
    """All ids in order, page by page of two."""
    met: list[int] = []
    cursor: dict[str, str] = {}
    while True:
        page = await listed(api.client, **query, **cursor, limit=2)
        met += [ad["pk"] for ad in page["results"]]
        if page["next"] is None:
            return met
        cursor = {"cursor": page["next"]}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("sort", ["price", "-price"])
async def test_ads_on_request_come_after_all_that_have_a_price(
    api: Api, way: str, sort: str
) -> None:
    ads = await make_ads(api)
    expected = in_order(ads, descending=sort == "-price")
    assert await ids_of(api.client, **WAYS[way], sort=sort) == expected
    assert await walk(api, {**WAYS[way], "sort": sort}) == expected


@pytest.mark.parametrize("sort", ["price", "-price"])
async def test_a_scan_of_few_ads_meets_ads_on_request_last(
    api: Api, monkeypatch: pytest.MonkeyPatch, sort: str
) -> None:
    for module in ("statements", "repository"):
        monkeypatch.setattr(f"adsvc.repositories.ads.search.{module}.EXAMINED", 3)
    monkeypatch.setattr("adsvc.repositories.ads.search.repository.ENTRIES", 0)
    ads = await make_ads(api)
    await analyze(api)
    expected = in_order(ads, descending=sort == "-price")
    assert await walk(api, {"q": "-zebra", "sort": sort}) == expected


@pytest.mark.heavy
async def test_ads_on_request_of_an_author_and_near_a_place_come_last(api: Api) -> None:
    author = await api.person()
    place = {"latitude": 52.5, "longitude": 13.4}
    made: dict[int, tuple[str, int]] = {}
    for price_type, price in ADS[:3]:
        ad = await author.post_ad(price=price, priceType=price_type, location=place)
        made[ad["pk"]] = price_type, price
    for way in ({"author": author.id}, {"near": "52.5,13.4"}, {"near": "52.5,13.4", "q": "oak"}):
        query: Query = {**way}
        for sort in ("price", "-price"):
            expected = in_order(made, descending=sort == "-price")
            assert await walk(api, {**query, "sort": sort}) == expected, (way, sort)


RANGES: tuple[Query, ...] = (
    {"maxPrice": 70},
    {"maxPrice": LARGEST},
    {"minPrice": 0},
    {"minPrice": 71},
    {"minPrice": LARGEST},
    {"minPrice": 1, "maxPrice": 99},
)


@pytest.mark.heavy
@pytest.mark.parametrize("way", WAYS)
async def test_a_filter_by_price_leaves_out_ads_on_request(api: Api, way: str) -> None:
    ads = await make_ads(api)
    for limits in RANGES:
        low, high = int(limits.get("minPrice", 0)), int(limits.get("maxPrice", LARGEST))
        there = {
            ad_id: (price_type, price)
            for ad_id, (price_type, price) in ads.items()
            if price_type != "onRequest" and low <= price <= high
        }
        query: Query = {**WAYS[way], **limits}
        for sort in ("price", "-price"):
            expected = in_order(there, descending=sort == "-price")
            assert await walk(api, {**query, "sort": sort}) == expected, query
        page = await listed(api.client, **query)
        assert (page["count"], page["countExact"]) == (len(there), True), query
        assert (await listed(api.client, "/ads/facets", **query))["count"] == len(there), query


@pytest.mark.parametrize("way", ["everything", "words"])
async def test_bands_of_prices_leave_out_ads_on_request(api: Api, way: str) -> None:
    ads = await make_ads(api)
    facets = await listed(api.client, "/ads/facets", **WAYS[way])
    priced = sum(price_type != "onRequest" for price_type, _ in ads.values())
    assert facets["count"] == len(ads)
    assert sum(band["count"] for band in facets["prices"]) == priced


async def test_an_ad_that_gets_a_price_moves_in_a_cached_list(api: Api) -> None:
    author = await api.person()
    first = await author.post_ad(price=0, priceType="onRequest")
    second = await author.post_ad(price=500)
    assert await ids_of(api.client, sort="price") == [second["pk"], first["pk"]]
    changed = await author.patch(f"/ads/{first['pk']}", json={"priceType": "fixed", "price": 100})
    assert changed.status_code == 200, changed.text
    assert await ids_of(api.client, sort="price") == [first["pk"], second["pk"]]
