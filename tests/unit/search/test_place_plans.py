"""PostgreSQL's plans for searches by place in a large table."""

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import product
from typing import Any

import pytest
from sqlalchemy import text

from adsvc.kit.db.database import Database
from adsvc.kit.db.statements import Row
from adsvc.repositories.ads.criteria import AdFilter, Key, Sort
from adsvc.repositories.ads.places import Box, Circle
from adsvc.repositories.ads.search.distance import MOST_IN_RING, MOST_PLACED
from adsvc.repositories.ads.search.statements import EXAMINED, EXAMINED_BY_PLACE
from adsvc.repositories.ads.search_words import parse
from adsvc.services.ads import listing
from conftest import DatabaseFactory

pytestmark = [pytest.mark.large, pytest.mark.xdist_group("large table of places")]

ADS = 100_000
BOUND = 1000

# Half of them around one city, a tenth at one point, the rest anywhere in a large country.
FILL = f"""
    INSERT INTO ads (
        author_id, title, description, price, image,
        latitude, longitude, public_latitude, public_longitude
    )
    SELECT 1, (ARRAY['Oak table', 'Red lamp', 'Old desk'])[1 + n % 3], 'Number ' || n || '.',
        n * 7919 % 1000, md5(n::text) || '.jpg', at[1], at[2], at[1], at[2]
    FROM generate_series(1, {ADS}) AS n,
        LATERAL (SELECT n * 7919 % 1009 / 1009.0 AS a, n * 7907 % 10007 / 10007.0 AS b) AS chance,
        LATERAL (SELECT CASE
            WHEN n % 10 = 0 THEN ARRAY[52.52, 13.405]
            WHEN n % 2 = 0
                THEN ARRAY[52.4 + round(a::numeric / 4, 2), 13.1 + round(b::numeric / 2, 2)]
            ELSE ARRAY[47 + a * 7, 6 + b * 9]
        END::float[] AS at) AS place
"""  # noqa: S608


@pytest.fixture(scope="module")
async def database(new_database: DatabaseFactory) -> AsyncIterator[Database]:
    async with new_database() as url:
        database = Database(url, timeout=120)
        try:
            async with database.autocommit() as session:
                await session.execute(
                    text(
                        "INSERT INTO users (id, username, username_key, password_hash, first_name,"
                        " last_name, phone, role) OVERRIDING SYSTEM VALUE"
                        " VALUES (1, 'anna', 'anna', 'x', '', '', '', 'USER')"
                    )
                )
                await session.execute(text(FILL))
                # Index-only scans need to know which pages everybody sees.
                await session.execute(text("VACUUM ANALYZE ads"))
            yield database
        finally:
            await database.close()


Node = dict[str, Any]


def below(node: Node) -> Iterator[Node]:
    yield node
    for child in node.get("Plans", ()):
        yield from below(child)


class BoundedReader:
    """Runs the query, and checks for each statement how many rows it reads."""

    def __init__(self, database: Database) -> None:
        self._reader = database.reader
        self.statements = 0

    async def fetch(self, sql: str, *values: object, keep_plan: bool = False) -> Sequence[Row]:
        self.statements += 1
        row = await self._reader.fetchrow(
            f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}", *values
        )
        assert row is not None
        plan = json.loads(row["QUERY PLAN"])[0]["Plan"]
        told = f"{sql}\n{values}\n{json.dumps(plan, indent=1)}"
        entries = rows = 0.0
        for node in below(plan):
            if node.get("Relation Name") != "ads":
                continue
            assert node["Node Type"] != "Seq Scan", told
            seen = node["Actual Rows"] + sum(
                node.get(f"Rows Removed by {reason}", 0) for reason in ("Filter", "Index Recheck")
            )
            if node.get("Index Name") == "ix_ads_public_point":
                assert node["Node Type"] == "Index Only Scan", told
                entries += seen * node["Actual Loops"]
            else:
                rows += seen * node["Actual Loops"]
        # Of the last strip there may be more than are taken.
        assert entries <= max(MOST_PLACED, BOUND) + 3 * MOST_IN_RING, told
        assert rows <= max(3 * EXAMINED, 2 * EXAMINED_BY_PLACE), told
        return await self._reader.fetch(sql, *values, keep_plan=keep_plan)


Point = tuple[float, float]
CITY: Point = (52.52, 13.405)
COUNTRY: Point = (49.5, 11.0)
NOWHERE: Point = (0.0, -30.0)
OTHERS: list[dict[str, Any]] = [
    {}, {"terms": parse("oak ")}, {"terms": parse("zebra ")}, {"terms": parse("-oak -red ")},
    {"max_price": 3}, {"min_price": 500}, {"box": Box(12.9, 52.3, 13.4, 52.6)},
]  # fmt: skip


@pytest.mark.parametrize("sort", [Sort.NEWEST, Sort.CHEAPEST, Sort.DISTANCE])
async def test_a_search_by_place_looks_at_a_bounded_number_of_ads(
    database: Database, sort: Sort
) -> None:
    """For every place and every other filter, on the first pages and on deep ones."""
    reader: Any = BoundedReader(database)
    for centre, radius, others in product(
        (CITY, COUNTRY, NOWHERE), (1, 2000, 25_000, 500_000), OTHERS
    ):
        ads = AdFilter(near=Circle(centre[0], centre[1], radius), **others)
        deep: Key = [radius * 9 // 10, 50_000, 9] if sort is Sort.DISTANCE else [0, 0][:0]
        for start in (None, deep or None):
            after = start
            for _ in range(2):
                before = reader.statements
                found = await listing.page(reader, ads, sort, limit=20, after=after, bound=BOUND)
                assert reader.statements - before <= 16, (ads, sort, after)
                assert len(found.records) <= 20
                after = found.next_key
                if after is None:
                    break


async def test_a_box_of_any_size_looks_at_a_bounded_number_of_ads(database: Database) -> None:
    reader: Any = BoundedReader(database)
    boxes = (Box(-180, -90, 180, 90), Box(13, 52.5, 13.2, 52.6), Box(170, -90, -170, 90))
    for box, sort in product(boxes, (Sort.NEWEST, Sort.DEAREST)):
        found = await listing.page(
            reader, AdFilter(box=box), sort, limit=20, after=None, bound=BOUND
        )
        assert len(found.records) == (0 if box.west > box.east else 20)


async def test_a_map_of_any_size_looks_at_a_bounded_number_of_ads(database: Database) -> None:
    reader: Any = BoundedReader(database)
    boxes = (Box(-180, -90, 180, 90), Box(13, 52.4, 13.7, 52.7), Box(6, 47, 6.5, 47.5))
    for box, others in product(boxes, OTHERS[:-1]):
        cells, _ = await listing.cells(reader, AdFilter(box=box, **others), bound=BOUND)
        assert len(json.loads(cells)) <= 400


async def test_pages_by_distance_are_full_where_many_ads_are_at_one_point(
    database: Database,
) -> None:
    """Those there come first, the newest before the others, however many they are."""
    after: Key | None = None
    met: list[tuple[int, int]] = []
    for _ in range(5):
        found = await listing.page(
            database.reader, AdFilter(near=Circle(CITY[0], CITY[1], 25_000)), Sort.DISTANCE,
            limit=20, after=after, bound=BOUND,
        )  # fmt: skip
        records = [json.loads(record) for record in found.records]
        met += [(record["distance"], -record["pk"]) for record in records]
        assert len(records) == 20
        after = found.next_key
    assert met == sorted(met)
    assert {distance for distance, _ in met} == {0}
