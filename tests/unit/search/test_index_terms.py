"""What the database writes into the index of words, and a search looks for there."""

import json
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise
from random import Random

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import create_async_engine

from adsvc import migrations
from adsvc.kit.db.database import Database
from adsvc.repositories.ads.criteria import AttributeFilter, Dates, Numbers
from adsvc.repositories.ads.search.planner import MOST_TERMS, attribute_terms, statistics_of
from adsvc.services.categories import changes
from conftest import DatabaseFactory

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


@pytest.mark.heavy
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


TREE = """
    INSERT INTO categories (id, slug, name, names, synonyms, parent_id) VALUES
        (1, 'vehicles', 'Vehicles', '{"de": "Fahrzeuge"}', '{"en": ["things on wheels"]}', NULL),
        (2, 'cars', 'Cars', '{"de": "Autos", "fr": "Voitures"}', '{"de": ["PKW", "der Wagen"]}', 1),
        (3, 'empty', '', '{}', '{}', NULL)
"""
AUTHOR = """
    INSERT INTO users (
        id, username, username_key, password_hash, first_name, last_name, phone, role
    )
    OVERRIDING SYSTEM VALUE VALUES (1, 'anna', 'anna', 'x', '', '', '', 'USER')
"""
COPY = """
    INSERT INTO ads (id, author_id, title, description, price, image, status, price_type,
        category_id, attributes, attribute_words)
    OVERRIDING SYSTEM VALUE
    SELECT id + :offset, 1, title, description, price, '', status, price_type, category_id,
        attributes, attribute_words
    FROM jsonb_populate_recordset(NULL::ads, CAST(:ads AS jsonb))
"""
# As before there were rules for the forms of words.
WITHOUT_WORDS = """
    ALTER TABLE ads DISABLE TRIGGER index_ad_on_update;
    UPDATE ads SET title_search = '', search = array_to_tsvector(ad_index_terms(ads))
    WHERE status IN ('active', 'reserved');
    ALTER TABLE ads ENABLE TRIGGER index_ad_on_update;
    UPDATE installation SET reworded = 0
"""
CHANGE = "UPDATE ads SET price = price + 1 WHERE id % 2 = 0"
# Where each lexeme stands does not matter, but which there are does.
DIFFERENT = """
    SELECT count(*) AS all, count(*) FILTER (
        WHERE (strip(old.search), strip(old.title_search))
            IS DISTINCT FROM (strip(new.search), strip(new.title_search))
    ) AS different
    FROM ads AS old JOIN ads AS new ON new.id = old.id + :offset
    WHERE old.id <= 1000
"""
WORDS = (
    "oak", "Table", "for", "the", "Tische", "running", "cars", "it's", "well-known", "a@b.example",
    "http://shop.example/x?y", "3.14", "-7", "<b>", "</b>", "&amp;", "Größe", "\u6f22\u5b57", "'",
    "\\", ":*", "<unclosed", "E-Bike", "1e5",
)  # fmt: skip
VALUES: tuple[object, ...] = (
    0, -0.0, 7, -12, 3.5, 1e300, "2026-11-24", "1999-02-30", "red", "x" * 70, "it's", True, [],
)  # fmt: skip


def random_ads(random: Random) -> Iterator[dict[str, object]]:
    def said(most: int) -> str:
        return " ".join(random.choices(WORDS, k=random.randint(0, most)))

    for number in range(1, 301):
        names = random.sample(["year", "colour", "it's", "date"], random.randint(0, 3))
        yield {
            "id": number,
            "title": said(6),
            "description": said(40),
            "attribute_words": said(5),
            "price": random.choice([0, 1, random.randint(0, 10**9)]),
            "price_type": random.choice(["fixed", "free", "negotiable"]),
            "status": random.choice(["active", "active", "reserved", "sold"]),
            "category_id": random.choice([None, 1, 2, 3]),
            "attributes": {name: random.choice(VALUES) for name in names},
        }


@pytest.mark.heavy
async def test_the_job_writes_the_lexemes_of_the_trigger(bare_database: DatabaseFactory) -> None:
    """Ads written before the rules, after, and after another language."""
    ads = json.dumps(list(random_ads(Random(5))))
    async with bare_database() as url:
        await migrations.upgrade(url, language="english")
        engine = create_async_engine(url)
        async with engine.begin() as connection:
            for statement in (TREE, AUTHOR):
                await connection.exec_driver_sql(statement)
            await connection.execute(text(COPY), {"ads": ads, "offset": 0})
            await connection.exec_driver_sql(CHANGE)
            for statement in WITHOUT_WORDS.split(";"):
                await connection.exec_driver_sql(statement)
        for offset, language in ((1000, None), (2000, "german")):
            await migrations.upgrade(url, language=language)
            database = Database(url)
            await changes.add_words(database)
            await database.close()
            async with engine.begin() as connection:
                await connection.execute(text(COPY), {"ads": ads, "offset": offset})
                await connection.exec_driver_sql(f"{CHANGE} AND id > {offset}")
                found = await connection.execute(text(DIFFERENT), {"offset": offset})
                assert tuple(found.one()) == (300, 0)
        await engine.dispose()


# Of so few words PostgreSQL names ten, which all ads have.
FEW_WORDS = """
    SET LOCAL default_statistics_target = 1;
    INSERT INTO ads (author_id, title, description, price, image, category_id, attribute_words)
    SELECT 1, 'one two three four five six seven eight nine ten eleven twelve', '', 1, '',
        CASE WHEN number > 30 THEN 1 END, ''
    FROM generate_series(1, 100) AS number;
    ANALYZE ads
"""


@pytest.mark.heavy
async def test_it_is_known_how_many_ads_a_category_has(database_url: URL) -> None:
    engine = create_async_engine(database_url)
    async with engine.begin() as connection:
        driver = (await connection.get_raw_connection()).driver_connection
        assert driver is not None
        await driver.execute(f"{TREE}; {AUTHOR}; {FEW_WORDS}")
    await engine.dispose()
    database = Database(database_url)
    known = await statistics_of(database.list_reader)
    assert known.search.ads_with("twelv") == 100
    assert round(known.search.ads_with("@1")) == 70
    await database.close()
