"""Places by name and by point, and their replacement by COPY.

Every search has a bound on the rows that it reads, whatever is looked for.
"""

import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from adsvc.db.engine import DatabaseSession
from adsvc.db.statements import Row, Statements
from adsvc.points import Point

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
"""  # noqa: S608 - no input

KEYS = f"""
    SELECT key FROM (
        SELECT key, weight FROM place_keys
        WHERE left(key, 2) = ANY ($1::text[]) ORDER BY weight DESC
        LIMIT {LARGEST}
    ) AS largest
    UNION
    SELECT key FROM (
        SELECT key FROM place_keys
        WHERE cell = ANY ($2::int[]) AND key BETWEEN $3 AND $3 || '{LAST}'
        LIMIT {LARGEST}
    ) AS nearby
"""  # noqa: S608 - no input

NEAREST = f"""
    SELECT {COLUMNS} FROM places WHERE cell = ANY ($1::int[]) AND postcode IS NULL
    ORDER BY {ANGLE.format("$2", "$3")}, population DESC LIMIT 1
"""  # noqa: S608 - no input

BY_ID = f"SELECT {COLUMNS} FROM places WHERE id = $1"  # noqa: S608 - no input


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
    return await db.fetch(FIND, *text, cells, country, *point, limit, alike, candidates)


async def keys(db: Statements, key: str, cells: Sequence[int]) -> list[str]:
    """Keys that may be meant by a misspelt one: of large places, and of those nearby."""
    beginnings = {key[:2], key[1::-1]}
    return [row["key"] for row in await db.fetch(KEYS, list(beginnings), cells, key[:1])]


async def nearest(db: Statements, point: Point, cells: Sequence[int]) -> Row | None:
    return await db.fetchrow(NEAREST, cells, *point)


async def get(db: Statements, place_id: int) -> Row | None:
    return await db.fetchrow(BY_ID, place_id, keep_plan=True)


# What replaces them takes a while, and no client waits for it.
LONG_SECONDS = 600
PLACE_COLUMNS = (
    "country",
    "id",
    "name",
    "region",
    "population",
    "latitude",
    "longitude",
    "names",
    "cell",
    "postcode",
)
KEY_COLUMNS = "place_id", "key", "cell", "weight"

# The places with postcodes, or all others.
OF_KIND = "country = ANY ($1::text[]) AND (postcode IS NOT NULL) = $2"
REMOVE_KEYS = f"""
    DELETE FROM place_keys USING places WHERE id = place_id AND {OF_KIND}
"""  # noqa: S608 - no input
REMOVE = f"DELETE FROM places WHERE {OF_KIND}"  # noqa: S608 - no input
INDEXES = """
    SELECT CASE WHEN conname IS NULL THEN format('DROP INDEX %I', relname)
        ELSE format('ALTER TABLE place_keys DROP CONSTRAINT %I', conname) END AS drop,
        CASE WHEN conname IS NULL THEN pg_get_indexdef(pg_class.oid)
        ELSE format('ALTER TABLE place_keys ADD CONSTRAINT %I %s', conname,
            pg_get_constraintdef(pg_constraint.oid)) END AS make
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        LEFT JOIN pg_constraint ON conindid = indexrelid
    WHERE indrelid = 'place_keys'::regclass
"""
KNOWN = f"SELECT id, region, names::text AS names FROM places WHERE {OF_KIND}"  # noqa: S608
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


async def copy(session: DatabaseSession, places: Iterable[bytes], names: Iterable[bytes]) -> None:
    """Adds rows that are lines of COPY's text format, with `PLACE_COLUMNS` and `KEY_COLUMNS`."""
    connection = await _driver(session)
    # Indexes of an empty table are built afterwards, in a third of the time.
    is_empty = not await session.fetch("SELECT FROM place_keys LIMIT 1")
    indexes = await session.fetch(INDEXES) if is_empty else ()
    for index in indexes:
        await session.fetch(index["drop"])
    for table, columns, lines in (
        ("places", PLACE_COLUMNS, places),
        ("place_keys", KEY_COLUMNS, names),
    ):
        await connection.copy_to_table(
            table, source=io.BytesIO(b"\n".join(lines)), columns=columns, timeout=LONG_SECONDS
        )
    await session.fetch("SET LOCAL maintenance_work_mem = '128MB'")
    for index in indexes:
        await _run(session, index["make"])
    for table in ("places", "place_keys"):
        await _run(session, f"ANALYZE {table}")


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


async def _run(session: DatabaseSession, statement: str, *values: object) -> None:
    """For as long as it takes."""
    await (await _driver(session)).fetch(statement, *values, timeout=LONG_SECONDS)


async def _driver(session: DatabaseSession) -> Any:  # noqa: ANN401 - asyncpg publishes no types
    pooled = await (await session.connection()).get_raw_connection()
    return pooled.driver_connection
