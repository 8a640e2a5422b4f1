"""Percolation: which saved queries an ad matches.

The usual direction is turned round: an ad finds queries. Its terms find candidates by the keys of
queries (`repositories.ads.search.keys`), and the condition of `GET /ads` decides. A query is stored
by its parts, so that one statement checks all candidates. Only attributes are left to a second one:
what they mean depends on the tree of categories.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import Row, Statements
from adsvc.repositories.ads.criteria import AdFilter
from adsvc.repositories.ads.listing import conditions_sql, restrictions
from adsvc.repositories.ads.places import Box, Circle
from adsvc.repositories.ads.projection import visible
from adsvc.repositories.ads.search.keys import AD_TERMS, EVERYTHING, KeyTerms
from adsvc.repositories.ads.search_words import Columns, Parameters

# The matching's place in the log.
CONSUMER = "searches"
POSITION = f"SELECT position FROM consumers WHERE name = '{CONSUMER}'"

# The columns of `saved_queries` by which ads are checked, null for what the query does not have.
PARTS: Mapping[str, str] = {
    "words": "tsquery",
    "min_price": "bigint",
    "max_price": "bigint",
    "author": "bigint",
    "created_after": "timestamptz",
    "created_before": "timestamptz",
    # No name of a column of ads.
    "type_of_price": "text",
    # Its slug. Of an ad all above its category are known.
    "category": "text",
    "circle": "float8[]",
    "box": "float8[]",
    "has_attributes": "boolean",
}
PART_NAMES = ", ".join(PARTS)
PARTS_RECORD = ", ".join(f"{name} {kind}" for name, kind in PARTS.items())
# Around the globe a circle or a box has at most so many ranges of longitude.
MOST_SPANS = 3


class NewQuery(NamedTuple):
    """What is stored of a query."""

    keys: Sequence[KeyTerms]
    # By the names of `PARTS`, as JSON.
    parts: Mapping[str, object]


def parts_of(
    ads: AdFilter, tsquery: str | None, category: str | None, *, has_attributes: bool
) -> Mapping[str, object]:
    """`ads` is without category and attributes."""
    near, box = ads.near, ads.box
    after, before = ads.created_after, ads.created_before
    return {
        "words": tsquery,
        "min_price": ads.min_price,
        "max_price": ads.max_price,
        "author": ads.author,
        "created_after": after and after.isoformat(),
        "created_before": before and before.isoformat(),
        "type_of_price": ads.price_type,
        "category": category,
        "circle": near and [near.latitude, near.longitude, near.scale, near.radius, *_edges(near)],
        "box": box and _edges(box),
        "has_attributes": has_attributes,
    }


def _edges(place: Circle | Box) -> list[float]:
    return [*place.latitudes, *(edge for span in place.spans for edge in span)]


def _pairs(array: str, first: int, count: int) -> list[tuple[Any, Any]]:
    """Elements of an array of the query. What is beyond its end is null."""
    return [
        (f"query.{array}[{at}]", f"query.{array}[{at + 1}]")
        for at in range(first, first + 2 * count, 2)
    ]


class _StoredCircle(Circle):
    """Columns of the query, where a circle has numbers."""

    scale: Any = "query.circle[3]"
    latitudes: Any = _pairs("circle", 5, 1)[0]
    spans: Any = _pairs("circle", 7, MOST_SPANS)


class _StoredBox(Box):
    spans: Any = _pairs("box", 3, MOST_SPANS)


def _stored_conditions() -> str:
    """The condition of `GET /ads` for the rows `ads` and `query`, but for attributes."""
    column: dict[str, Any] = {name: f"query.{name}" for name in PARTS}
    centre: Any = [f"query.circle[{at}]" for at in (1, 2, 4)]
    corners: Any = [None, "query.box[1]", None, "query.box[2]"]
    filters = {
        "circle": AdFilter(near=_StoredCircle(*centre)),
        "box": AdFilter(box=_StoredBox(*corners)),
        "type_of_price": AdFilter(price_type=column["type_of_price"]),
        **{
            name: AdFilter(**{name: column[name]})
            for name in ("min_price", "max_price", "author", "created_after", "created_before")
        },
    }
    conditions = [
        f"(query.{name} IS NULL OR {restriction.sql})"
        for name, ads in filters.items()
        for restriction in restrictions(ads, Columns())
    ]
    return " AND ".join(
        [
            *conditions,
            "(query.category IS NULL OR query.category = ANY (ads.branch))",
            "(query.words IS NULL OR ads.search @@ query.words)",
            visible(),
        ]
    )


# The columns that conditions of searches are about.
_COLUMNS = (
    "status, author_id, created_at, price, price_type, category_id, attributes, public_latitude,"
    " public_longitude"
)
# The slugs of an ad's category, and of all above it.
_BRANCH = """ARRAY(
    WITH RECURSIVE above AS (
        SELECT slug, parent_id FROM categories WHERE categories.id = category_id
        UNION ALL
        SELECT categories.slug, categories.parent_id
        FROM above JOIN categories ON categories.id = above.parent_id
    )
    SELECT slug FROM above
) AS branch"""
# Parameters: ids of ads, and ids of `changed_ads`. Words are copied, or each candidate would
# decompress them.
CURRENT_AD = f"""
    SELECT id, search || ''::tsvector AS search, expires_at, {_COLUMNS}, {_BRANCH}
    FROM ads WHERE id = ANY($1::bigint[]) AND {visible()}
"""
AD_BEFORE_CHANGE = f"""
    SELECT ad_id AS id, ad_words(words) AS search,
        CASE WHEN is_shown THEN NULL ELSE '-infinity'::timestamptz END AS expires_at, {_COLUMNS},
        {_BRANCH}
    FROM changed_ads WHERE id = ANY($1::bigint[])
"""

# LIMIT and OFFSET keep PostgreSQL from reading the keys or queries of all to join them.
_CHECK = f"""
    found CROSS JOIN LATERAL (SELECT * FROM saved_queries WHERE id = query_id LIMIT 1) AS query
        JOIN subject AS ads ON ads.id = found.ad_id
    WHERE {_stored_conditions()}
"""
# Arrays, because asyncpg makes an object for each row.
_MATCHED = f"""
    SELECT array_agg(found.ad_id) AS ads, array_agg(query_id) AS queries,
        array_agg(CASE WHEN has_attributes THEN query END) AS texts,
        (SELECT count(*) FROM found) AS candidates
    FROM {_CHECK}
"""
MATCH = f"""
    WITH subject AS MATERIALIZED (
        -- Of a site without saved searches no ad need be read.
        {CURRENT_AD} AND EXISTS (SELECT FROM query_keys)
    ), ad_terms AS MATERIALIZED ({AD_TERMS}),
    first AS MATERIALIZED (
        SELECT ad_id, term FROM ad_terms
        WHERE (SELECT TRUE FROM query_keys WHERE term = ad_terms.term AND other > '' LIMIT 1)
    ), second AS MATERIALIZED (
        SELECT ad_id, term FROM ad_terms
        WHERE (SELECT TRUE FROM query_keys WHERE other = ad_terms.term AND other <> '' LIMIT 1)
    ), found AS MATERIALIZED (
        SELECT ad_id, query_id FROM ad_terms CROSS JOIN LATERAL (
            SELECT query_id FROM query_keys
            WHERE query_keys.term = ad_terms.term AND other = '' OFFSET 0
        ) AS alone
        UNION
        SELECT ad_id, query_id FROM first JOIN second USING (ad_id) CROSS JOIN LATERAL (
            SELECT query_id FROM query_keys
            WHERE query_keys.term = first.term AND query_keys.other = second.term OFFSET 0
        ) AS pair
    )
    {_MATCHED}
"""
# Parameters besides: ads and queries.
MATCH_BEFORE = f"""
    WITH subject AS MATERIALIZED ({AD_BEFORE_CHANGE}), found AS MATERIALIZED (
        SELECT * FROM unnest($2::bigint[], $3::bigint[]) AS pair (ad_id, query_id)
    )
    {_MATCHED}
"""

SELECT_EARLIEST_CHANGES = """
    SELECT ad_id, min(id) AS id, array_agg(id) AS ids FROM changed_ads
    WHERE ad_id = ANY($1::bigint[]) GROUP BY ad_id
"""

# Parameters: first and last id.
SELECT_EVENTS = """
    SELECT id, type, ad_id, data->>'from' AS before, data->>'to' AS after, change_id FROM events
    WHERE id >= $1 AND id <= $2 AND type LIKE 'ad.%' AND ad_id IS NOT NULL ORDER BY id
"""

# Parameters: queries, ads, events and their changes; and what has been used of `changed_ads`. A
# query may have thousands of searches, so `repositories.searches.MARK_DUE` marks those afterwards.
# One may be deleted meanwhile: what is left of it, `repositories.searches.CLEAN` deletes.
INSERT_MATCHES = """
    WITH match AS MATERIALIZED (
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
            AS match (query_id, ad_id, event_id, change_id)
    ), matched AS (
        INSERT INTO query_matches (query_id, ad_id, event_id, change_id) SELECT * FROM match
        ON CONFLICT (query_id, ad_id) DO UPDATE SET event_id = excluded.event_id,
            at = excluded.at, change_id = excluded.change_id
    ), due AS (
        INSERT INTO matched_queries (query_id) SELECT DISTINCT query_id FROM match
        ON CONFLICT DO NOTHING
    )
    DELETE FROM changed_ads WHERE id = ANY($5::bigint[])
"""

# Parameters: the queries as JSON, and keys: of which query, and their two terms.
REPLACE_TERMS = f"""
    WITH query AS MATERIALIZED (
        SELECT new.* FROM jsonb_to_recordset($1::text::jsonb) AS new (id bigint, {PARTS_RECORD})
            JOIN saved_queries ON saved_queries.id = new.id
        ORDER BY new.id FOR NO KEY UPDATE OF saved_queries
    ), key AS MATERIALIZED (
        SELECT key.*
        FROM unnest($2::bigint[], $3::text[], $4::text[]) AS key (query_id, term, other)
            JOIN query ON query.id = query_id
    ), deleted AS (
        DELETE FROM query_keys WHERE query_id IN (SELECT id FROM query)
            AND (query_id, term, other) NOT IN (SELECT query_id, term, other FROM key)
    ), added AS (
        INSERT INTO query_keys (term, other, query_id) SELECT term, other, query_id FROM key
        ON CONFLICT DO NOTHING
    )
    UPDATE saved_queries SET keyed_at = now(),
        {", ".join(f"{name} = query.{name}" for name in PARTS)}
    FROM query WHERE saved_queries.id = query.id
"""
DUE_KEYS = """
    SELECT id, query FROM saved_queries WHERE keyed_at <= coalesce($1, '-infinity'::timestamptz)
    ORDER BY keyed_at LIMIT $2
"""


class Pair(NamedTuple):
    ad_id: int
    query_id: int


class Candidate(NamedTuple):
    """A pair that matches but for the attributes."""

    ad_id: int
    query_id: int
    ads: AdFilter


class Matched(NamedTuple):
    """`uncertain` match if the attributes of the query, by its text, match too."""

    certain: set[Pair]
    uncertain: dict[Pair, str]
    # How many were checked.
    candidates: int


class RowParameters(Parameters):
    """Parameters that differ from row to row: columns of `candidate`."""

    def __init__(self) -> None:
        super().__init__()
        self.types: list[str] = []

    def add(self, value: object) -> str:
        column = f"candidate.p{len(self.values)}::{_type_of(value)}"
        self.values.append(_array(value) if isinstance(value, list) else value)
        self.types.append("text" if isinstance(value, list) else _type_of(value))
        return column


def _type_of(value: object) -> str:
    match value:
        case int():
            return "bigint"
        case float():
            return "float8"
        case str():
            return "text"
        case datetime():
            return "timestamptz"
        case [int(), *_]:
            return "bigint[]"
        case list():
            return "text[]"
        case _:
            raise TypeError(type(value))


def _array(values: list[object]) -> str:
    """As PostgreSQL writes arrays: an array of arrays would have to be a rectangle."""
    quoted = (str(value).replace("\\", r"\\").replace('"', r"\"") for value in values)
    return "{" + ",".join(f'"{value}"' for value in quoted) + "}"


# Shapes of conditions in one statement; planning takes longer with each.
MOST_SHAPES = 64


async def events(db: Statements, first: int, last: int) -> Sequence[Row]:
    """Of ads: what happened to each."""
    return await db.fetch(SELECT_EVENTS, first, last, keep_plan=True)


async def earliest(db: Statements, ad_ids: Collection[int]) -> Sequence[Row]:
    """Of each ad the first state that is kept, and all of them."""
    return await db.fetch(SELECT_EARLIEST_CHANGES, list(ad_ids), keep_plan=True)


async def matching(db: Statements, ad_ids: Collection[int]) -> Matched:
    """The queries that these ads match now."""
    [row] = await db.fetch(MATCH, list(ad_ids), keep_plan=True)
    return _matched(row)


async def matching_before(
    db: Statements, pairs: Iterable[Pair], states: Collection[int]
) -> Matched:
    """Which of the pairs matched as the ads were, by ids of `changed_ads`."""
    chosen = list(pairs)
    ads, queries = [pair.ad_id for pair in chosen], [pair.query_id for pair in chosen]
    values = list(states), ads, queries
    [row] = await db.fetch(MATCH_BEFORE, *values, keep_plan=True)
    return _matched(row)


async def confirmed(
    db: Statements, candidates: Sequence[Candidate], states: Collection[int] | None = None
) -> set[Pair]:
    """Those that match by attributes too, now or as the ads were.

    Conditions that differ in their values alone are checked together.
    """
    source = CURRENT_AD if states is None else AD_BEFORE_CHANGE
    ids = states if states is not None else {candidate.ad_id for candidate in candidates}
    shapes: dict[str, list[tuple[Candidate, RowParameters]]] = defaultdict(list)
    for candidate in candidates:
        parameters = RowParameters()
        shapes[conditions_sql(candidate.ads, parameters)].append((candidate, parameters))
    found: set[Pair] = set()
    conditions = list(shapes.items())
    for start in range(0, len(conditions), MOST_SHAPES):
        all_values = Parameters([sorted(ids)])
        parts = [
            _shape_sql(condition, rows, all_values)
            for condition, rows in conditions[start : start + MOST_SHAPES]
        ]
        rows = await db.fetch(
            f"WITH subject AS MATERIALIZED ({source}) {' UNION ALL '.join(parts)}",
            *all_values.values,
        )
        found |= {Pair(row["ad_id"], row["query_id"]) for row in rows}
    return found


async def due_for_keys(db: Statements, keyed_before: datetime | None, limit: int) -> Sequence[Row]:
    """With None those whose keys are wrong: the words of ads have changed since."""
    return await db.fetch(DUE_KEYS, keyed_before, limit, keep_plan=True)


async def replace(db: Statements, queries: Mapping[int, NewQuery]) -> None:
    """What is stored of these queries, by their ids."""
    keys = [
        (query_id, *key)
        for query_id, new in queries.items()
        for key in new.keys or [KeyTerms(EVERYTHING)]
    ]
    records = [{"id": query_id, **new.parts} for query_id, new in queries.items()]
    await db.fetch(
        REPLACE_TERMS, json.dumps(records), *([key[at] for key in keys] for at in range(3))
    )


def _matched(row: Row) -> Matched:
    certain, uncertain = set(), {}
    pairs = map(Pair, row["ads"] or (), row["queries"] or ())
    for pair, text in zip(pairs, row["texts"] or (), strict=True):
        if text is None:
            certain.add(pair)
        else:
            uncertain[pair] = text
    return Matched(certain, uncertain, row["candidates"])


class Match(NamedTuple):
    """An ad that came to match a query, by an event of the log, which was a row of `changes`."""

    query_id: int
    ad_id: int
    event_id: int
    change_id: int | None


async def store_matches(db: DatabaseSession, matches: Sequence[Match], used: Sequence[int]) -> None:
    columns = ([each[at] for each in matches] for at in range(4))
    await db.fetch(INSERT_MATCHES, *columns, used)


def _shape_sql(
    condition: str, rows: Sequence[tuple[Candidate, RowParameters]], parameters: Parameters
) -> str:
    types = ["bigint", "bigint", *rows[0][1].types]
    values = [[each.ad_id, each.query_id, *own.values] for each, own in rows]
    columns = [list(column) for column in zip(*values, strict=True)]
    arrays = ", ".join(
        f"{parameters.add(column)}::{kind}[]" for column, kind in zip(columns, types, strict=True)
    )
    names = ", ".join(f"p{at}" for at in range(len(types) - 2))
    return f"""
        SELECT ad_id, query_id
        FROM unnest({arrays}) AS candidate (ad_id, query_id{names and ", "}{names})
            JOIN subject AS ads ON ads.id = candidate.ad_id
        WHERE {condition}
    """
