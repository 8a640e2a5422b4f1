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
from adsvc.models import NotificationType, Notify, SavedQuery, SavedSearch
from adsvc.repositories.accounts.callers import NOT_SUSPENDED
from adsvc.repositories.ads.criteria import AdFilter
from adsvc.repositories.ads.listing import conditions_sql
from adsvc.repositories.ads.projection import visible
from adsvc.repositories.ads.search.keys import AD_TERMS, KeyTerms
from adsvc.repositories.ads.terms import Parameters, words
from adsvc.repositories.events import LAST_EVENT
from adsvc.repositories.notifications import wants
from adsvc.repositories.outbox import OUTBOX_COLUMNS

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
            AND {wanted_author("search.user_id")} AND {visible()}
    """


def wanted_author(user_id: str) -> str:
    """Whether the ad is neither the account's own nor of one that it has blocked."""
    return f"""(
        ads.author_id <> {user_id} AND NOT EXISTS (
            SELECT FROM blocks WHERE owner_id = {user_id} AND blocked_id = ads.author_id
        )
    )"""


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


# An alert is about so many ads: the mail shows the newest, the notification fewer.
MOST_ALERTED = 100
MOST_MAILED = 20
MOST_NOTIFIED = 12
# Alerts that are not opened for so long end.
FORGOTTEN_DAYS = 180
# Mails about alerts that may wait: mails about passwords wait behind them.
MOST_WAITING = 100

ALERT = "search-alert"

# While it is locked no match is stored, so none is overlooked between one alert and the next; and
# of two alerts of an account the second sees what the first was about.
LOCK = f"{POSITION} FOR NO KEY UPDATE"
MAY_ALERT = f"""
    SELECT count(*) < {MOST_WAITING} AS may FROM (
        SELECT FROM outbox WHERE kind = '{ALERT}' AND dead_at IS NULL LIMIT {MOST_WAITING}
    ) AS waiting
"""
# The alert that has been due longest. Parameter: the position. An unread notification of the search
# gathers what is new.
SEND_ALERT = f"""
    WITH search AS MATERIALIZED (
        SELECT *, opened_at < now() - interval '{FORGOTTEN_DAYS} days' AS is_forgotten
        FROM saved_searches WHERE due_at <= now() ORDER BY due_at LIMIT 1
        FOR NO KEY UPDATE SKIP LOCKED
    ), matched AS MATERIALIZED (
        SELECT found.* FROM search CROSS JOIN LATERAL (
            SELECT match.ad_id, match.event_id {wanted_matches("search.alerted")}
                AND NOT EXISTS (
                    SELECT FROM alerted_ads
                    WHERE alerted_ads.user_id = search.user_id AND alerted_ads.ad_id = match.ad_id
                )
            ORDER BY match.event_id DESC LIMIT {MOST_ALERTED}
        ) AS found
    ), alert AS MATERIALIZED (
        SELECT search.id, search.user_id, search.name, is_forgotten, asked_at,
            (SELECT count(*) FROM matched) AS count,
            ARRAY(SELECT ad_id FROM matched ORDER BY event_id DESC) AS ads,
            {wants(NotificationType.SEARCH_MATCHED, "site")} AS site,
            {wants(NotificationType.SEARCH_MATCHED, "mail")} AND mail_verified AS mail
        FROM search JOIN users ON users.id = search.user_id
            LEFT JOIN preferences ON preferences.user_id = search.user_id
        WHERE EXISTS (SELECT FROM matched) AND {NOT_SUSPENDED}
    ), gathered AS (
        DELETE FROM notifications USING alert
        WHERE notifications.user_id = alert.user_id AND search_id = alert.id AND NOT read
            AND type = '{NotificationType.SEARCH_MATCHED}' AND site AND NOT is_forgotten
        RETURNING data
    ), listed AS (
        INSERT INTO notifications (user_id, type, search_id, data)
        SELECT user_id, '{NotificationType.SEARCH_MATCHED}', id, jsonb_build_object(
            'name', name,
            'count', count + coalesce((SELECT sum((data->>'count')::int) FROM gathered), 0),
            'ads', (SELECT jsonb_agg(ad_id) FROM (
                SELECT ad_id FROM unnest(ads) WITH ORDINALITY AS new (ad_id, number)
                UNION ALL
                SELECT ad_id::bigint FROM gathered,
                    jsonb_array_elements_text(data->'ads') WITH ORDINALITY AS old (ad_id, number)
                LIMIT {MOST_NOTIFIED}
            ) AS newest)
        )
        FROM alert WHERE site AND NOT is_forgotten
    ), mailed AS (
        INSERT INTO outbox ({OUTBOX_COLUMNS})
        SELECT '{ALERT}', jsonb_build_object(
            'user_id', user_id, 'search', id, 'count', count, 'is_last', is_forgotten,
            'ads', ads[:{MOST_MAILED}]
        )
        FROM alert WHERE mail AND (NOT is_forgotten OR asked_at IS NULL)
    ), noted AS (
        INSERT INTO alerted_ads (user_id, ad_id)
        SELECT user_id, ad_id FROM alert, matched WHERE NOT is_forgotten ON CONFLICT DO NOTHING
    )
    UPDATE saved_searches SET due_at = NULL, alerted = greatest(saved_searches.alerted, $1),
        alerted_at = CASE WHEN alert.id IS NULL THEN saved_searches.alerted_at ELSE now() END,
        asked_at = CASE WHEN alert.is_forgotten AND saved_searches.asked_at IS NULL THEN now()
            ELSE saved_searches.asked_at END
    FROM search LEFT JOIN alert ON alert.id = search.id
    WHERE saved_searches.id = search.id
    RETURNING saved_searches.id
"""

# What a mail about an alert says, as things are when it is sent. Parameters: the search, its
# account, and the ads.
TO_MAIL = f"""
    SELECT search.name, query, users.mail, users.language, (
        SELECT coalesce(json_agg(json_build_object(
            'id', ads.id, 'title', title, 'price', price, 'price_type', price_type,
            'place', place, 'image', coalesce(thumbnail, image)
        ) ORDER BY number), '[]')::text
        FROM unnest($3::bigint[]) WITH ORDINALITY AS chosen (ad_id, number)
            JOIN ads ON ads.id = chosen.ad_id
        WHERE {wanted_author("users.id")} AND {visible()}
    ) AS ads
    FROM saved_searches AS search JOIN saved_queries ON saved_queries.id = query_id
        JOIN users ON users.id = user_id LEFT JOIN preferences USING (user_id)
    WHERE search.id = $1 AND user_id = $2 AND notify <> 'never' AND mail_verified
        AND {NOT_SUSPENDED} AND {wants(NotificationType.SEARCH_MATCHED, "mail")}
"""
SILENCE = """
    UPDATE saved_searches SET notify = 'never', due_at = NULL
    WHERE user_id = $2 AND ($1::bigint IS NULL OR id = $1)
"""
CLEAN = """
    WITH matches AS (
        DELETE FROM query_matches WHERE (query_id, ad_id) IN (
            SELECT query_id, ad_id FROM query_matches WHERE at < now() - make_interval(days => $1)
            ORDER BY at LIMIT 5000
        ) RETURNING TRUE
    ), alerted AS (
        DELETE FROM alerted_ads WHERE (user_id, ad_id) IN (
            SELECT user_id, ad_id FROM alerted_ads WHERE at < now() - make_interval(days => $2)
            ORDER BY at LIMIT 5000
        ) RETURNING TRUE
    ), states AS (
        DELETE FROM changed_ads WHERE id IN (
            SELECT id FROM changed_ads WHERE at < now() - make_interval(days => $3)
            ORDER BY at LIMIT 5000
        ) RETURNING TRUE
    ), queries AS (
        DELETE FROM saved_queries WHERE id IN (
            SELECT id FROM saved_queries
            WHERE NOT EXISTS (
                SELECT FROM saved_searches WHERE query_id = saved_queries.id
            ) LIMIT 1000 FOR UPDATE SKIP LOCKED
        ) RETURNING TRUE
    )
    SELECT (SELECT count(*) FROM matches) + (SELECT count(*) FROM alerted)
        + (SELECT count(*) FROM states) + (SELECT count(*) FROM queries) AS deleted
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


class AlertRepository:
    """In one transaction, which locks the matching out."""

    def __init__(self, session: AsyncSession) -> None:
        self._statements = Statements(session)

    async def lock(self) -> int:
        """The position of the matching."""
        position: int = await self._statements.fetchval(LOCK)
        return position

    async def may_alert(self) -> bool:
        """Whether few enough mails wait."""
        may: bool = await self._statements.fetchval(MAY_ALERT)
        return may

    async def send_next(self, position: int) -> bool:
        """Whether an alert was due."""
        return await self._statements.fetchrow(SEND_ALERT, position) is not None

    async def silence(self, user_id: int, search_id: int | None) -> None:
        """Ends the alerts of a search, or of all."""
        await self._statements.fetch(SILENCE, search_id, user_id)


async def alert_to_mail(
    writer: Writer, search_id: int, user_id: int, ads: Sequence[int]
) -> Row | None:
    """`name`, `query`, `mail`, `language`, `ads` as JSON; None if no mail is wanted any more."""
    return await writer.fetchrow(TO_MAIL, search_id, user_id, ads)


async def delete_old_matches(writer: Writer, match_days: int, state_days: int) -> int:
    """At most some thousand rows; returns how many."""
    row = await writer.fetchrow(CLEAN, match_days, FORGOTTEN_DAYS, state_days)
    return 0 if row is None else int(row["deleted"])


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
