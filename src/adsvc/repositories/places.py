"""Places by name and by point, and their replacement by COPY.

Every search has a bound on the rows that it reads, whatever is looked for.
"""

from collections.abc import AsyncIterable, Collection, Iterable, Mapping, Sequence
from typing import Any, BinaryIO

from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import Row, Statements
from adsvc.public_location import Point

# Greater than every character of a key.
LAST = "\U0010ffff"

COLUMNS = "id, name, country, region, latitude, longitude, postcode, names"

# The names that begin with two letters, those of larger places first. Of a rarer beginning the
# index of keys has all. With two letters only the first way is needed, and with rare ones the
# second: each is bounded.
LARGEST = 1500
MOST_KEYS = 1500
# Of those nearby.
MOST_NEAR = 300
# They are ranked by their distance.
CANDIDATES = 300

# On the flat: near enough for an order.
ANGLE = (
    "sqrt(power(latitude - {0}, 2) + power(cos(radians({0}))"
    " * least(abs(longitude - {1}), 360 - abs(longitude - {1})), 2))"
)
# $1 key, $2 its end, $3 its first two letters, $4 cells near the point, $5 country,
# $6 latitude, $7 longitude, $8 rows, $9 further keys. Without a point $4 is empty.
# A name that is typed as a whole counts as much as a hundred times as many inhabitants; a place 90
# km away counts as much as a thirtieth.
FIND = f"""
    WITH largest AS (
        SELECT place_id, key, weight FROM place_keys
        WHERE left(key, 2) = $3 ORDER BY weight DESC LIMIT {LARGEST}
    ), matches AS (
        SELECT place_id, key, weight, false AS is_near FROM largest
        WHERE key BETWEEN $1 AND $2
        UNION ALL
        (SELECT place_id, key, weight, false FROM place_keys
        WHERE length($1) > 2 AND key BETWEEN $1 AND $2 LIMIT {MOST_KEYS})
        UNION ALL
        (SELECT place_id, key, weight, false FROM place_keys
        WHERE key = $1 ORDER BY weight DESC LIMIT {CANDIDATES})
        UNION ALL
        (SELECT place_id, key, weight, true FROM place_keys
        WHERE cell = ANY ($4::int[]) AND key BETWEEN $1 AND $2 LIMIT {MOST_NEAR})
        UNION ALL
        SELECT place_id, $1, weight, false FROM place_keys
        WHERE key = ANY ($9::text[])
    ), candidates AS (
        SELECT place_id, max(log(weight + 100) + 2 * (key = $1)::int) AS weight,
            bool_or(is_near) AS is_near
        FROM matches GROUP BY place_id
    ), chosen AS (
        SELECT place_id, weight FROM candidates
        ORDER BY is_near DESC, weight DESC LIMIT $10
    )
    SELECT {COLUMNS} FROM chosen JOIN places ON id = place_id
    WHERE $5 = '' OR country = $5
    ORDER BY weight - CASE WHEN cardinality($4::int[]) = 0 THEN 0
        ELSE 1.5 * log(1 + 11.1 * {ANGLE.format("$6", "$7")}) END DESC, population DESC, id
    LIMIT $8
"""

# Of each beginning in the order of the index, which cannot merge them.
KEYS = f"""
    SELECT key FROM unnest($1::text[]) AS beginning, LATERAL (
        SELECT key FROM place_keys
        WHERE left(key, 2) = beginning ORDER BY weight DESC
        LIMIT {LARGEST}
    ) AS largest
    UNION
    SELECT key FROM (
        SELECT key FROM place_keys
        WHERE cell = ANY ($2::int[]) AND key BETWEEN $3 AND $3 || '{LAST}'
        LIMIT {LARGEST}
    ) AS nearby
"""

NEAREST = f"""
    SELECT {COLUMNS} FROM places WHERE cell = ANY ($1::int[]) AND postcode IS NULL
    ORDER BY {ANGLE.format("$2", "$3")}, population DESC LIMIT 1
"""

LARGEST_OF_KEY = """
    SELECT key, place_id, weight FROM unnest($1::text[]) AS typed, LATERAL (
        SELECT key, place_id, weight FROM place_keys
        WHERE key = typed ORDER BY weight DESC LIMIT 1
    ) AS largest
"""

BY_ID = f"SELECT {COLUMNS} FROM places WHERE id = $1"


async def find(
    db: Statements,
    key: str,
    *,
    country: str,
    near: Point | None,
    cells: Sequence[int],
    limit: int,
    alike: Sequence[str] = (),
) -> Sequence[Row]:
    """The places whose names begin with the key, or are one of `alike`, the best first."""
    point = near or (0.0, 0.0)
    candidates = LARGEST if country else CANDIDATES
    text = key, key + LAST, key[:2]
    values = (*text, cells, country, *point, limit, alike, candidates)
    return await db.fetch(FIND, *values, keep_plan=True)


async def keys(db: Statements, key: str, cells: Sequence[int]) -> list[str]:
    """Keys that may be meant by a misspelt one: of large places, and of those nearby."""
    beginnings = {key[:2], key[1::-1]}
    return [
        row["key"] for row in await db.fetch(KEYS, list(beginnings), cells, key[:1], keep_plan=True)
    ]


async def nearest(db: Statements, point: Point, cells: Sequence[int]) -> Row | None:
    return await db.fetchrow(NEAREST, cells, *point)


async def largest(db: Statements, keys: Collection[str]) -> Mapping[str, Row]:
    """The largest place with each key: `place_id` and `weight`."""
    rows = await db.fetch(LARGEST_OF_KEY, list(keys), keep_plan=True)
    return {row["key"]: row for row in rows}


async def get(db: Statements, place_id: int) -> Row | None:
    return await db.fetchrow(BY_ID, place_id, keep_plan=True)


# What replaces them takes a while, and no client waits for it.
LONG_SECONDS = 600

# Lines of COPY's text format become rows of these: places without cells, and their keys, separated
# by bars. `keys` are of the place's own names, `others` of its other ones.
STAGING = """
    CREATE TEMPORARY TABLE staged_places (
        country text, id bigint, name text, region text, population bigint,
        latitude double precision, longitude double precision, names jsonb,
        keys text, others text, postcode text,
        cell integer GENERATED ALWAYS AS (
            least(floor(latitude + 90), 179)::integer * 360 + floor(longitude + 180)::integer % 360
        ) STORED
    ) ON COMMIT DROP
"""
FILE_COLUMNS = (
    "country",
    "id",
    "name",
    "region",
    "population",
    "latitude",
    "longitude",
    "names",
    "keys",
    "others",
)
ADD = f"""
    WITH added AS (
        INSERT INTO places ({COLUMNS}, population, cell)
        SELECT {COLUMNS}, population, cell FROM staged_places
        RETURNING country
    )
    SELECT country, count(*) AS places FROM added GROUP BY country
"""
# In the order of an index, which is filled twice as fast then.
ADD_STAGED_KEYS = """
    INSERT INTO place_keys (place_id, key, cell, weight)
    SELECT id, key, cell, weight FROM staged_places, LATERAL (
        SELECT unnest(string_to_array(keys, '|')) AS key, population AS weight
        UNION ALL
        SELECT unnest(string_to_array(others, '|')), population / 10
    ) AS named ORDER BY key
"""

# The places with postcodes, or all others.
OF_KIND = "country = ANY ($1::text[]) AND (postcode IS NOT NULL) = $2"
REMOVE_KEYS = f"""
    DELETE FROM place_keys USING places WHERE id = place_id AND {OF_KIND}
"""
REMOVE = f"DELETE FROM places WHERE {OF_KIND}"
KNOWN = f"SELECT id, region, names::text AS names FROM places WHERE {OF_KIND}"
RECORD = """
    INSERT INTO place_sources (country, source) SELECT unnest($1::text[]), $2
    ON CONFLICT (country) DO UPDATE SET source = excluded.source
"""
FORGET = "DELETE FROM place_sources WHERE country = ANY ($1::text[])"


async def sources(db: Statements) -> dict[str, str]:
    """Where the places of each country came from."""
    rows = await db.fetch("SELECT country, source FROM place_sources")
    return {row["country"]: row["source"] for row in rows}


async def record(db: Statements, countries: Collection[str], source: str | None) -> None:
    """None for countries that have no places any more."""
    if source is None:
        await db.fetch(FORGET, list(countries))
    else:
        await db.fetch(RECORD, list(countries), source)


async def known(
    db: Statements, countries: Collection[str]
) -> Mapping[int, tuple[str | None, str | None]]:
    """Regions, and names by language as JSON, of the places without postcodes."""
    rows = await db.fetch(KNOWN, list(countries), False)  # noqa: FBT003 - the statement's
    return {row["id"]: (row["region"], row["names"]) for row in rows}


async def known_ids(db: Statements) -> frozenset[int]:
    return frozenset(row["id"] for row in await db.fetch("SELECT id FROM places"))


async def begin_replacing(session: DatabaseSession) -> None:
    """Makes others wait that would replace places too."""
    # SQLAlchemy begins the transaction with its first statement.
    await session.fetch(f"SET LOCAL statement_timeout = '{LONG_SECONDS}s'")
    await _run(session, "LOCK TABLE place_sources IN EXCLUSIVE MODE")


async def remove(session: DatabaseSession, countries: Collection[str], *, postcodes: bool) -> None:
    for statement in (REMOVE_KEYS, REMOVE):
        await _run(session, statement, list(countries), postcodes)


async def add(
    session: DatabaseSession, lines: BinaryIO | AsyncIterable[bytes], columns: Sequence[str]
) -> Mapping[str, int]:
    """Adds the places of COPY's lines with these columns. Returns how many each country has."""
    await session.fetch(STAGING)
    await (await _driver(session)).copy_to_table(
        "staged_places", source=lines, columns=columns, timeout=LONG_SECONDS
    )
    added = await _run(session, ADD)
    await _run(session, ADD_STAGED_KEYS)
    for table in ("places", "place_keys"):
        await _run(session, f"ANALYZE {table}")
    return {row["country"]: row["places"] for row in added}


RENAME = """
    WITH given AS (
        SELECT * FROM unnest($1::bigint[], $2::text[]) AS given (id, names)
    )
    UPDATE places SET names = given.names::jsonb FROM given WHERE places.id = given.id
"""
ADD_KEYS = """
    INSERT INTO place_keys (place_id, key, cell, weight)
    SELECT places.id, given.key, cell, population / 10
    FROM unnest($1::bigint[], $2::text[]) AS given (id, key) JOIN places USING (id)
    ON CONFLICT DO NOTHING
"""


async def rename(
    session: DatabaseSession, names: Mapping[int, str], keys_of: Mapping[int, Iterable[str]]
) -> None:
    """Replaces names by language (as JSON), and adds keys."""
    await _run(session, RENAME, list(names), list(names.values()))
    pairs = [(place_id, key) for place_id, found in keys_of.items() for key in found]
    await _run(session, ADD_KEYS, [one for one, _ in pairs], [key for _, key in pairs])


async def _run(session: DatabaseSession, statement: str, *values: object) -> Sequence[Row]:
    """For as long as it takes."""
    driver = await _driver(session)
    rows: Sequence[Row] = await driver.fetch(statement, *values, timeout=LONG_SECONDS)
    return rows


async def _driver(session: DatabaseSession) -> Any:  # noqa: ANN401 - asyncpg publishes no types
    pooled = await (await session.connection()).get_raw_connection()
    return pooled.driver_connection
