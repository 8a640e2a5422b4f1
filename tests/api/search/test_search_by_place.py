"""Search by place, compared with results computed here."""

from collections.abc import Callable, Sequence
from itertools import product
from random import Random
from typing import Any

import httpx2
import pytest

from adsvc.settings import RateLimits
from conftest import ApiFactory
from support.scene.api import Api
from support.scene.listings import announce_all, faulty_parameters, insert_ads, listed
from support.scene.places import HARD, Point, distance, scattered
from support.scene.warmth import settle

PLACE = """
    UPDATE ads SET latitude = p.lat, longitude = p.lng, public_latitude = p.lat,
        public_longitude = p.lng
    FROM unnest(CAST(:ids AS bigint[]), CAST(:lats AS float8[]), CAST(:lngs AS float8[]))
        AS p (id, lat, lng)
    WHERE ads.id = p.id
"""


async def ads_at(api: Api, points: Sequence[Point | None]) -> dict[int, Point]:
    """Ads whose public location is just there, by id; those without one are left out."""
    rows = [{"title": f"Oak table {n}", "price": n % 7} for n in range(len(points))]
    ids = await insert_ads(api, (await api.person()).id, rows)
    there = {ad_id: point for ad_id, point in zip(ids, points, strict=True) if point}
    await api.sql(
        PLACE,
        ids=list(there),
        lats=[float(point[0]) for point in there.values()],
        lngs=[float(point[1]) for point in there.values()],
    )
    announce_all(api)
    return there


def text_of(*degrees: float) -> str:
    return ",".join(f"{at:.6f}" for at in degrees)


async def walked(api: Api, **query: str | int) -> list[dict[str, Any]]:
    """All pages of that many."""
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    for _ in range(100):
        page = await listed(api.client, **query, limit=7, **cursor)
        found += page["results"]
        if page["next"] is None:
            return found
        cursor = {"cursor": page["next"]}
    raise AssertionError(query)


ORDERS: dict[str, Callable[[int, int], Any]] = {
    "-created": lambda ad_id, _: -ad_id,
    "created": lambda ad_id, _: ad_id,
    "distance": lambda ad_id, away: (away, -ad_id),
}


@pytest.mark.heavy
async def test_what_is_near_is_found_in_every_order(api: Api) -> None:
    random = Random(7)
    points: list[Point | None] = [*scattered(random, 200), *HARD, *HARD, None, None]
    there = await ads_at(api, points)
    for (centre, radius), sort in product(
        [(at, radius) for at in HARD for radius in (1, 3000, 40_000, 500_000)], ORDERS
    ):
        if random.random() > 0.4:
            continue
        away = {ad_id: round(distance(centre, point)) for ad_id, point in there.items()}
        near = {ad_id: metres for ad_id, metres in away.items() if metres <= radius}
        query: dict[str, Any] = {"near": text_of(*centre), "radius": radius, "sort": sort}
        found = await walked(api, **query)
        expected = sorted(near, key=lambda ad_id: ORDERS[sort](ad_id, near[ad_id]))
        assert [ad["pk"] for ad in found] == expected, query
        assert [ad["distance"] for ad in found] == [near[ad_id] for ad_id in expected], query
        page = await listed(api.client, **query)
        assert (page["count"], page["countExact"]) == (len(near), True), query
        facets = await listed(api.client, "/ads/facets", near=text_of(*centre), radius=radius)
        assert facets["count"] == len(near), query


async def test_of_ads_equally_near_the_newest_come_first(api: Api) -> None:
    """The count is of all, on whichever page."""
    near: list[Point] = [(52.0, 13.0)] * 5
    there = await ads_at(api, [*near, *[(52.01, 13.0)] * 5, (60.0, 13.0)])
    nearest, others = sorted(there)[:5], sorted(there)[5:10]
    found = await walked(api, near="52,13", radius=5000, sort="distance")
    assert [ad["pk"] for ad in found] == [*reversed(nearest), *reversed(others)]
    page = await listed(api.client, near="52,13", radius=5000, sort="distance", limit=2)
    assert (page["count"], page["countExact"]) == (10, True)


def is_inside(point: Point, west: float, south: float, east: float, north: float) -> bool:
    names = {point[1], -180.0, 180.0} if abs(point[1]) == 180 else {point[1]}
    across = (west <= at <= east if west <= east else at >= west or at <= east for at in names)
    return south <= point[0] <= north and any(across)


@pytest.mark.heavy
async def test_a_box_has_what_lies_in_it_and_may_cross_the_180th_meridian(api: Api) -> None:
    random = Random(8)
    there = await ads_at(api, [*scattered(random, 150), *HARD, None])
    boxes: list[tuple[float, ...]] = [
        (-180, -90, 180, 90), (170, -30, -170, 30), (13, 52, 14, 53), (-180, 89, 180, 90),
        (180, -90, 180, 90), (-180, -90, -180, 90), (179.9, -90, -179.9, 90),
    ]  # fmt: skip
    for _ in range(20):
        south, north = sorted(random.uniform(-90, 90) for _ in range(2))
        boxes.append((random.uniform(-180, 180), south, random.uniform(-180, 180), north))
    for box in boxes:
        rounded = [round(at, 6) for at in box]
        inside = [ad_id for ad_id, point in there.items() if is_inside(point, *rounded)]
        expected = sorted(inside, reverse=True)
        found = await listed(api.client, bbox=text_of(*rounded), limit=1000)
        assert [ad["pk"] for ad in found["results"]] == expected, box
        assert all("distance" not in ad for ad in found["results"])


@pytest.mark.heavy
async def test_circle_box_words_and_price_all_have_to_fit(api: Api) -> None:
    random = Random(9)
    points = [(52.5 + random.random(), 13 + random.random()) for _ in range(90)]
    there = await ads_at(api, points)
    centre = (52.9, 13.5)
    for sort, key in ORDERS.items():
        found = await walked(
            api, near="52.9,13.5", radius=40_000, bbox="13,52.7,13.6,53.2", q="oak", maxPrice=4,
            sort=sort,
        )  # fmt: skip
        rows = {ad["pk"]: ad for ad in (await listed(api.client, limit=1000))["results"]}
        fitting = {
            ad_id: round(distance(centre, point))
            for ad_id, point in there.items()
            if 52.7 <= point[0] <= 53.2 and point[1] <= 13.6 and rows[ad_id]["price"] <= 4
        }
        fitting = {ad_id: metres for ad_id, metres in fitting.items() if metres <= 40_000}
        expected = sorted(fitting, key=lambda ad_id: key(ad_id, fitting[ad_id]))
        assert expected
        assert [ad["pk"] for ad in found] == expected, sort


async def test_the_radius_is_25_kilometres_unless_said_otherwise(api: Api) -> None:
    there = await ads_at(api, [(52.52, 13.405), (52.74, 13.405), (52.75, 13.405), None])
    near, edge, _ = there
    found = await listed(api.client, near="52.52,13.405", sort="distance")
    assert [(ad["pk"], ad["distance"]) for ad in found["results"]] == [(near, 0), (edge, 24463)]
    # A radius includes its end, and the newest come first unless said otherwise.
    found = await listed(api.client, near="52.52,13.405", radius=24_463)
    assert [ad["pk"] for ad in found["results"]] == [edge, near]
    assert (await listed(api.client, near="52.52,13.405", radius=24_462))["count"] == 1


POINTS = (
    "", ",", "52.5", "52.5,", ",13.4", "52.5,13.4,1", "52.5;13.4", "52.5,\t13.4",
    "91,0", "-91,0", "90.1,0", "0,181", "0,-181", "0,180.5", "nan,0", "0,NaN", "inf,0",
    "0,-Infinity", "1e1,0", "0,1E1", "+1,0", "01,0", ".5,0", "5.,0", "0x1,0", "1_0,0", "٣,0",
    "null,null", "0.1234567890123456,0", "1" * 400, "52.5,13.4\n", "0,0\0",
)  # fmt: skip
BOXES = (
    "", ",,,", "1,2,3", "1,2,3,4,5", "1,2,3,1", "0,91,1,91", "0,-91,1,0", "181,0,1,1",
    "0,0,-180.1,1", "nan,0,1,1", "0,0,inf,1", "1e1,0,1,1", "0,0,1,0.1234567890123456",
)  # fmt: skip
RADII = ("", "0", "-1", "500001", "1.5", "1e3", "nan", " 1", "٣", "9" * 30)


@pytest.mark.heavy
async def test_what_is_no_place_is_refused_by_name(client: httpx2.AsyncClient) -> None:
    for path in ("/ads", "/ads/facets"):
        bad = [
            *(({"near": value}, "near") for value in POINTS),
            *(({"bbox": value}, "bbox") for value in BOXES),
            *(({"near": "0,0", "radius": value}, "radius") for value in RADII),
            ({"radius": "5"}, "radius"),
        ]
        for query, name in bad:
            answer = await client.get(path, params=query)
            assert answer.status_code == 400, (path, query)
            named = [fault["parameter"] for fault in answer.json()["errors"]]
            assert named == [name], (path, query)
    assert await faulty_parameters(client, sort="distance") == ["sort"]
    assert await faulty_parameters(client, sort="distance", bbox="0,0,1,1") == ["sort"]


async def test_one_place_in_other_words_is_one_listing(api: Api) -> None:
    await ads_at(api, [(52.52, 13.405), (52.53, 13.405)])
    same = [
        {"near": "52.52,13.405"}, {"near": "52.520,13.4050000001"}, {"near": "52.52,13.405",
         "radius": "25000"}, {"radius": "25000", "near": "52.5200000000000,13.405"},
    ]  # fmt: skip
    cursor = (await listed(api.client, **same[0], limit=1))["next"]
    for query in same:
        assert (await api.client.get("/ads", params={**query, "cursor": cursor})).status_code == 200
    for query in ({"near": "52.52,13.40501"}, {"near": "52.52,13.405", "radius": "25001"}):
        assert (await api.client.get("/ads", params={**query, "cursor": cursor})).status_code == 410
    for names in (("0,180", "0,-180", "-0,180.0"), ("0,0", "-0.0,-0", "-0.0000001,0.0000001")):
        answers = [await api.client.get("/ads", params={"near": near}) for near in names]
        assert len({answer.headers["etag"] for answer in answers}) == 1


@pytest.mark.heavy
async def test_other_spellings_of_a_place_are_answered_from_memory(
    start_api: ApiFactory,
) -> None:
    async with start_api(rate_limits=RateLimits.ON, searches_per_address=2) as api:
        await ads_at(api, [(52.52, 13.405)])
        await settle(api)
        for near in ("52.52,13.405", "52.520,13.405", "52.52,13.40500", "52.5200001,13.405"):
            answer = await api.client.get("/ads", params={"near": near})
            assert answer.status_code == 200, near


@pytest.mark.heavy
async def test_searches_by_place_are_counted_as_searches(start_api: ApiFactory) -> None:
    for query in ({"near": "1,{}"}, {"bbox": "1,1,2,{}"}, {"near": "1,{}", "sort": "distance"}):
        async with start_api(rate_limits=RateLimits.ON, searches_per_address=2) as api:
            asked = [{name: value.format(n + 3) for name, value in query.items()} for n in range(3)]
            answers = [await api.client.get("/ads", params=one) for one in asked]
            assert [answer.status_code for answer in answers] == [200, 200, 429], query


async def test_an_ad_that_is_written_or_answered_alone_has_no_distance(api: Api) -> None:
    person = await api.person()
    ad = await person.post_ad()
    assert "distance" not in ad
    changed = await person.patch(f"/ads/{ad['pk']}", json={"price": 3})
    assert "distance" not in changed.json()
    assert "distance" not in (await listed(api.client))["results"][0]


@pytest.mark.parametrize("query", [{"sort": "distance"}, {}])
async def test_a_cursor_of_one_place_has_expired_at_another(
    api: Api, query: dict[str, str]
) -> None:
    await ads_at(api, [(0, 0), (0, 0.01), (0, 0.02)])
    cursor = (await listed(api.client, near="0,0", limit=1, **query))["next"]
    again = {"near": "0,0", "cursor": cursor, **query}
    assert (await api.client.get("/ads", params=again)).status_code == 200
    for other in ({"near": "0,0.01"}, {"radius": "20000"}, {"bbox": "0,0,1,1"}, {"sort": "price"}):
        answer = await api.client.get("/ads", params={**again, **other})
        assert answer.status_code == 410, other


BOUNDS = {
    "statements": {"EXAMINED": 8, "EXAMINED_BY_PLACE": 20},
    "repository": {"EXAMINED": 8},
    "distance": {
        "MOST_IN_RING": 6,
        "LOOKED_AT": 3,
        "AIM": 4,
        "MOST_PLACED": 30,
        "MAX_SCANNED": 7,
    },
}


@pytest.mark.heavy
async def test_a_walk_that_looks_at_few_ads_at_once_meets_each_once(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever way the ads are found, also where many are at one point."""
    for module, bounds in BOUNDS.items():
        for name, value in bounds.items():
            monkeypatch.setattr(f"adsvc.repositories.ads.search.{module}.{name}", value)
    random = Random(10)
    square: list[Point] = [(52 + n / 500, 13.0) for n in range(-3, 4)]
    points = [random.choice(square) for _ in range(20)] + [(52.0, 13.0)] * 15
    points += [(random.uniform(51.5, 52.5), random.uniform(12.5, 13.5)) for _ in range(20)]
    # As far away, in the other direction.
    points += [(52.0, 13.2), (52.0, 12.8)] * 4
    random.shuffle(points)
    there = await ads_at(api, points)
    words = {ad["pk"]: ad["title"] for ad in (await listed(api.client, limit=1000))["results"]}
    asked: list[dict[str, Any]] = [
        {"radius": 25_000}, {"radius": 60_000}, {"radius": 1}, {"radius": 13_700},
        {"radius": 60_000, "q": "-1 "}, {"radius": 60_000, "q": "oak -2 -3 "},
        {"radius": 60_000, "maxPrice": 2}, {"radius": 60_000, "bbox": "12.9,51.9,13.1,52.1"},
        {"bbox": "12.9,51.9,13.1,52.1", "radius": 14_000, "minPrice": 3},
    ]  # fmt: skip
    for query, sort in product(asked, ("-created", "distance")):
        key = ORDERS[sort]
        near = {
            ad_id: round(distance((52, 13), point))
            for ad_id, point in there.items()
            if "bbox" not in query or is_inside(point, 12.9, 51.9, 13.1, 52.1)
        }
        excluded = {word[1:] for word in str(query.get("q", "")).split() if word[0] == "-"}
        fitting = {
            ad_id: away
            for ad_id, away in near.items()
            if away <= query["radius"] and not excluded & set(words[ad_id].split())
        }
        prices = {ad_id: int(words[ad_id].split()[-1]) % 7 for ad_id in fitting}
        low, high = query.get("minPrice", 0), query.get("maxPrice", 7)
        expected = sorted(
            (ad_id for ad_id in fitting if low <= prices[ad_id] <= high),
            key=lambda ad_id: key(ad_id, fitting[ad_id]),
        )
        found = await walked(api, near="52,13", sort=sort, **query)
        assert [ad["pk"] for ad in found] == expected, (query, sort)
        if set(query) == {"radius"}:
            assert (await listed(api.client, near="52,13", **query))["count"] == len(expected)
