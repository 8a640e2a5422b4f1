"""Pagination by sort keys of any types and directions, and what their cursors belong to."""

from collections.abc import AsyncIterator
from dataclasses import field, make_dataclass
from datetime import datetime, timedelta
from itertools import product

import pytest
from sqlalchemy.engine import URL

from adsvc.api.input.filters import listing_name
from adsvc.api.input.parameters import Cursors
from adsvc.errors import CursorExpiredError
from adsvc.kit.db.database import Database
from adsvc.repositories.ads.criteria import EPOCH, AdFilter, Key, Order, Sort, SortColumn
from adsvc.repositories.ads.search_words import Parameters, parse

CURSORS = Cursors("0123456789abcdefghijklmnopqrstuvwxyz")

ROWS = """
    (SELECT n AS id, (n % 3)::float8 / 7 AS distance,
        (ARRAY['Oak', 'ä"\\,', 'oak', ''])[n % 4 + 1] COLLATE "C" AS name,
        timestamptz '2026-01-01Z' + n % 5 * interval '1 millisecond' AS moment
    FROM generate_series(1, 60) AS n) AS rows
"""


@pytest.fixture
async def database(migrated_url: URL) -> AsyncIterator[Database]:
    database = Database(migrated_url, pool_size=2, timeout=5)
    yield database
    await database.close()


async def walked(database: Database, order: Order) -> list[int]:
    met: list[int] = []
    after: Key | None = None
    for _ in range(30):
        parameters = Parameters()
        where = f"WHERE {order.beyond(after, parameters)}" if after else ""
        rows = await database.reader.fetch(
            f"SELECT *, json_build_array({', '.join(column.as_json for column in order.columns)})"  # noqa: S608
            f"::text AS key FROM {ROWS} {where} ORDER BY {order.by} LIMIT 7",
            *parameters.values,
        )
        if not rows:
            break
        met += [row["id"] for row in rows]
        after = order.key_of([rows[-1][name] for name in order.names])
        assert CURSORS.decode("rows", CURSORS.encode("rows", after)) == after
    return met


@pytest.mark.heavy
async def test_a_walk_meets_everything_once_by_keys_of_mixed_types_and_directions(
    database: Database,
) -> None:
    for directions in product((False, True), repeat=4):
        names = ("distance", "name", "moment", "id")
        order = Order(
            tuple(
                SortColumn(name, descending, is_moment=name == "moment")
                for name, descending in zip(names, directions, strict=True)
            )
        )
        rows = await database.reader.fetch(f"SELECT id FROM {ROWS} ORDER BY {order.by}")  # noqa: S608
        assert await walked(database, order) == [row["id"] for row in rows], order.by


def test_an_unset_filter_voids_no_cursor() -> None:
    grown = make_dataclass(
        "Grown",
        [("after_all", str | None, field(default=None))],
        bases=(AdFilter,),
        frozen=True,
    )
    for given in (
        {},
        {"min_price": 5},
        {"author": 7, "created_after": EPOCH, "terms": parse("oak table")},
    ):
        for sort in Sort:
            name = listing_name(AdFilter(**given), sort)
            assert listing_name(grown(**given), sort) == name, given
            assert listing_name(grown(**given, after_all="x"), sort) != name, given


def test_each_filter_and_order_has_cursors_of_its_own() -> None:
    moment: datetime = EPOCH + timedelta(days=1)
    filters = [
        AdFilter(),
        AdFilter(min_price=0),
        AdFilter(max_price=0),
        AdFilter(author=1),
        AdFilter(created_after=moment),
        AdFilter(created_before=moment),
        AdFilter(terms=parse("oak")),
        AdFilter(terms=parse("-oak")),
    ]
    names = {listing_name(ads, sort) for ads, sort in product(filters, Sort)}
    assert len(names) == len(filters) * len(Sort)


@pytest.mark.parametrize("sort", [Sort.CHEAPEST, Sort.DEAREST])
def test_a_cursor_by_the_stored_price_is_refused(sort: Sort) -> None:
    """Lists were sorted by the column `price` once, whose values mean something else."""
    by = "price DESC, id DESC" if sort is Sort.DEAREST else "price, id"
    for ads in (AdFilter(), AdFilter(min_price=5), AdFilter(terms=parse("oak"))):
        kind = "ads" if ads.terms is None else "search"
        cursor = CURSORS.encode(f"{kind} {ads.given} {sort} {by}", [5, 7])
        with pytest.raises(CursorExpiredError):
            CURSORS.decode(listing_name(ads, sort), cursor)
