"""Filters by category and attributes: their forms, their results, and what is refused."""

from itertools import product
from typing import Any

import httpx2
import pytest

from support.scene.api import Api
from support.scene.category_tree import insert_ads_of_tree, insert_tree
from support.scene.listings import listed

ADS: list[dict[str, Any]] = [
    {"title": "Red diesel", "category": "cars", "attributes": {"fuel": "diesel", "year": 2015}},
    {"title": "Old petrol", "category": "cars", "attributes": {"fuel": "petrol", "year": 1999},
     "price_type": "free"},
    {"title": "Racer", "category": "bikes", "attributes": {"year": 2020, "frame": 56.5}},
    {"title": "Shoes", "category": "shoes", "attributes": {"size": 36}},
    {"title": "Shirt", "category": "clothes", "attributes": {"size": "36"}},
    {"title": "Attic", "category": "flats", "attributes": {"area": 10.1}, "words": "Dachgeschoss"},
    {"title": "Nothing of a kind"},
]  # fmt: skip


async def make(api: Api) -> None:
    await insert_tree(api)
    await insert_ads_of_tree(api, (await api.person()).id, ADS)


async def titles(api: Api, *pairs: tuple[str, str]) -> list[str]:
    answer = await api.client.get("/ads", params=[*pairs, ("sort", "created")])
    assert answer.status_code == 200, answer.text
    return [ad["title"] for ad in answer.json()["results"]]


async def test_a_category_has_the_ads_of_all_below_it(api: Api) -> None:
    await make(api)
    assert await titles(api, ("category", "vehicles")) == ["Red diesel", "Old petrol", "Racer"]
    assert await titles(api, ("category", "cars")) == ["Red diesel", "Old petrol"]
    assert await titles(api, ("category", "property"), ("priceType", "fixed")) == ["Attic"]
    assert await titles(api, ("priceType", "free")) == ["Old petrol"]


async def test_attributes_are_matched_by_their_types(api: Api) -> None:
    await make(api)
    expected = {
        "fuel:diesel": ["Red diesel"],
        "fuel:petrol|diesel": ["Red diesel", "Old petrol"],
        "year:1999..2015": ["Red diesel", "Old petrol"],
        "year:..2014": ["Old petrol"],
        "year:2016..": ["Racer"],
        "year:2015": ["Red diesel"],
        "frame:56.5": ["Racer"],
        "area:10.1": ["Attic"],
        "area:10.05..10.15": ["Attic"],
        # A number of one category and an option of another.
        "size:36": ["Shoes", "Shirt"],
        "size:35..40": ["Shoes"],
    }
    for asked, found in expected.items():
        assert await titles(api, ("attr", asked)) == found, asked
    assert await titles(api, ("category", "shoes"), ("attr", "size:36")) == ["Shoes"]


@pytest.mark.heavy
async def test_a_range_has_both_its_ends_and_nothing_beyond(api: Api) -> None:
    await insert_tree(api)
    values: dict[str, tuple[str, tuple[Any, ...]]] = {
        "mileage": ("cars", (999, 1000, 1001)),
        "frame": ("bikes", (55.5, 56, 56.5)),
        "tested": ("cars", ("2026-01-31", "2026-02-01", "2026-02-02")),
    }
    author = (await api.person()).id
    rows = [
        {"title": f"{name} {value}", "category": category, "attributes": {name: value}}
        for name, (category, all_of_it) in values.items()
        for value in all_of_it
    ]
    await insert_ads_of_tree(api, author, rows)
    for name, (_, known) in values.items():
        for low, high in product((None, 0, 1, 2), repeat=2):
            if (low is None and high is None) or (low or 0) > (2 if high is None else high):
                continue
            ends = ["" if end is None else str(known[end]) for end in (low, high)]
            inside = known[low or 0 : 3 if high is None else high + 1]
            expected = [f"{name} {value}" for value in inside]
            asked = f"{name}:{'..'.join(ends)}"
            assert await titles(api, ("attr", asked)) == expected, asked


async def test_all_filters_hold_in_any_order_of_parameters(api: Api) -> None:
    await make(api)
    both = (("attr", "fuel:diesel|petrol"), ("attr", "year:..2000"))
    assert await titles(api, *both) == await titles(api, *both[::-1]) == ["Old petrol"]
    assert await titles(api, ("attr", "fuel:diesel"), ("attr", "fuel:petrol")) == []
    for pairs in (both, both[::-1], (("attr", "fuel:petrol|diesel"), both[1], both[1])):
        answer = await api.client.get("/ads", params=[*pairs, ("limit", "1")])
        assert (answer.json()["count"], answer.json()["next"]) == (1, None)
    answer = await api.client.get("/ads?attr=year:1990..&attr=fuel:petrol|diesel&limit=1")
    link = answer.headers["link"]
    assert "attr=fuel%3Adiesel%7Cpetrol&attr=year%3A1990.." in link
    following = await api.client.get(link[1 : link.index(">")])
    assert [ad["title"] for ad in following.json()["results"]] == ["Red diesel"]


async def test_words_of_attributes_are_searched(api: Api) -> None:
    await make(api)
    assert await titles(api, ("q", "dachgeschoss")) == ["Attic"]
    assert await titles(api, ("q", "dachgeschoss"), ("category", "flats")) == ["Attic"]
    assert await titles(api, ("q", "dachgeschoss"), ("category", "cars")) == []
    # Terms of the index are no words.
    for typed in ("@1", "=fuel=diesel", "fuel=diesel"):
        assert await titles(api, ("q", typed)) == [], typed


async def refused(client: httpx2.AsyncClient, **query: str | list[str]) -> list[str]:
    answer = await client.get("/ads", params=query)
    assert answer.status_code == 400, (query, answer.text)
    assert answer.headers["content-type"] == "application/problem+json"
    assert "nonsense" not in answer.text
    return [fault["parameter"] for fault in answer.json()["errors"]]


ODD = (
    "", ":", "fuel", "fuel:", "fuel:nonsense", "fuel:diesel|nonsense", "fuel:diesel..petrol",
    "nonsense:1", "year:nonsense", "year:..", "year:", "year:2015.5", "year:1e3", "year:+1",
    "year:2010..2015..2020", "year:2016..2010",
    "year:99999999999999999999", "year:NaN", "year:2010|2015..2020",
    "damaged:yes", "damaged:true..false", "tested:2026-02-30", "tested:2026-1-1", "tested:..",
    "model:nonsense", "keys:1", "Fuel:diesel", "fuel:Diesel", " fuel:diesel", "size:37.5",
    "fuel:\0",
)  # fmt: skip


async def test_what_makes_no_sense_by_the_definitions_is_refused(api: Api) -> None:
    await make(api)
    for asked in ODD:
        assert await refused(api.client, attr=asked) == ["attr"], asked
    assert await refused(api.client, attr="mileage:1", category="bikes") == ["attr"]
    for category in ("nonsense", "", "Cars", "cars "):
        assert await refused(api.client, category=category) == ["category"], category
    for kind in ("", "nonsense", "Fixed"):
        assert await refused(api.client, priceType=kind) == ["priceType"], kind


async def test_a_query_has_a_limited_number_of_attributes_and_values(api: Api) -> None:
    await make(api)
    years = [f"year:{year}" for year in range(1990, 2011)]
    assert await refused(api.client, attr=years) == ["attr"]
    assert (await api.client.get("/ads", params={"attr": years[:20]})).status_code == 200
    numbers = [str(number) for number in range(10_000)]
    assert await refused(api.client, attr="year:" + "|".join(numbers[:1000])) == ["attr"]
    assert await refused(api.client, attr="year:" + "|".join(numbers[:101])) == ["attr"]
    assert await refused(api.client, attr="fuel:" + "|".join(["diesel"] * 101)) == ["attr"]
    found = await listed(api.client, attr="year:" + "|".join(numbers[1_950:2_050]))
    assert found["count"] == 3


@pytest.mark.heavy
async def test_an_ad_is_found_by_what_it_has_now(api: Api) -> None:
    """Attributes, category, price and status change, and the index with them."""
    await make(api)

    async def change(sql: str) -> None:
        async with api.state.database.autocommit() as session:
            connection = await session.connection()
            changed = f"UPDATE ads SET {sql} WHERE title = 'Racer'"  # noqa: S608 - from below
            await connection.exec_driver_sql(changed)

    async def found(*pairs: tuple[str, str]) -> bool:
        # Past what is kept in memory.
        nobody = ("createdAfter", str(len(asked)))
        asked.append(pairs)
        return "Racer" in await titles(api, *pairs, nobody)

    asked: list[Any] = []
    bikes, new = ("category", "bikes"), ("attr", "year:2020..")
    assert await found(bikes, new, ("maxPrice", "1"))
    await change("price = 77")
    assert await found(bikes, new, ("minPrice", "77"), ("maxPrice", "77"))
    assert not await found(bikes, ("maxPrice", "1"))
    await change("""attributes = '{"year": 1950}', attribute_words = 'Tourer'""")
    assert await found(bikes, ("attr", "year:..1960"), ("q", "tourer"))
    assert not await found(bikes, new)
    await change("status = 'sold'")
    assert not await found(("q", "tourer"), bikes)
    await change("status = 'active'")
    assert await found(("q", "tourer"), bikes, ("attr", "year:1950"))
    await change("category_id = (SELECT id FROM categories WHERE slug = 'cars')")
    assert not await found(("q", "tourer"), bikes)
    assert await found(("q", "tourer"), ("category", "cars"))
