"""PostgreSQL's plans for the pages of a large listing."""

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations, product
from typing import Any

import pytest
from sqlalchemy import text

from adsvc.kit.db.database import Database
from adsvc.kit.db.statements import Row
from adsvc.repositories.ads.criteria import (
    AdFilter,
    AttributeFilter,
    Branch,
    Key,
    Numbers,
    Order,
    Sort,
    order_of,
)
from adsvc.repositories.ads.facets import FacetRequest
from adsvc.repositories.ads.listing import page_sql, total_sql
from adsvc.repositories.ads.search import repository as search_rows
from adsvc.repositories.ads.search.planner import ENTRIES
from adsvc.repositories.ads.search.similar import read_source, similar_to
from adsvc.repositories.ads.search.statements import EXAMINED
from adsvc.repositories.ads.search_words import Parameters, parse
from adsvc.services.ads import listing
from adsvc.services.ads.listing import facets
from adsvc.services.categories.reading import CategoryTree
from conftest import DatabaseFactory
from support.scene.many_ads import CATEGORIES, THINGS, fill

# One table for all of them.
pytestmark = [pytest.mark.large, pytest.mark.xdist_group("large table")]

ADS = 100_000
AUTHORS = 100
ROWS = 21
BOUND = 1000
NOW = datetime.now(UTC)
MONTH, YEAR = NOW - timedelta(days=30), NOW - timedelta(days=365)
EVERYTHING = AdFilter()
# Of the ads a statement looks at some are looked at twice.
MOST_VISITED = 3 * EXAMINED


@pytest.fixture(scope="module")
async def database(new_database: DatabaseFactory) -> AsyncIterator[Database]:
    async with new_database() as url:
        database = Database(url, timeout=300)
        try:
            await fill(database, ads=ADS, authors=AUTHORS)
            yield database
        finally:
            await database.close()


Node = dict[str, Any]


def below(node: Node) -> Iterator[Node]:
    yield node
    for child in node.get("Plans", ()):
        yield from below(child)


def visited(node: Node) -> float:
    rows: float = node["Actual Rows"] + sum(
        node.get(f"Rows Removed by {reason}", 0) for reason in ("Filter", "Index Recheck")
    )
    return rows * float(node["Actual Loops"])


async def plan_of(database: Database, sql: str, values: Sequence[object]) -> tuple[Node, str]:
    row = await database.reader.fetchrow(
        f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}", *values
    )
    assert row is not None
    plan = json.loads(row["QUERY PLAN"])[0]["Plan"]
    return plan, f"{sql}\n{values}\n{json.dumps(plan, indent=1)}"


async def assert_frugal(database: Database, sql: str, parameters: Parameters) -> None:
    """Neither meant nor seen to look at a third of the ads, nor to sort all of them."""
    plan, told = await plan_of(database, sql, parameters.values)
    nodes = list(below(plan))
    of_ads = [node for node in nodes if node.get("Relation Name") == "ads"]
    assert not [node for node in of_ads if node["Node Type"] == "Seq Scan"], told
    for node in nodes:
        if "Sort" in node["Node Type"]:
            fed = [child for child in node["Plans"] if child["Parent Relationship"] == "Outer"]
            assert all(child["Plan Rows"] < ADS / 2 for child in fed), told
    assert of_ads or "ad_totals" in sql
    assert sum(map(visited, of_ads)) < ADS / 3, told


class BoundedReader:
    """Runs the query, and checks for each statement how many rows it reads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.statements = 0

    async def fetch(self, sql: str, *values: object, keep_plan: bool = False) -> Sequence[Row]:
        self.statements += 1
        plan, told = await plan_of(self._database, sql, values)
        nodes = list(below(plan))
        of_ads = [node for node in nodes if node.get("Relation Name") == "ads"]
        assert not [node for node in of_ads if node["Node Type"] == "Seq Scan"], told
        assert sum(map(visited, of_ads)) <= MOST_VISITED, told
        entries = [node["Actual Rows"] for node in nodes if "search" in node.get("Index Name", "")]
        assert sum(entries) <= 2 * ENTRIES, told
        return await self._database.reader.fetch(sql, *values, keep_plan=keep_plan)


def filters() -> list[AdFilter]:
    """Each of these alone, and each two of them."""
    chosen: list[dict[str, Any]] = [
        {"min_price": 0},
        {"min_price": 1000},
        {"max_price": 5},
        {"min_price": 90, "max_price": 90},
        {"author": 7},
        {"created_after": MONTH},
        {"created_after": YEAR},
        {"created_before": YEAR},
        {"created_before": NOW},
    ]
    pairs = (one | other for one, other in combinations(chosen, 2) if not one.keys() & other.keys())
    found = [AdFilter(**given) for given in (*chosen, *pairs)]
    return [ads for ads in (EVERYTHING, *found) if not ads.impossible]


async def deep_key(database: Database, order: Order) -> Key:
    """That of a row behind nine tenths of all."""
    key = ", ".join(f"{column.value} AS {column.name}" for column in order.columns)
    row = await database.reader.fetchrow(
        f"SELECT {key} FROM ads ORDER BY {order.by}"  # noqa: S608
        f" OFFSET {ADS * 9 // 10} LIMIT 1"
    )
    assert row is not None
    return order.key_of([row[name] for name in order.names])


@pytest.mark.parametrize("sort", [Sort.NEWEST, Sort.OLDEST, Sort.CHEAPEST, Sort.DEAREST])
@pytest.mark.parametrize("deep", [False, True])
async def test_pages_cost_what_they_hold(database: Database, sort: Sort, *, deep: bool) -> None:
    keys: dict[Order, Key] = {}
    for ads in filters():
        order = order_of(ads, sort)
        if deep and order not in keys:
            keys[order] = await deep_key(database, order)
        parameters = Parameters()
        sql = page_sql(ads, sort, ROWS, keys.get(order), parameters)
        await assert_frugal(database, sql, parameters)


async def test_counts_cost_no_more_than_the_bound(database: Database) -> None:
    for ads in filters():
        parameters = Parameters()
        sql = total_sql(ads, BOUND, parameters)
        await assert_frugal(database, sql, parameters)


# In all ads, in one of twenty, in none; a number; the beginnings of one and of many words; what is
# hardly ever together, what only excludes, and words that mean nothing.
WORDS = (
    "kind ", "table ", "zebra ", "12345", "nu", "oak table", "oak table lamp ", "-kind -zebra",
    '"kind number"', "oak or -kind ", "the of ", " or ".join(THINGS[:6]),
)  # fmt: skip
FILTERS = (EVERYTHING, AdFilter(min_price=90, max_price=90), AdFilter(created_before=YEAR))


@pytest.mark.parametrize("ads", FILTERS, ids=("everything", "narrow", "wide"))
async def test_a_search_looks_at_a_bounded_number_of_ads(database: Database, ads: AdFilter) -> None:
    """For every query, on the first page and on the next ones."""
    reader: Any = BoundedReader(database)
    for words, sort in product(WORDS, (Sort.RELEVANCE, Sort.CHEAPEST)):
        after: Key | None = None
        for _ in range(2):
            before = reader.statements
            found = await search_rows.page(
                reader, replace(ads, terms=parse(words)), sort, 20, after, BOUND
            )
            assert reader.statements - before <= 6
            assert len(found.records) <= 20
            after = found.next_key
            if after is None:
                break
        await search_rows.facets(
            reader, replace(ads, terms=parse(words)), FacetRequest((1, 100)), BOUND
        )


FUEL, SHIFT = (
    AttributeFilter("fuel", values=("electric",)),
    AttributeFilter("shift", values=("manual",)),
)
YEARS = AttributeFilter("year", ranges=(Numbers(2000, 2010),))
# A few ads, and a third of them.
KILOMETRES = AttributeFilter("mileage", ranges=(Numbers(5_000, 5_050),))
FEW_KILOMETRES = AttributeFilter("mileage", ranges=(Numbers(None, 100_000),))
ATTRIBUTES = (
    (FUEL,), (FUEL, SHIFT), (YEARS, SHIFT), (KILOMETRES,), (KILOMETRES, YEARS, FUEL),
    (FEW_KILOMETRES, YEARS), (AttributeFilter("year", values=(1995, 2001)), FUEL),
)  # fmt: skip
BRANCHES = (None, (3,), tuple(range(1, 11)), tuple(range(1, CATEGORIES + 1)))
PRICES: tuple[dict[str, Any], ...] = (
    {},
    {"min_price": 90, "max_price": 92},
    {"max_price": 5000, "price_type": "free"},
)


@pytest.mark.parametrize("words", [None, "oak ", "oak table ", "-oak "])
async def test_attributes_are_found_among_a_bounded_number_of_ads(
    database: Database, words: str | None
) -> None:
    """With categories, prices and words, in every order."""
    reader: Any = BoundedReader(database)
    terms = None if words is None else parse(words)
    for attributes, ids, prices in product((None, *ATTRIBUTES), BRANCHES, PRICES):
        branch = None if ids is None else Branch("branch", ids)
        ads = AdFilter(terms=terms, attributes=attributes, category=branch, **prices)
        for sort in (Sort.NEWEST, Sort.CHEAPEST):
            before = reader.statements
            found = await search_rows.page(reader, ads, sort, 20, None, BOUND)
            assert reader.statements - before <= 6
            # An empty page has seen everything, or has a link to the next one.
            assert found.records or found.count_exact or found.next_key


async def test_similar_ads_are_found_among_a_bounded_number(database: Database) -> None:
    reader: Any = BoundedReader(database)
    for number in range(1, 40):
        source = await read_source(database.reader, number)
        assert source is not None
        found = await similar_to(reader, source, [number % CATEGORIES])
        assert len(found.ids) == 12
        assert source.id not in found.ids


async def test_what_is_common_twice_and_never_together_is_known_to_be_nothing(
    database: Database,
) -> None:
    found = await search_rows.page(
        database.reader, AdFilter(attributes=(FUEL, SHIFT)), Sort.NEWEST, 20, None, BOUND
    )
    assert (found.count, found.count_exact, found.next_key) == (0, True, None)


async def test_what_cannot_match_is_not_looked_for(database: Database) -> None:
    none = [
        AdFilter(min_price=2, max_price=1),
        AdFilter(created_after=NOW, created_before=NOW),
        AdFilter(created_after=NOW, created_before=YEAR, min_price=1, terms=parse("oak")),
    ]
    for ads, sort in product(none, (Sort.NEWEST, Sort.CHEAPEST)):
        assert ads.impossible
        page = await listing.page(database.reader, ads, sort, limit=1, after=None, bound=BOUND)
        assert (page.count, page.count_exact, page.records) == (0, True, [])
        counted = await facets(database.reader, ads, CategoryTree({}), decimals=0, bound=BOUND)
        assert counted.count == 0
    for ads in (EVERYTHING, AdFilter(min_price=1, max_price=1), AdFilter(created_after=NOW)):
        assert not replace(ads, author=1).impossible


async def walk(database: Database, ads: AdFilter, sort: Sort) -> tuple[list[int], set[int], int]:
    """The ads met, the exact counts in the pages, and how many pages were short."""
    met: list[int] = []
    counts: set[int] = set()
    after: Key | None = None
    short = 0
    for _ in range(200):
        page = await listing.page(database.reader, ads, sort, limit=100, after=after, bound=ADS)
        met += [json.loads(record)["pk"] for record in page.records]
        # A count is never above the real number, nor below the number met so far.
        assert page.count >= len(met) or page.count_exact
        if page.count_exact:
            counts.add(page.count)
        if page.next_key is None:
            return met, counts, short
        short += len(page.records) < 100
        after = page.next_key
    raise AssertionError


MATCHES = "SELECT id FROM ads WHERE author_id = $1 AND search @@ websearch_to_tsquery('adsvc', $2)"


@pytest.mark.parametrize("words", ["oak", "-oak", "kind", "oak -table or lamp", "zebra", "-kind"])
async def test_a_walk_through_all_matches_meets_each_once(database: Database, words: str) -> None:
    there = {row["id"] for row in await database.reader.fetch(MATCHES, 7, words)}
    for sort in (sort for sort in Sort if sort is not Sort.DISTANCE):
        met, counts, _ = await walk(database, AdFilter(terms=parse(f"{words} "), author=7), sort)
        assert len(set(met)) == len(met)
        assert set(met) == there
        assert counts == {len(there)}


async def test_few_words_wait_to_be_indexed(database: Database) -> None:
    """Every search would read all of them."""
    async with database.transaction() as transaction:
        await transaction.execute(
            text(
                "INSERT INTO ads (author_id, title, description, price, image)"
                " SELECT author_id, 'Not in ' || id, description, price, image"
                " FROM ads ORDER BY id LIMIT 1500"
            )
        )
        explain = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT FROM ads WHERE search @@ 'zebra'"
        found = await transaction.scalar(text(explain))
        await transaction.execute(text("DELETE FROM ads WHERE title LIKE 'Not in %'"))
    [scan] = [
        node for node in below(found[0]["Plan"]) if "ix_ads_search" in node.get("Index Name", "")
    ]
    assert scan["Shared Hit Blocks"] + scan["Shared Read Blocks"] < 50


async def test_what_no_index_answers_is_answered_in_part(database: Database) -> None:
    """A page may be short, and the way to the next one leads past all ads to the last match."""
    newest = AdFilter(terms=parse('"kind number" '))
    for sort in (Sort.NEWEST, Sort.CHEAPEST, Sort.RELEVANCE):
        met, counts, short = await walk(database, newest, sort)
        assert (met, counts) == ([], set())
        assert short >= ADS // EXAMINED - 1
    there = await database.reader.fetch(
        "SELECT id FROM ads WHERE NOT title ~ 'table|Oak' ORDER BY id DESC LIMIT 1"
    )
    page = await listing.page(
        database.reader, AdFilter(terms=parse("-oak -table ")), Sort.RELEVANCE,
        limit=1, after=None, bound=ADS,
    )  # fmt: skip
    assert [json.loads(record)["pk"] for record in page.records] == [there[0]["id"]]
    assert 0 < page.count < EXAMINED
    assert not page.count_exact
