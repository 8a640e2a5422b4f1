"""What it costs to find the saved searches that an ad matches, by how many are saved.

    ADS=20000 SEARCHES=10000,100000,1000000 .venv/bin/python -m bench.percolation

A fifth of the searches are distinct; which of them an account saves follows Zipf's law. Ads are
those of a demonstration, with words added that follow the same law among 30,000, as in any large
collection of texts; the words of searches are both. With `TRADE=1` there are the words of the
demonstration alone, all of which are common, as on a site of one trade: most searches match
hundreds of ads, and an ad as many of the searches.
"""

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from pathlib import Path
from random import Random
from types import MappingProxyType
from urllib.parse import urlencode

import asyncpg
from sqlalchemy import make_url

from adsvc.kit.db.database import Database
from adsvc.repositories import percolation
from adsvc.repositories.following import digest
from adsvc.repositories.percolation import store_matches
from adsvc.services.following import KEYS_AT_ONCE, Percolation, stored_queries
from adsvc_ops.seeding.catalogue import CATALOGUE, CITIES, GOODS

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


SYLLABLES = [f"{consonant}{vowel}" for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
ALL_WORDS = ["".join(word) for word in product(SYLLABLES, repeat=3)]
PRICES = [step * 10**power for power in range(1, 5) for step in (1, 2, 3, 5, 8)]
VOCABULARY = Random(3).sample(ALL_WORDS, 30_000)
RANKS = list(accumulate(1 / rank for rank in range(1, len(VOCABULARY) + 1)))
# The most frequent words are those that people do not search for.
UNSOUGHT = 50
WORDS_OF_AD = 25


def frequent_words(random: Random, count: int) -> list[str]:
    return random.choices(VOCABULARY, cum_weights=RANKS, k=count)


def sought_word(random: Random, things: Sequence[str], *, is_trade: bool) -> str:
    if is_trade or random.random() < 0.3:
        return random.choice(things)
    while (word := frequent_words(random, 1)[0]) in VOCABULARY[:UNSOUGHT]:
        pass
    return word


def queries(random: Random, count: int, *, is_trade: bool) -> Iterator[str]:
    """Distinct ones."""
    words = sorted({word for item in GOODS.values() for thing in item.things for word in
                    thing.split()})  # fmt: skip
    met: set[str] = set()
    while len(met) < count:
        kind = random.random()
        query: list[tuple[str, str | int]] = []
        slug = random.choice(sorted(GOODS))
        has_words = kind < (0.7 if is_trade else 0.85)
        if has_words:
            many = random.choice((1, 1, 2) if is_trade else (1, 2, 2, 3))
            chosen = [sought_word(random, words, is_trade=is_trade) for _ in range(many)]
            if random.random() < 0.2:
                chosen.insert(0, random.choice(CATALOGUE["qualities"]["any"]).split()[0].lower())
            query.append(("q", " ".join(chosen)))
        if random.random() < 0.6:
            high = random.uniform(0.2, 1.5) * GOODS[slug].price[1]
            query.append(("maxPrice", min(PRICES, key=lambda price: abs(price - high))))
        if kind > 0.6:
            query.append(("category", slug))
            if kind > 0.8 and slug in ATTRIBUTES:
                query.append(("attr", random.choice(ATTRIBUTES[slug])))
        # A whole category of all places is more than one reads.
        if random.random() < 0.4 or not (has_words or is_trade):
            latitude, longitude, _ = random.choice(list(CITIES.values()))
            east, north = (random.gauss(0, 0.1) for _ in range(2))
            place = f"{latitude + north:.3f},{longitude + east:.3f}"
            query += [("near", place), ("radius", random.choice(RADII))]
        spelled = urlencode(query)
        if spelled and spelled not in met and {"q", "category", "near"} & dict(query).keys():
            met.add(spelled)
            yield spelled


ACCOUNTS = """
    INSERT INTO users (
        username, username_key, password_hash, first_name, last_name, phone, role
    )
    SELECT name, name, '', 'R', 'R', '', 'USER'
    FROM generate_series(1, $1::int) AS number,
        LATERAL (SELECT 'reader' || number || '@example.com') AS named (name)
"""


async def prepare(connection: asyncpg.Connection, accounts: int, *, is_trade: bool) -> None:
    """Accounts that save searches, and words for the ads."""
    await connection.execute(ACCOUNTS, accounts)
    if is_trade:
        return
    random = Random(5)
    ids = [row["id"] for row in await connection.fetch("SELECT id FROM ads ORDER BY id")]
    texts = [" ".join(frequent_words(random, WORDS_OF_AD)) for _ in ids]
    await connection.execute(
        "UPDATE ads SET description = description || ' ' || more.text"
        " FROM unnest($1::bigint[], $2::text[]) AS more (id, text) WHERE ads.id = more.id",
        ids, texts,
    )  # fmt: skip
    await connection.execute("VACUUM ANALYZE ads")


async def fill(
    database: Database, connection: asyncpg.Connection, searches: int, *, is_trade: bool
) -> None:
    """As the service does it, but without an account's request for each."""
    random = Random(searches)
    await connection.execute("TRUNCATE saved_queries CASCADE")
    chosen = list(queries(random, round(searches * DISTINCT), is_trade=is_trade))
    rows = [(number, query, digest(query)) for number, query in enumerate(chosen, 1)]
    await connection.copy_records_to_table(
        "saved_queries", records=rows, columns=("id", "query", "digest")
    )
    for start in range(0, len(rows), KEYS_AT_ONCE):
        part = chosen[start : start + KEYS_AT_ONCE]
        new = await stored_queries(database.reader, part)
        await percolation.replace(
            database.writer, {start + at: new[query] for at, query in enumerate(part, 1)}
        )
    users = [row["id"] for row in await connection.fetch("SELECT id FROM users")]
    weights = [1 / number for number in range(1, len(rows) + 1)]
    drawn = random.choices(
        range(1, len(rows) + 1), cum_weights=list(accumulate(weights)), k=searches
    )
    saved = {(random.choice(users), query_id) for query_id in drawn}
    await connection.copy_records_to_table(
        "saved_searches",
        records=[(user, query_id, "Any", 0, 0) for user, query_id in saved],
        columns=("user_id", "query_id", "name", "seen", "alerted"),
    )
    await connection.execute("VACUUM ANALYZE saved_queries, query_keys, saved_searches")


@dataclass(frozen=True, slots=True)
class Measured:
    """Milliseconds and candidates of an ad by itself, sorted; ads a second in batches."""

    alone: Sequence[float]
    candidates: Sequence[int]
    # Of each ad.
    matches: Sequence[int]
    a_second: float

    @staticmethod
    def p95(values: Sequence[float]) -> float:
        return values[round(len(values) * 0.95) - 1]

    def __str__(self) -> str:
        return (
            f"one ad {statistics.median(self.alone):.1f} ms, p95 {self.p95(self.alone):.1f} ms;"
            f" candidates {statistics.median(self.candidates):.0f}, p95"
            f" {self.p95(self.candidates):.0f}; matches {statistics.mean(self.matches):.0f};"
            f" {self.a_second:.0f} ads/s"
        )


async def measure(database: Database, connection: asyncpg.Connection) -> Measured:
    random = Random(7)
    ids = [row["id"] for row in await connection.fetch("SELECT id FROM ads ORDER BY id")]
    percolation = Percolation(database)

    async def match(ad_ids: Sequence[int]) -> tuple[float, int, int]:
        percolation.candidates = 0
        events = [
            {"id": number, "type": "ad.created", "ad_id": ad_id}
            for number, ad_id in enumerate(ad_ids, 1)
        ]
        began = time.perf_counter()
        found = await percolation.matches(events)
        async with database.transaction() as transaction:
            await store_matches(transaction, found.found, found.used)
        return time.perf_counter() - began, percolation.candidates, len(found.found)

    # The filters of frequent queries are kept.
    for _ in range(2):
        await match(random.sample(ids, BATCH))
    alone = [await match([random.choice(ids)]) for _ in range(ALONE)]
    batches = [(await match(random.sample(ids, BATCH)))[0] for _ in range(BATCHES)]
    return Measured(
        sorted(seconds * 1000 for seconds, _, _ in alone),
        sorted(candidates for _, candidates, _ in alone),
        sorted(matches for _, _, matches in alone),
        BATCH / statistics.median(batches),
    )


async def run(url: str, sizes: Sequence[int]) -> None:
    database = Database(make_url(url), timeout=60)
    connection = await asyncpg.connect(
        make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    )
    is_trade = "TRADE" in os.environ
    try:
        # Some accounts have many searches; none more than a tenth of all.
        await prepare(connection, max(sizes) // 8, is_trade=is_trade)
        for searches in sizes:
            began = time.perf_counter()
            await fill(database, connection, searches, is_trade=is_trade)
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
