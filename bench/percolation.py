"""What it costs to find the saved searches that an ad matches, by how many are saved.

    ADS=20000 SEARCHES=10000,100000,1000000 .venv/bin/python -m bench.percolation

A fifth of the searches are distinct; which of them an account saves follows Zipf's law. Words,
categories and places are those of demonstration ads, all of which are common: few words have many
ads, as on a site of one trade.
"""

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import MappingProxyType
from urllib.parse import urlencode

import asyncpg
from sqlalchemy import make_url

from adsvc.db.database import Database
from adsvc.repositories.ads.search.keys import keys_of, rarity_of
from adsvc.repositories.searches import digest, store_matches
from adsvc.services.searches import Percolation, wanted_of
from adsvc_ops.seeding.catalogue import CITIES, ITEMS, QUALITIES

from .servers import Site

# Of searches, how many are distinct.
DISTINCT = 0.2
# Ads that are matched one by one, and at once.
ALONE = 300
BATCHES = 5
BATCH = 100
RADII = (5_000, 10_000, 25_000, 50_000, 100_000)
ATTRIBUTES: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "cars": ("fuel:diesel", "fuel:electric", "gearbox:automatic", "mileage:..100000"),
        "flats-for-rent": ("rooms:2..3", "rooms:4..", "balcony:true"),
    }
)


def queries(random: Random, count: int) -> Iterator[str]:
    """Distinct ones."""
    words = sorted({word for item in ITEMS.values() for thing in item.things for word in
                    thing.split()})  # fmt: skip
    met: set[str] = set()
    while len(met) < count:
        kind = random.random()
        query: list[tuple[str, str | int]] = []
        slug = random.choice(sorted(ITEMS))
        if kind < 0.7:
            chosen = random.sample(words, random.choice((1, 1, 2)))
            if random.random() < 0.2:
                chosen.insert(0, random.choice(QUALITIES).split()[0].lower())
            query.append(("q", " ".join(chosen)))
        if random.random() < 0.6:
            high = ITEMS[slug].highest
            query.append(("maxPrice", round(random.uniform(0.2, 1.5) * high) + 1))
        if kind > 0.6:
            query.append(("category", slug))
            if kind > 0.8 and slug in ATTRIBUTES:
                query.append(("attr", random.choice(ATTRIBUTES[slug])))
        if random.random() < 0.4:
            city = random.choice(CITIES)
            east, north = (random.gauss(0, 0.1) for _ in range(2))
            place = f"{city.latitude + north:.3f},{city.longitude + east:.3f}"
            query += [("near", place), ("radius", random.choice(RADII))]
        spelled = urlencode(query)
        if spelled and spelled not in met and {"q", "category", "near"} & dict(query).keys():
            met.add(spelled)
            yield spelled


async def fill(database: Database, connection: asyncpg.Connection, searches: int) -> None:
    """By SQL: as the service does it, it would take an hour."""
    random = Random(searches)
    rarity = await rarity_of(database.reader)
    await connection.execute("TRUNCATE saved_queries CASCADE")
    chosen = list(queries(random, round(searches * DISTINCT)))
    rows = [(number, query, digest(query)) for number, query in enumerate(chosen, 1)]
    await connection.copy_records_to_table(
        "saved_queries", records=rows, columns=("id", "query", "digest")
    )
    keys = [
        (key.term, key.other, number)
        for number, query, _ in rows
        for key in await keys_of(database.reader, wanted_of(query), rarity)
    ]
    await connection.copy_records_to_table(
        "query_keys", records=keys, columns=("term", "other", "query_id")
    )
    users = [row["id"] for row in await connection.fetch("SELECT id FROM users")]
    weights = [1 / number for number in range(1, len(rows) + 1)]
    drawn = random.choices(range(1, len(rows) + 1), weights, k=searches)
    saved = {(random.choice(users), query_id) for query_id in drawn}
    await connection.copy_records_to_table(
        "saved_searches",
        records=[(user, query_id, "Any", 0, 0) for user, query_id in saved],
        columns=("user_id", "query_id", "name", "seen", "alerted"),
    )
    await connection.execute("ANALYZE saved_queries, query_keys, saved_searches, query_matches")


@dataclass(frozen=True, slots=True)
class Measured:
    """Milliseconds and candidates of an ad by itself, sorted; ads a second in batches."""

    alone: Sequence[float]
    candidates: Sequence[int]
    a_second: float

    @staticmethod
    def p95(values: Sequence[float]) -> float:
        return values[round(len(values) * 0.95) - 1]

    def __str__(self) -> str:
        return (
            f"one ad {statistics.median(self.alone):.1f} ms, p95 {self.p95(self.alone):.1f} ms;"
            f" candidates {statistics.median(self.candidates):.0f}, p95"
            f" {self.p95(self.candidates):.0f}; {self.a_second:.0f} ads/s"
        )


async def measure(database: Database, connection: asyncpg.Connection) -> Measured:
    random = Random(7)
    ids = [row["id"] for row in await connection.fetch("SELECT id FROM ads ORDER BY id")]
    percolation = Percolation(database)

    async def match(ad_ids: Sequence[int]) -> tuple[float, int]:
        percolation.candidates = 0
        events = [
            {"id": number, "type": "ad.created", "ad_id": ad_id}
            for number, ad_id in enumerate(ad_ids, 1)
        ]
        began = time.perf_counter()
        found = await percolation.matches(events)
        async with database.transaction() as transaction:
            await store_matches(transaction.session, found.found, found.used)
        return time.perf_counter() - began, percolation.candidates

    # The filters of frequent queries are kept.
    for _ in range(2):
        await match(random.sample(ids, BATCH))
    alone = [await match([random.choice(ids)]) for _ in range(ALONE)]
    batches = [(await match(random.sample(ids, BATCH)))[0] for _ in range(BATCHES)]
    return Measured(
        sorted(seconds * 1000 for seconds, _ in alone),
        sorted(candidates for _, candidates in alone),
        BATCH / statistics.median(batches),
    )


async def run(url: str, sizes: Sequence[int]) -> None:
    database = Database(make_url(url), timeout=60)
    connection = await asyncpg.connect(
        make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    )
    try:
        for searches in sizes:
            began = time.perf_counter()
            await fill(database, connection, searches)
            print(f"{searches:,} searches, made in {time.perf_counter() - began:.0f} s", flush=True)
            print(f"    {await measure(database, connection)}", flush=True)
    finally:
        await connection.close()
        await database.close()


def main() -> None:
    ads = int(os.environ.get("ADS", "20000"))
    sizes = [int(size) for size in os.environ.get("SEARCHES", "10000,100000").split(",")]
    with tempfile.TemporaryDirectory(prefix="adsvc-bench-") as directory:
        site = Site(Path(directory).resolve() / "site", ads)
        site.seed()
        with site.database() as url:
            asyncio.run(run(url, sizes))


if __name__ == "__main__":
    main()
