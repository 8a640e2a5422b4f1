"""The index terms of numbers and dates, as the database writes them and a search looks for them."""

import json
from datetime import date, timedelta
from itertools import pairwise
from random import Random

from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import create_async_engine

from adsvc.repositories.ads.criteria import AttributeFilter, Dates, Numbers
from adsvc.repositories.ads.search.planner import MOST_TERMS, attribute_terms

# By number, the terms that the database gives an ad with it.
TERMS = """
    SELECT number, ad_index_terms(
        jsonb_populate_record(NULL::ads, jsonb_build_object(
            'price', 0, 'price_type', 'fixed', 'attributes', jsonb_build_object('it', number)
        ))
    ) AS terms
    FROM jsonb_array_elements(CAST(:numbers AS jsonb)) AS number
"""


async def terms_of(url: URL, values: list[object]) -> list[set[str]]:
    engine = create_async_engine(url)
    async with engine.connect() as connection:
        found = await connection.execute(text(TERMS), {"numbers": json.dumps(values)})
        # Without those of the price.
        terms = [{term for term in row.terms if term[0] == "="} for row in found]
    await engine.dispose()
    return terms


def some_numbers(random: Random) -> list[float]:
    edges = [0, -0.0, 1, -1, 0.1, 2**53 - 1, -(2**53) + 1, 1e-15, 1023, 1024, 1025, 1e300, 1e-310]
    whole = [random.randint(-(10**size), 10**size) for size in range(1, 15) for _ in range(4)]
    return [*edges, *whole, *(random.uniform(-500, 500) for _ in range(40))]


async def test_a_range_has_a_term_of_every_number_in_it(migrated_url: URL) -> None:
    random = Random(7)
    numbers = some_numbers(random)
    terms = await terms_of(migrated_url, list(numbers))
    for _ in range(300):
        low, high = sorted(random.choices(numbers, k=2))
        for limits in (Numbers(low, high), Numbers(None, high), Numbers(low, None)):
            asked = set(attribute_terms(AttributeFilter("it", ranges=(limits,))))
            assert 0 < len(asked) <= MOST_TERMS
            for number, given in zip(numbers, terms, strict=True):
                if (limits.low is None or number >= limits.low) and (
                    limits.high is None or number <= limits.high
                ):
                    assert asked & given, (limits, number)


async def test_the_terms_of_a_range_lie_near_it(migrated_url: URL) -> None:
    """Years by single ones, larger numbers to a hundredth or so."""
    years = list(range(1900, 2100))
    terms = dict(zip(years, await terms_of(migrated_url, list(years)), strict=True))
    for low, high in ((2015, 2020), (1999, 1999), (1990, 2026), (2000, 2047)):
        asked = set(attribute_terms(AttributeFilter("it", ranges=(Numbers(low, high),))))
        assert [year for year in years if asked & terms[year]] == list(range(low, high + 1))
    [one] = attribute_terms(AttributeFilter("it", values=(123_456,)))
    near, far = await terms_of(migrated_url, [123_456.0, 123_456 * 1.01])
    assert one in near
    assert one not in far


async def test_dates_are_found_by_range_and_alone(migrated_url: URL) -> None:
    random = Random(3)
    first = date(1980, 1, 1)
    days = sorted(str(first + timedelta(random.randrange(40_000))) for _ in range(60))
    terms = await terms_of(migrated_url, list(days))
    for low, high in pairwise(days):
        asked = set(attribute_terms(AttributeFilter("it", ranges=(Dates(low, high),))))
        for day, given in zip(days, terms, strict=True):
            assert asked & given or not low <= day <= high
        assert attribute_terms(AttributeFilter("it", values=(low,)))[0] in terms[days.index(low)]


async def test_other_values_have_terms_of_their_own(migrated_url: URL) -> None:
    values: list[object] = ["it's \\ so", "true", True, "3", 3, "x" * 1000, None, [1], "2026-99-99"]
    told = await terms_of(migrated_url, values)
    assert told[0] == {"=it=it's \\ so"}
    assert told[1] == told[2] == {"=it=true"}
    assert not told[3] & told[4]
    assert told[5] == {f"=it={'x' * 64}"}
    assert told[6] == told[7] == set()
    assert "=it=2026-99-99" in told[8]
