"""How many ads each category and each value of an attribute would find."""

import json
from itertools import count
from typing import Any

import pytest

from support.scene.api import Api
from support.scene.categories import CARS, plant
from support.scene.listings import listed

_pictures = count(1)
ADS: list[tuple[str | None, dict[str, Any]]] = [
    ("cars", {"fuel": "diesel", "mileage": 10_000, "parking": True}),
    ("cars", {"fuel": "diesel", "mileage": 20_000, "parking": False}),
    ("cars", {"fuel": "petrol", "mileage": 150_000, "parking": True}),
    ("cars", {"fuel": "petrol"}),
    ("vehicles", {"mileage": 5}),
    ("home", {}),
    (None, {}),
]


async def insert(api: Api, ads: list[tuple[str | None, dict[str, Any]]]) -> None:
    author = await api.person()
    slugs = await api.sql("SELECT slug FROM categories ORDER BY id")
    known = await api.sql("SELECT id FROM categories ORDER BY id")
    ids: dict[str | None, int] = dict(zip(slugs, known, strict=True))
    for number, (slug, attributes) in enumerate(ads):
        await api.sql(
            "INSERT INTO ads (author_id, title, description, price, image, category_id, attributes)"
            " VALUES (:author, 'Thing', 'A thing to sell.', :price, :image, :category,"
            " CAST(:attributes AS jsonb))",
            author=author.id,
            price=100 + number,
            image=f"{next(_pictures)}.jpg",
            category=ids.get(slug),
            attributes=json.dumps(attributes),
        )


@pytest.fixture
async def stocked(api: Api) -> Api:
    await plant(api)
    await insert(api, ADS)
    return api


async def facets(api: Api, **query: Any) -> dict[str, Any]:
    return await listed(api.client, "/ads/facets", **query)


def categories(found: dict[str, Any]) -> dict[str, int]:
    return {one["slug"]: one["count"] for one in found["categories"]}


def values(found: dict[str, Any], name: str) -> dict[Any, int]:
    return {one["value"]: one["count"] for one in found["attributes"][name]}


async def test_roots_are_counted_with_all_below_them(stocked: Api) -> None:
    found = await facets(stocked)
    assert list(categories(found).items()) == [("home", 1), ("vehicles", 5)]
    assert found["attributes"] == {}
    assert found["count"] == 7


@pytest.mark.heavy
async def test_below_a_category_its_children_are_counted(stocked: Api) -> None:
    assert categories(await facets(stocked, category="vehicles")) == {"boats": 0, "cars": 4}
    assert categories(await facets(stocked, category="cars")) == {}


async def test_a_category_counts_its_facetable_attributes(stocked: Api) -> None:
    found = await facets(stocked, category="cars")
    assert list(found["attributes"]) == ["mileage", "fuel", "parking"]
    assert values(found, "fuel") == {"diesel": 2, "petrol": 2}
    assert values(found, "parking") == {True: 2, False: 1}
    assert found["attributes"]["mileage"] == [
        {"min": 10_000, "max": 10_000, "count": 1},
        {"min": 20_000, "max": 20_000, "count": 1},
        {"min": 150_000, "max": 150_000, "count": 1},
    ]


async def test_an_attribute_is_counted_without_the_filter_by_itself(stocked: Api) -> None:
    found = await facets(stocked, category="cars", attr="fuel:diesel")
    assert found["count"] == 2
    assert values(found, "fuel") == {"diesel": 2, "petrol": 2}
    assert values(found, "parking") == {True: 1, False: 1}
    both = await facets(stocked, category="cars", attr=["fuel:diesel", "mileage:15000.."])
    assert values(both, "fuel") == {"diesel": 1, "petrol": 1}
    assert [band["count"] for band in both["attributes"]["mileage"]] == [1, 1]
    assert values(both, "parking") == {False: 1}


@pytest.mark.heavy
async def test_other_filters_count_for_all(stocked: Api) -> None:
    found = await facets(stocked, category="cars", attr="fuel:diesel", minPrice=101, q="thing")
    assert values(found, "fuel") == {"diesel": 1, "petrol": 2}
    assert categories(await facets(stocked, maxPrice=100)) == {"home": 0, "vehicles": 1}


async def test_what_cannot_be_leaves_the_other_values_to_choose_from(stocked: Api) -> None:
    found = await facets(stocked, category="cars", attr="mileage:9..9")
    assert found["count"] == 0
    assert values(found, "fuel") == {}
    assert sum(band["count"] for band in found["attributes"]["mileage"]) == 3


@pytest.mark.heavy
async def test_each_band_finds_as_many_ads_as_it_says(api: Api) -> None:
    await plant(api)
    miles = [n * n * 37 % 1_999_999 for n in range(60)]
    engines = [0.1 + n % 50 * 0.3 for n in range(60)]
    await insert(
        api,
        [
            ("cars", {"fuel": "diesel", "mileage": mileage, "engine": round(engine, 1)})
            for mileage, engine in zip(miles, engines, strict=True)
        ],
    )
    attributes = [a | {"filterable": True, "facetable": a["type"] != "string"}
                  for a in CARS["attributes"] if a["type"] != "string"]  # fmt: skip
    admin = await api.admin()
    changed = CARS | {"attributes": attributes}
    assert (await admin.request("PUT", "/categories/cars", json=changed)).status_code == 200
    found = (await facets(api, category="cars"))["attributes"]
    for name in ("mileage", "engine"):
        bands = found[name]
        assert 3 < len(bands) <= 12, name
        assert sum(band["count"] for band in bands) == 60
        for band in bands:
            wanted = f"{name}:{band['min']}..{band['max']}"
            page = await listed(api.client, "/ads", category="cars", attr=wanted)
            assert page["count"] == band["count"], wanted


@pytest.mark.heavy
async def test_what_no_longer_fits_is_not_counted(stocked: Api) -> None:
    for fuel in ('"gas"', "5", "null", "[1]", '{"a": 1}'):
        await insert(stocked, [("cars", {"fuel": json.loads(fuel), "mileage": "many",
                                         "parking": "yes"})])  # fmt: skip
    found = await facets(stocked, category="cars")
    assert values(found, "fuel") == {"diesel": 2, "petrol": 2}
    assert values(found, "parking") == {True: 2, False: 1}
    assert sum(band["count"] for band in found["attributes"]["mileage"]) == 3


@pytest.mark.heavy
async def test_hidden_ads_are_not_counted(stocked: Api) -> None:
    await stocked.sql("UPDATE ads SET status = 'sold' WHERE attributes ->> 'fuel' = 'diesel'")
    assert values(await facets(stocked, category="cars"), "fuel") == {"petrol": 2}
    assert categories(await facets(stocked)) == {"home": 1, "vehicles": 3}
