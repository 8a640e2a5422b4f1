"""Saved searches, and percolation: which saved queries an ad matches.

The usual direction is turned round: an ad finds queries. Its terms find candidates by the keys of
queries (`repositories.ads.search.keys`), and the condition of `GET /ads` decides.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db.engine import Statements
from adsvc.db.pools import Reader, Row, Writer
from adsvc.models import Notify, SavedQuery, SavedSearch
from adsvc.repositories.ads.criteria import AdFilter
from adsvc.repositories.ads.listing import conditions_sql
from adsvc.repositories.ads.projection import visible
from adsvc.repositories.ads.search.keys import AD_TERMS, KeyTerms
from adsvc.repositories.ads.terms import Parameters, words
from adsvc.repositories.events import LAST_EVENT

# The matching's place in the log.
CONSUMER = "searches"
POSITION = f"SELECT position FROM consumers WHERE name = '{CONSUMER}'"

# What `newCount` counts up to.
MOST_NEW = 100


def due_at(notify: str = "notify") -> str:
    """When a search's next alert is due, by SQL. The first instant one waits for nothing."""
    return f"""
        CASE {notify}
            WHEN 'instant' THEN greatest(now(), alerted_at + interval '15 minutes')
            WHEN 'daily' THEN greatest(now(), coalesce(alerted_at, created_at) + interval '1 day')
            WHEN 'weekly' THEN greatest(now(), coalesce(alerted_at, created_at) + interval '7 days')
        END
    """


def wanted_matches(since: str) -> str:
    """The matches of the row `search` after that position that its account would want to see."""
    return f"""
        FROM query_matches AS match JOIN ads ON ads.id = match.ad_id
        WHERE match.query_id = search.query_id AND match.event_id > {since}
            AND ads.author_id <> search.user_id AND {visible()}
    """


# Parameters: the account, and one search or null for all.
LIST = f"""
    SELECT search.id, name, query, notify, search.created_at, (
        SELECT count(*)::int FROM (
            SELECT {wanted_matches("search.seen")} LIMIT {MOST_NEW}
        ) AS new
    ) AS new_count
    FROM saved_searches AS search JOIN saved_queries ON saved_queries.id = query_id
    WHERE user_id = $1 AND ($2::bigint IS NULL OR search.id = $2) ORDER BY search.id DESC
"""
# It is opened too, which keeps its alerts.
MARK_SEEN = f"""
    UPDATE saved_searches
    SET seen = greatest(seen, ({POSITION})), opened_at = now(), asked_at = NULL
    WHERE id = $1 AND user_id = $2 RETURNING id
"""
# One that begins to alert does so with what comes from now on.
UPDATE = f"""
    UPDATE saved_searches SET name = coalesce($3::text, name), notify = coalesce($4::text, notify),
        alerted = CASE WHEN notify = 'never' AND $4 <> 'never'
            THEN greatest(alerted, ({POSITION})) ELSE alerted END,
        due_at = CASE WHEN due_at IS NOT NULL THEN {due_at("coalesce($4, notify)")} END,
        opened_at = now(), asked_at = NULL
    WHERE id = $1 AND user_id = $2 RETURNING id
"""
ADD = f"""
    WITH query AS (
        INSERT INTO saved_queries (query, digest) VALUES ($2, $3)
        -- Locked, so that it is not deleted meanwhile.
        ON CONFLICT (digest) DO UPDATE SET digest = excluded.digest
        RETURNING id, xmax = 0 AS is_new
    ), keyed AS (
        INSERT INTO query_keys (term, other, query_id)
        SELECT term, other, query.id FROM query, unnest($4::text[], $5::text[]) AS key (term, other)
        WHERE is_new
    )
    INSERT INTO saved_searches (user_id, query_id, name, notify, seen, alerted)
    SELECT $1, query.id, $6, $7, last.id, last.id FROM query, ({LAST_EVENT}) AS last
    RETURNING id
"""


class SavedSearchRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session
        self._statements = Statements(session)

    async def find(self, user_id: int, query: str) -> int | None:
        """The account's search with that query."""
        found = (
            select(SavedSearch.id)
            .join(SavedQuery, SavedQuery.id == SavedSearch.query_id)
            .where(SavedSearch.user_id == user_id, SavedQuery.digest == digest(query))
        )
        return await self._session.scalar(found)

    async def count(self, user_id: int) -> int:
        query = select(func.count()).select_from(SavedSearch).where(SavedSearch.user_id == user_id)
        return await self._session.scalar(query) or 0

    async def add(
        self, user_id: int, query: str, keys: Sequence[KeyTerms], *, name: str, notify: Notify
    ) -> int:
        """Its id. The matches of events from now on are its."""
        added: int = await self._statements.fetchval(
            ADD, user_id, query, digest(query), [key.term for key in keys],
            [key.other for key in keys], name, notify,
        )  # fmt: skip
        return added

    async def list_of_user(self, user_id: int, search_id: int | None = None) -> Sequence[Row]:
        """The newest first."""
        return await self._statements.fetch(LIST, user_id, search_id)

    async def update(
        self, search_id: int, user_id: int, *, name: str | None, notify: str | None
    ) -> bool:
        row = await self._statements.fetchrow(UPDATE, search_id, user_id, name, notify)
        return row is not None

    async def mark_seen(self, search_id: int, user_id: int) -> bool:
        return await self._statements.fetchrow(MARK_SEEN, search_id, user_id) is not None

    async def delete(self, search_id: int, user_id: int) -> bool:
        statement = delete(SavedSearch).where(
            SavedSearch.id == search_id, SavedSearch.user_id == user_id
        )
        return await self._session.scalar(statement.returning(SavedSearch.id)) is not None


def digest(query: str) -> bytes:
    return sha256(query.encode()).digest()


# Parameters: ids of ads that have changed.
CANDIDATES = f"""
    WITH changed AS MATERIALIZED (SELECT id FROM ads WHERE id = ANY($1::bigint[]) AND {visible()}),
    ad_terms AS MATERIALIZED ({AD_TERMS}),
    first AS MATERIALIZED (
        SELECT ad_id, term FROM ad_terms
        WHERE EXISTS (SELECT FROM query_keys WHERE term = ad_terms.term AND other > '')
    ), second AS MATERIALIZED (
        SELECT ad_id, term FROM ad_terms
        WHERE EXISTS (SELECT FROM query_keys WHERE other = ad_terms.term AND other <> '')
    ), found AS (
        SELECT ad_id, query_id FROM ad_terms JOIN query_keys USING (term) WHERE other = ''
        UNION
        SELECT ad_id, query_id FROM first JOIN second USING (ad_id) JOIN query_keys
            ON query_keys.term = first.term AND query_keys.other = second.term
    )
    SELECT ad_id, query_id, query FROM found JOIN saved_queries ON saved_queries.id = query_id
"""

# The columns that conditions of searches are about.
_COLUMNS = (
    "status, author_id, created_at, price, price_type, category_id, attributes, public_latitude,"
    " public_longitude"
)
# Parameters: ids of ads, and ids of `changed_ads`.
NOW = f"SELECT id, search, expires_at, {_COLUMNS} FROM ads WHERE id = ANY($1::bigint[])"
BEFORE = f"""
    SELECT ad_id AS id, ad_words(words) AS search,
        CASE WHEN is_shown THEN NULL ELSE '-infinity'::timestamptz END AS expires_at, {_COLUMNS}
    FROM changed_ads WHERE id = ANY($1::bigint[])
"""

EARLIEST = """
    SELECT ad_id, min(id) AS id, array_agg(id) AS ids FROM changed_ads
    WHERE ad_id = ANY($1::bigint[]) GROUP BY ad_id
"""

# Parameters: first and last id.
EVENTS = """
    SELECT id, type, ad_id, data->>'from' AS before, data->>'to' AS after FROM events
    WHERE id >= $1 AND id <= $2 AND type LIKE 'ad.%' AND ad_id IS NOT NULL ORDER BY id
"""

# Parameters: queries, ads and events of the matches; and what has been used of `changed_ads`.
STORE = f"""
    WITH matched AS (
        INSERT INTO query_matches (query_id, ad_id, event_id)
        SELECT query_id, ad_id, event_id
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS match (query_id, ad_id, event_id)
        WHERE EXISTS (SELECT FROM saved_queries WHERE id = query_id FOR KEY SHARE)
        ON CONFLICT (query_id, ad_id) DO UPDATE SET event_id = excluded.event_id, at = excluded.at
    ), due AS (
        UPDATE saved_searches SET due_at = {due_at()}
        WHERE query_id = ANY($1::bigint[]) AND due_at IS NULL AND notify <> 'never'
    )
    DELETE FROM changed_ads WHERE id = ANY($4::bigint[])
"""

REPLACE_KEYS = """
    WITH query AS MATERIALIZED (
        SELECT id FROM saved_queries WHERE id = $1 FOR NO KEY UPDATE
    ), key AS MATERIALIZED (
        SELECT term, other FROM unnest($2::text[], $3::text[]) AS key (term, other)
    ), deleted AS (
        DELETE FROM query_keys
        WHERE query_id = $1 AND (term, other) NOT IN (SELECT term, other FROM key)
    ), added AS (
        INSERT INTO query_keys (term, other, query_id)
        SELECT term, other, query.id FROM query, key ON CONFLICT DO NOTHING
    )
    UPDATE saved_queries SET keyed_at = now() FROM query WHERE saved_queries.id = query.id
"""
DUE_KEYS = """
    SELECT id, query FROM saved_queries WHERE keyed_at <= coalesce($1, '-infinity'::timestamptz)
    ORDER BY keyed_at LIMIT $2
"""


class Candidate(NamedTuple):
    ad_id: int
    query_id: int
    ads: AdFilter


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


def match_sql(ads: AdFilter, parameters: Parameters) -> str:
    """The whole condition of `GET /ads`."""
    condition = conditions_sql(ads, parameters)
    if ads.terms is None:
        return condition
    return f"{condition} AND search @@ {words(ads.terms, parameters)}"


# Shapes of conditions in one statement; planning takes longer with each.
MOST_SHAPES = 64


class PercolationRepository:
    def __init__(self, reader: Reader, writer: Writer) -> None:
        self._reader = reader
        self._writer = writer

    async def events(self, first: int, last: int) -> Sequence[Row]:
        """Of ads: what happened to each."""
        return await self._reader.fetch(EVENTS, first, last, keep_plan=True)

    async def candidates(self, ad_ids: Collection[int]) -> Sequence[Row]:
        """For shown ads: `ad_id`, `query_id`, `query`."""
        return await self._reader.fetch(CANDIDATES, list(ad_ids), keep_plan=True)

    async def earliest(self, ad_ids: Collection[int]) -> Sequence[Row]:
        """Of each ad the first state that is kept, and all of them."""
        return await self._reader.fetch(EARLIEST, list(ad_ids), keep_plan=True)

    async def matching(self, candidates: Iterable[Candidate]) -> set[tuple[int, int]]:
        """Ads with the queries that they match now."""
        chosen = list(candidates)
        return await self._matching(NOW, [each.ad_id for each in chosen], chosen)

    async def matching_before(
        self, candidates: Iterable[Candidate], states: Collection[int]
    ) -> set[tuple[int, int]]:
        """The same for ads as they were, by ids of `changed_ads`."""
        return await self._matching(BEFORE, list(states), list(candidates))

    async def _matching(
        self, source: str, ids: Sequence[int], candidates: Sequence[Candidate]
    ) -> set[tuple[int, int]]:
        """Conditions that differ in their values alone are checked together."""
        shapes: dict[str, list[tuple[Candidate, RowParameters]]] = defaultdict(list)
        for candidate in candidates:
            parameters = RowParameters()
            shapes[match_sql(candidate.ads, parameters)].append((candidate, parameters))
        found: set[tuple[int, int]] = set()
        conditions = list(shapes.items())
        for start in range(0, len(conditions), MOST_SHAPES):
            all_values = Parameters([sorted(set(ids))])
            parts = [
                _shape_sql(condition, rows, all_values)
                for condition, rows in conditions[start : start + MOST_SHAPES]
            ]
            rows = await self._reader.fetch(
                f"WITH subject AS MATERIALIZED ({source}) {' UNION ALL '.join(parts)}",
                *all_values.values,
            )
            found |= {(row["ad_id"], row["query_id"]) for row in rows}
        return found

    async def due_for_keys(self, keyed_before: datetime | None, limit: int) -> Sequence[Row]:
        """With None those whose keys are wrong: the words of ads have changed since."""
        return await self._reader.fetch(DUE_KEYS, keyed_before, limit, keep_plan=True)

    async def replace_keys(self, query_id: int, keys: Sequence[KeyTerms]) -> None:
        terms, others = [key.term for key in keys], [key.other for key in keys]
        await self._writer.fetch(REPLACE_KEYS, query_id, terms, others)


async def store_matches(
    session: AsyncSession, matches: Sequence[tuple[int, int, int]], used: Sequence[int]
) -> None:
    """`matches` are queries, ads and events."""
    queries, ads, events = ([each[at] for each in matches] for at in range(3))
    await Statements(session).fetch(STORE, queries, ads, events, used)


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
