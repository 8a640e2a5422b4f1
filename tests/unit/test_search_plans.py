"""How PostgreSQL goes about the pages of a large listing, as it tells itself."""

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations, product
from typing import Any

import pytest

from adsvc.db import Database
from adsvc.repositories import AdFilter, BulkRepository, Sort
from adsvc.repositories.listing_sql import (
    WINDOW,
    key_columns,
    key_of,
    order_of,
    page_sql,
    total_sql,
)
from adsvc.repositories.words_sql import Parameters
from adsvc.search import parse
from adsvc.services import listing, seeding
from conftest import DatabaseFactory

# One table for all of them.
pytestmark = [pytest.mark.heavy, pytest.mark.xdist_group("large table")]

ADS = 100_000
AUTHORS = 100
ROWS = 21
BOUND = 1000
NOW = datetime.now(UTC)
MONTH, YEAR = NOW - timedelta(days=30), NOW - timedelta(days=365)
EVERYTHING = AdFilter()


@pytest.fixture(scope="module")
async def database(new_database: DatabaseFactory) -> AsyncIterator[Database]:
    async with new_database() as url:
        database = Database(url, timeout=60)
        try:
            await fill(database)
            yield database
        finally:
            await database.close()


async def fill(database: Database) -> None:
    names = [f"user{number}@example.com" for number in range(AUTHORS)]
    authors = await seeding._add_users(database, names, "no hash")
    rows = seeding._rows(ADS, [author.id for author in authors])
    records = [(*row[:4], f"{n:032x}.jpg", row[4], row[4]) for n, row in enumerate(rows)]
    async with database.transaction() as transaction:
        await BulkRepository(transaction.session).copy("ads", seeding.AD_COLUMNS, records)
    async with database.autocommit() as session:
        await BulkRepository(session).analyze("ads")


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


async def assert_frugal(database: Database, sql: str, parameters: Parameters) -> None:
    """Neither meant nor seen to look at a third of the ads, nor to sort all of them."""
    explain = f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}"
    row = await database.reader.fetchrow(explain, *parameters.values)
    assert row is not None
    plan = json.loads(row["QUERY PLAN"])[0]["Plan"]
    told = f"{sql}\n{parameters.values}\n{json.dumps(plan, indent=1)}"
    nodes = list(below(plan))
    of_ads = [node for node in nodes if node.get("Relation Name") == "ads"]
    assert not [node for node in of_ads if node["Node Type"] == "Seq Scan"], told
    for node in nodes:
        if "Sort" in node["Node Type"]:
            fed = [child for child in node["Plans"] if child["Parent Relationship"] == "Outer"]
            assert all(child["Plan Rows"] < ADS / 2 for child in fed), told
    assert of_ads or "ad_totals" in sql
    assert sum(map(visited, of_ads)) < ADS / 3, told


def filters(words: Sequence[str]) -> list[AdFilter]:
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
        *({"terms": parse(text)} for text in words),
    ]
    pairs = (one | other for one, other in combinations(chosen, 2) if not one.keys() & other.keys())
    found = [AdFilter(**given) for given in (*chosen, *pairs)]
    return [ads for ads in (EVERYTHING, *found) if not ads.impossible]


# In all ads, in one of twenty, in none; the beginning of one; a number; two words.
WORDS = ("kind ", "table ", "zebra ", "sof", "12345", "oak table")
# What only excludes has no index: pages in an order of their own still end early, but ads of which
# the title alone lacks the word are looked for among all.
EXCLUDING = "-oak"


async def deep_key(database: Database, ads: AdFilter, sort: Sort) -> Sequence[int]:
    """That of a row behind nine tenths of all."""
    order = order_of(ads, sort)
    row = await database.reader.fetchrow(
        f"SELECT 1 AS place, id, price, created_at FROM ads ORDER BY {order.by}"  # noqa: S608
        f" OFFSET {ADS * 9 // 10} LIMIT 1"
    )
    assert row is not None
    return key_of([row[column] for column in key_columns(ads, sort)])


@pytest.mark.parametrize("sort", Sort)
@pytest.mark.parametrize("deep", [False, True])
async def test_pages_cost_what_they_hold(database: Database, sort: Sort, *, deep: bool) -> None:
    keys: dict[tuple[str, ...], Sequence[int]] = {}
    relevance = sort is Sort.RELEVANCE
    for ads in filters(WORDS if relevance else (*WORDS, EXCLUDING)):
        if relevance and ads.terms is None:
            continue
        columns = order_of(ads, sort).columns
        if deep and columns not in keys:
            keys[columns] = await deep_key(database, ads, sort)
        parameters = Parameters()
        sql = page_sql(ads, sort, ROWS, keys.get(columns), parameters)
        await assert_frugal(database, sql, parameters)


async def test_counts_cost_no_more_than_the_bound(database: Database) -> None:
    for ads in filters((*WORDS, EXCLUDING)):
        parameters = Parameters()
        sql = total_sql(ads, BOUND, parameters)
        await assert_frugal(database, sql, parameters)


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
        assert (await listing.facets(database.reader, ads, bound=BOUND)).count == 0
    for ads in (EVERYTHING, AdFilter(min_price=1, max_price=1), AdFilter(created_after=NOW)):
        assert not replace(ads, author=1).impossible


@pytest.mark.parametrize("words", ["oak", "-oak", "kind", "oak -table or lamp", "zebra"])
async def test_a_walk_through_all_matches_meets_as_many_as_are_counted(
    database: Database, words: str
) -> None:
    """Across the windows in which a search looks first, and beyond them."""
    ads = AdFilter(terms=parse(words), author=7)
    for sort in Sort:
        met: list[int] = []
        after: Sequence[int] | None = None
        while True:
            page = await listing.page(
                database.reader, ads, sort, limit=300, after=after, bound=WINDOW
            )
            met += [json.loads(record)["pk"] for record in page.records]
            if page.next_key is None:
                break
            after = page.next_key
        assert len(set(met)) == len(met) == page.count
