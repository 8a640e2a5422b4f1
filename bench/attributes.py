"""What it costs to find ads by attributes, by how they are stored.

    ADS=1000000 .venv/bin/python -m bench.attributes

A table like `ads` is filled in a database of its own, and the same questions are asked of four
ways to store what is filtered by. Each question takes at most 4,001 ads, as a search of the service
does.
"""

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import asyncpg

from adsvc.repositories.ads.search.planner import PRICE, covering
from adsvc_ops.embedded import EmbeddedPostgres

ROUNDS = 5
MOST = 4001
# As the connections of the service, but for the memory of the server, which is its default.
SETTINGS = "SET enable_seqscan = off; SET max_parallel_workers_per_gather = 0; SET jit = off"

NUMBER_TERMS = r"""
CREATE FUNCTION number_terms(name text, value float8) RETURNS SETOF text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT name || '#' || chr(97 + bits / 2) || to_hex(
        CASE WHEN raw < 0 THEN ~raw >> 1 ELSE (raw >> 1) | (1::bigint << 62) END >> (63 - bits)
    )
    FROM (
        SELECT ('x' || encode(float8send(value + 0.0), 'hex'))::bit(64)::bigint AS raw
    ) AS coded, unnest('{2, 8, 10, 12, 14, 16, 18, 20, 22}'::int[]) AS bits
$$;
CREATE FUNCTION ad_terms(category bigint, price int, attributes jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_agg(term) FROM (
        SELECT '@' || category
        UNION ALL SELECT number_terms('$', price)
        UNION ALL
        SELECT term FROM jsonb_each(attributes) AS given (name, value), LATERAL (
            SELECT '=' || name || '=' || (value #>> '{}') WHERE jsonb_typeof(value) <> 'number'
            UNION ALL
            SELECT number_terms('=' || name, (value #>> '{}')::float8)
            WHERE jsonb_typeof(value) = 'number'
        ) AS made (term)
    ) AS terms (term)
$$;
"""
# A third are cars; of these a tenth electric, none of which has a gearbox to shift by hand.
TABLE = """
CREATE TABLE ads AS
SELECT id, price, category, text, CASE WHEN category <= 10 THEN jsonb_build_object(
        'fuel', fuel, 'gearbox',
        CASE WHEN fuel = 'electric' OR random() < 0.4 THEN 'automatic' ELSE 'manual' END,
        'year', 2026 - floor(30 * random() * random())::int,
        'mileage', floor(300000 * random())::int,
        'colour', (ARRAY['black','white','grey','blue','red','green','brown','yellow','violet',
            'orange'])[1 + floor(10 * power(random(), 2))::int],
        'damaged', random() < 0.03
    ) WHEN category <= 25 THEN jsonb_build_object(
        'area', round((10 + 200 * random() * random())::numeric, 1),
        'rooms', 1 + floor(6 * random())::int, 'balcony', random() < 0.5
    ) ELSE jsonb_build_object('condition',
        (ARRAY['new','asNew','good','fair','broken'])[1 + floor(5 * random())::int],
        'size', 30 + floor(20 * random())::int
    ) END AS attributes
FROM (
    SELECT id, floor(exp(4.5 + 1.2 * sqrt(-2 * ln(1 - random())) * cos(6.2832 * random())))::int
            AS price,
        1 + floor(30 * random())::int AS category,
        (ARRAY['petrol','petrol','petrol','diesel','diesel','diesel','hybrid','gas','petrol',
            'electric'])[1 + floor(10 * random())::int] AS fuel,
        (
            SELECT string_agg('word' || floor(5000 * power(random(), 3))::int, ' ')
            FROM generate_series(1, 25) WHERE id > 0
        ) AS text
    FROM generate_series(1, {ads}) AS id
) AS made;
ALTER TABLE ads ADD PRIMARY KEY (id);
CREATE INDEX ON ads (category, id);
CREATE INDEX ON ads (price, id);
CREATE INDEX words ON ads USING gin (to_tsvector('simple', text))
    WITH (gin_pending_list_limit = 256);
"""
STORAGES = {
    "jsonb, GIN": """
        CREATE INDEX ON ads USING gin (attributes jsonb_path_ops)
    """,
    "side table": """
        CREATE TABLE ad_values AS
        SELECT id, name, CASE WHEN jsonb_typeof(value) = 'number' THEN value::float8 END AS number,
            value #>> '{}' AS option
        FROM ads, jsonb_each(attributes) AS given (name, value);
        ALTER TABLE ad_values ADD PRIMARY KEY (id, name);
        CREATE INDEX ON ad_values (name, option, id);
        CREATE INDEX ON ad_values (name, number, id);
        ANALYZE ad_values
    """,
    "generated columns": """
        ALTER TABLE ads
            ADD fuel text GENERATED ALWAYS AS (attributes ->> 'fuel') STORED,
            ADD gearbox text GENERATED ALWAYS AS (attributes ->> 'gearbox') STORED,
            ADD colour text GENERATED ALWAYS AS (attributes ->> 'colour') STORED,
            ADD damaged text GENERATED ALWAYS AS (attributes ->> 'damaged') STORED,
            ADD year float8 GENERATED ALWAYS AS ((attributes -> 'year')::float8) STORED,
            ADD mileage float8 GENERATED ALWAYS AS ((attributes -> 'mileage')::float8) STORED;
        CREATE INDEX ON ads (fuel, id);
        CREATE INDEX ON ads (gearbox, id);
        CREATE INDEX ON ads (colour, id);
        CREATE INDEX ON ads (damaged, id);
        CREATE INDEX ON ads (year, id);
        CREATE INDEX ON ads (mileage, id)
    """,
    "terms among the words": NUMBER_TERMS
    + """
        ALTER TABLE ads ADD search tsvector GENERATED ALWAYS AS (
            to_tsvector('simple', text) || array_to_tsvector(ad_terms(category, price, attributes))
        ) STORED;
        DROP INDEX words;
        CREATE INDEX ON ads USING gin (search) WITH (gin_pending_list_limit = 256)
    """,
}


class Wanted(NamedTuple):
    """One question: options by name, ranges by name, a range of prices, words."""

    told: str
    categories: Sequence[int] = ()
    options: Mapping[str, str] = MappingProxyType({})
    ranges: Mapping[str, tuple[float, float]] = MappingProxyType({})
    prices: tuple[int, int] | None = None
    word: str | None = None


QUESTIONS = (
    Wanted("category, option", (3,), {"colour": "blue"}),
    Wanted("10 categories, two options", tuple(range(1, 11)), {"fuel": "gas", "colour": "orange"}),
    Wanted("two options never together", (), {"fuel": "electric", "gearbox": "manual"}),
    Wanted("option, narrow range", (), {"damaged": "true"}, {"year": (2020, 2021)}),
    Wanted("two wide ranges", (), {}, {"year": (2015, 2026), "mileage": (0, 50_000)}),
    Wanted("narrow range", (), {}, {"mileage": (50_000, 50_500)}),
    Wanted(
        "category, option, range, price",
        (3,),
        {"fuel": "diesel"},
        {"year": (2015, 2020)},
        (100, 200),
    ),
    Wanted("word, option, range", (), {"fuel": "diesel"}, {"year": (2015, 2020)}, None, "word40"),
    Wanted("word, category where it is not", (3,), {"condition": "new"}, {}, None, "word0"),
)


def quoted(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def _plain(wanted: Wanted, word: str) -> list[str]:
    found = []
    if wanted.categories:
        found.append(f"category IN ({', '.join(map(str, wanted.categories))})")
    if wanted.prices:
        found.append("price BETWEEN {} AND {}".format(*wanted.prices))
    if wanted.word:
        found.append(f"{word} @@ {quoted(wanted.word)}::tsquery")
    return found


def _exact_ranges(wanted: Wanted) -> list[str]:
    return [
        f"jsonb_typeof(attributes -> {quoted(name)}) = 'number'"
        f" AND (attributes -> {quoted(name)}) BETWEEN '{low}' AND '{high}'"
        for name, (low, high) in wanted.ranges.items()
    ]


WORD = "to_tsvector('simple', text)"


def of_jsonb(wanted: Wanted) -> str:
    found = _plain(wanted, WORD) + _exact_ranges(wanted)
    for name, value in wanted.options.items():
        json = value if value in ("true", "false") else f'"{value}"'
        found.append(f"""attributes @> '{{"{name}": {json}}}'""")
    return f"FROM ads WHERE {' AND '.join(found)}"


def of_side_table(wanted: Wanted) -> str:
    found = _plain(wanted, WORD)
    joins = ""
    for number, (name, value) in enumerate(wanted.options.items()):
        joins += f" JOIN ad_values AS o{number} USING (id)"
        found.append(f"o{number}.name = {quoted(name)} AND o{number}.option = {quoted(value)}")
    for number, (name, (low, high)) in enumerate(wanted.ranges.items()):
        joins += f" JOIN ad_values AS r{number} USING (id)"
        found.append(
            f"r{number}.name = {quoted(name)} AND r{number}.number BETWEEN {low} AND {high}"
        )
    return f"FROM ads {joins} WHERE {' AND '.join(found)}"


def of_columns(wanted: Wanted) -> str:
    found = _plain(wanted, WORD)
    found += [
        f"{name} = {quoted(value)}" for name, value in wanted.options.items() if name != "condition"
    ]
    found += [
        "attributes ->> 'condition' = 'new'" for name in wanted.options if name == "condition"
    ]
    found += [f"{name} BETWEEN {low} AND {high}" for name, (low, high) in wanted.ranges.items()]
    return f"FROM ads WHERE {' AND '.join(found)}"


def of_terms(wanted: Wanted) -> str:
    groups = []
    if wanted.categories:
        groups.append([f"@{category}" for category in wanted.categories])
    groups += [[f"={name}={value}"] for name, value in wanted.options.items()]
    groups += [covering(f"={name}", *ends) for name, ends in wanted.ranges.items()]
    if wanted.prices:
        groups.append(covering(PRICE, *wanted.prices))
    if wanted.word:
        groups.append([wanted.word])
    # A key each, as in the service.
    keys = (" | ".join(map(quoted, group)) for group in groups)
    query = " AND ".join(f"search @@ {quoted(key)}::tsquery" for key in keys)
    exact = _exact_ranges(wanted) + _plain(wanted._replace(word=None), "")
    fits = " AND ".join(exact) or "TRUE"
    far = f"SELECT {fits} AS fits FROM ads WHERE {query} LIMIT {MOST}"  # noqa: S608 - from above
    return f"FROM ({far}) AS far WHERE fits"


ASKED = {
    "jsonb, GIN": of_jsonb,
    "side table": of_side_table,
    "generated columns": of_columns,
    "terms among the words": of_terms,
}


def say(line: str) -> None:
    print(line, flush=True)


async def main() -> None:
    ads = int(os.environ.get("ADS", "100000"))
    with tempfile.TemporaryDirectory(prefix="adsvc-") as directory:
        options = {"fsync": "off", "full_page_writes": "off", "max_wal_size": "4GB"}
        with EmbeddedPostgres(Path(directory) / "postgres", options=options) as postgres:
            await measure(postgres.url, ads)


async def measure(url: str, ads: int) -> None:
    connection = await asyncpg.connect(url.replace("+asyncpg", ""))
    await connection.execute(SETTINGS)
    began = time.perf_counter()
    await connection.execute(TABLE.format(ads=ads))
    say(f"{ads} ads in {time.perf_counter() - began:.0f} s")
    for name, sql in STORAGES.items():
        began = time.perf_counter()
        before = await connection.fetchval("SELECT pg_database_size(current_database())")
        await connection.execute(sql)
        await connection.execute("VACUUM ANALYZE ads")
        size = await connection.fetchval("SELECT pg_database_size(current_database())") - before
        print(
            f"\n{name}: made in {time.perf_counter() - began:.0f} s, {size / 2**20:.0f} MiB",
            flush=True,
        )
        for wanted in QUESTIONS:
            asked = ASKED[name](wanted)
            found = f"SELECT count(*) FROM (SELECT {asked} LIMIT {MOST}) AS found"  # noqa: S608
            times = []
            for _ in range(ROUNDS):
                began = time.perf_counter()
                count = await connection.fetchval(found)
                times.append(1000 * (time.perf_counter() - began))
            say(f"  {wanted.told:35} {count:6} ads {statistics.median(times):8.1f} ms")
    await connection.close()


if __name__ == "__main__":
    asyncio.run(main())
