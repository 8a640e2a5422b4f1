"""`GET /ads/map`: numbers of ads by cells of a map, of public points alone."""

from typing import Any

import pytest

from adsvc.public_location import public_point
from support.scene.api import Api
from support.scene.categories import plant

EXACT = {"latitude": 52.5162734, "longitude": 13.3777021}
GERMANY = "5.8,47.2,15.1,55.1"
BOXES = (
    "-180,-90,180,90",
    "-180,-90,179,90",
    "-179.9,-89.9,-30.1,89.1",
    "0,0,90,45",
    "170,-40,-170,40",
    "180,0,-180,10",
    "5,50,5,50",
)


async def cells(api: Api, bbox: str = GERMANY, **query: Any) -> list[dict[str, Any]]:
    answer = await api.client.get("/ads/map", params={"bbox": bbox, **query})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["results"]
    assert answer.json()["countExact"]
    return found


async def test_one_ad_is_a_cell_with_its_id_and_its_public_point(api: Api) -> None:
    anna = await api.person()
    ad = await anna.post_ad(location=EXACT)
    await anna.post_ad(location={"latitude": 48.137, "longitude": 11.575}, status="draft")
    await anna.post_ad()
    point = public_point(**EXACT)._asdict()
    assert await cells(api) == [{**point, "count": 1, "pk": ad["pk"]}]
    # Not even the author finds the exact point, however narrow the box.
    for latitude, longitude, expected in ((*EXACT.values(), 0), (*point.values(), 1)):
        box = f"{longitude - 1e-5:.6f},{latitude - 1e-5:.6f}"
        box += f",{longitude + 1e-5:.6f},{latitude + 1e-5:.6f}"
        answer = await anna.get("/ads/map", params={"bbox": box})
        assert len(answer.json()["results"]) == expected


@pytest.mark.heavy
async def test_ads_beside_each_other_are_one_cell_until_the_map_is_enlarged(api: Api) -> None:
    anna = await api.person()
    for number in range(3):
        await anna.post_ad(location={"latitude": 52.51 + number / 50, "longitude": 13.4})
    [cell] = await cells(api)
    assert cell["count"] == 3
    assert "pk" not in cell
    assert abs(cell["latitude"] - 52.53) < 0.01
    near = await cells(api, "13.35,52.5,13.45,52.6")
    assert [one["count"] for one in near] == [1, 1, 1]
    # Cells stay where they are while the map is moved.
    moved = [
        await cells(api, f"{5.8 + step:.1f},47.2,{15.1 + step:.1f},55.1")
        for step in (0.1, 0.7, 1.3)
    ]
    assert moved == [[cell]] * 3


@pytest.mark.heavy
async def test_all_filters_apply(api: Api) -> None:
    await plant(api)
    anna, ben = await api.person(), await api.person()
    await anna.post_ad(title="Oak table", price=100, location=EXACT)
    red: dict[str, Any] = {"location": EXACT, "description": "Used twice, as good as new."}
    await anna.post_ad(title="Red kayak", price=900, category="boats", **red)
    await ben.post_ad(title="Red lamp", price=50, priceType="free", **red)
    filters: list[tuple[dict[str, Any], int]] = [
        ({}, 3),
        ({"q": "red"}, 2),
        ({"q": "oak"}, 1),
        ({"q": "trumpet"}, 0),
        ({"minPrice": 60}, 2),
        ({"author": ben.id}, 1),
        ({"category": "boats"}, 1),
        ({"priceType": "free"}, 1),
        ({"near": "52.51,13.37", "radius": 5000}, 3),
        ({"near": "48.1,11.5"}, 0),
        ({"createdAfter": 253402300799999}, 0),
    ]
    for query, expected in filters:
        found = await cells(api, **query)
        assert sum(cell["count"] for cell in found) == expected, query


@pytest.mark.heavy
async def test_a_map_has_at_most_400_cells_wherever_it_is(api: Api) -> None:
    anna = await api.person()
    await anna.post_ad(location=EXACT)
    await api.sql(
        "INSERT INTO ads (author_id, title, description, price, image, latitude, longitude,"
        " public_latitude, public_longitude)"
        " SELECT author_id, title, description, price, md5(y || 'x' || x), y, x, y, x FROM ads,"
        " generate_series(-87.5, 87.5, 5) AS y, generate_series(-178.5, 178.5, 3) AS x RETURNING 1"
    )
    for box in BOXES:
        answer = (await api.client.get("/ads/map", params={"bbox": box})).json()
        assert len(answer["results"]) <= 400, box
        west, south, east, north = map(float, box.split(","))
        for cell in answer["results"]:
            inside = west <= cell["longitude"] <= east
            across = west > east and not east < cell["longitude"] < west
            assert inside or across, (box, cell)
            assert south <= cell["latitude"] <= north, (box, cell)
        listed = (await api.client.get("/ads", params={"bbox": box, "limit": 1})).json()
        if listed["countExact"] and answer["countExact"]:
            assert sum(cell["count"] for cell in answer["results"]) == listed["count"], box


async def test_a_map_needs_its_edges_and_says_what_else_is_wrong(api: Api) -> None:
    for query, wrong in (
        ("", {"bbox"}),
        ("?bbox=", {"bbox"}),
        ("?bbox=1,2,3", {"bbox"}),
        ("?bbox=1,5,2,4", {"bbox"}),
        ("?minPrice=x&radius=9", {"bbox", "minPrice", "radius"}),
        (f"?bbox={GERMANY}&category=none&minPrice=9&maxPrice=1", {"category", "minPrice"}),
    ):
        answer = await api.client.get(f"/ads/map{query}")
        assert answer.status_code == 400, query
        faults = answer.json()["errors"]
        assert {fault["parameter"] for fault in faults} == wrong, query
    missing = (await api.client.get("/ads/map")).json()["errors"]
    assert [fault["code"] for fault in missing] == ["missing"]
