"""Saved searches and their alerts, and favorites. What matches searches is in
`repositories.percolation`.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert

from adsvc.enums import NotificationType, Notify
from adsvc.errors import SearchNotFoundError
from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import BEYOND_ALL, MOST_LARGE_RECORDS, Row, Statements, page_of_records
from adsvc.models.following import Favorite, SavedQuery, SavedSearch
from adsvc.repositories.accounts.callers import NOT_SUSPENDED
from adsvc.repositories.ads.projection import (
    RecordKind,
    contacts_sql,
    favorites_sql,
    members_sql,
    visible,
)
from adsvc.repositories.events import LAST_EVENT, NOT_IN_LOG
from adsvc.repositories.notifications import NEXT_NOTIFICATION, followed_ad, wants
from adsvc.repositories.outbox import OUTBOX_COLUMNS
from adsvc.repositories.percolation import PART_NAMES, PARTS_RECORD, POSITION, NewQuery
from adsvc.repositories.push import queue_push_sql

# What `newCount` counts up to.
MOST_NEW = 100


# Not rounded up, which would be a moment ahead.
NOW = "date_trunc('milliseconds', now())"


def due_at(notify: str = "notify") -> str:
    """When a search's next alert is due, by SQL. Of an instant one, the mail alone waits."""
    return f"""
        CASE {notify}
            WHEN 'instant' THEN {NOW}
            WHEN 'daily' THEN greatest({NOW}, coalesce(alerted_at, created_at) + interval '1 day')
            WHEN 'weekly' THEN greatest({NOW}, coalesce(alerted_at, created_at) + interval '7 days')
        END
    """


def wanted_matches(since: str) -> str:
    """The matches of the row `search` after that position that its account would want to see."""
    return f"""
        FROM query_matches AS match JOIN ads ON ads.id = match.ad_id
        WHERE match.query_id = search.query_id AND match.event_id > {since}
            AND (match.change_id = ANY (search.known)) IS NOT TRUE
            AND {wanted_author("search.user_id")} AND {visible()}
    """


def wanted_author(user_id: str) -> str:
    """Whether the ad is neither the account's own nor of one that it has blocked."""
    return f"""(
        ads.author_id <> {user_id} AND NOT EXISTS (
            SELECT FROM blocks WHERE owner_id = {user_id} AND blocked_id = ads.author_id
        )
    )"""


# Parameters: the account, one search or null for all, the id below which they are, how many.
LIST = f"""
    SELECT search.id, name, query, notify, search.created_at, (
        SELECT count(*)::int FROM (
            SELECT {wanted_matches("search.seen")} LIMIT {MOST_NEW}
        ) AS new
    ) AS new_count
    FROM saved_searches AS search JOIN saved_queries ON saved_queries.id = query_id
    WHERE user_id = $1 AND ($2::bigint IS NULL OR search.id = $2) AND search.id < $3
    ORDER BY search.id DESC LIMIT $4
"""
# Parameters: the account, its search, the event after which, and how many. One row has no match if
# there is none.
MATCHES = f"""
    SELECT ({POSITION}) AS reached, match.event_id, match.record FROM saved_searches AS search
    LEFT JOIN LATERAL (
        SELECT match.event_id, (
            SELECT row_to_json(ad)::text FROM (SELECT {members_sql(RecordKind.AD)}) AS ad
        ) AS record {wanted_matches("$3::bigint")} ORDER BY match.event_id LIMIT $4
    ) AS match ON TRUE
    WHERE user_id = $1 AND search.id = $2 ORDER BY match.event_id
"""
# Parameters: searches, and events. Those that were deleted are among them.
WITH_MATCHES = """
    SELECT id FROM unnest($1::bigint[], $2::bigint[]) AS followed (id, event_id)
    LEFT JOIN saved_searches USING (id) WHERE query_id IS NULL OR EXISTS (
        SELECT FROM query_matches AS match
        WHERE match.query_id = saved_searches.query_id AND match.event_id > followed.event_id
    )
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
            THEN greatest(alerted, ({LAST_EVENT})) ELSE alerted END,
        unalerted = CASE WHEN notify = 'never' AND $4 <> 'never'
            THEN {NOT_IN_LOG} ELSE unalerted END,
        due_at = CASE WHEN due_at IS NOT NULL THEN {due_at("coalesce($4, notify)")} END,
        opened_at = now(), asked_at = NULL
    WHERE id = $1 AND user_id = $2 RETURNING id
"""
ADD = f"""
    WITH query AS (
        INSERT INTO saved_queries (query, digest, {PART_NAMES})
        SELECT $2, $3, {PART_NAMES} FROM jsonb_to_record($8::text::jsonb) AS parts ({PARTS_RECORD})
        -- Locked, so that it is not deleted meanwhile.
        ON CONFLICT (digest) DO UPDATE SET digest = excluded.digest
        RETURNING id, xmax = 0 AS is_new
    ), keyed AS (
        INSERT INTO query_keys (term, other, query_id)
        SELECT term, other, query.id FROM query, unnest($4::text[], $5::text[]) AS key (term, other)
        WHERE is_new
    )
    INSERT INTO saved_searches (user_id, query_id, name, notify, seen, alerted, known)
    SELECT $1, query.id, $6, $7, last.id, last.id, {NOT_IN_LOG} FROM query, ({LAST_EVENT}) AS last
    RETURNING id
"""


async def find(db: DatabaseSession, user_id: int, query: str) -> int | None:
    """The account's search with that query."""
    found = (
        select(SavedSearch.id)
        .join(SavedQuery, SavedQuery.id == SavedSearch.query_id)
        .where(SavedSearch.user_id == user_id, SavedQuery.digest == digest(query))
    )
    return await db.scalar(found)


async def count(db: DatabaseSession, user_id: int) -> int:
    query = select(func.count()).select_from(SavedSearch).where(SavedSearch.user_id == user_id)
    return await db.scalar(query) or 0


async def add(
    db: Statements, user_id: int, query: str, new: NewQuery, *, name: str, notify: Notify
) -> int:
    """Its id. The matches of events from now on are its."""
    terms, others = [key.term for key in new.keys], [key.other for key in new.keys]
    added: int = await db.fetchval(
        ADD, user_id, query, digest(query), terms, others, name, notify, json.dumps(new.parts)
    )
    return added


async def list_of_user(
    db: Statements,
    user_id: int,
    search_id: int | None = None,
    *,
    before: int | None = None,
    limit: int | None = None,
) -> Sequence[Row]:
    """Those with an id below `before`, the newest first; by default all."""
    below = BEYOND_ALL if before is None else before
    return await db.fetch(LIST, user_id, search_id, below, limit)


async def matched_up_to(db: Statements) -> int:
    """The last event whose ad was matched."""
    position: int = await db.fetchval(POSITION)
    return position


async def matches(
    db: Statements, user_id: int, search_id: int, after: int, limit: int
) -> tuple[Sequence[tuple[int, str]], int]:
    """Of matches the event and the ad as JSON, and the event up to which that is all.

    `SearchNotFoundError` if it was deleted.
    """
    rows = await db.fetch(MATCHES, user_id, search_id, after, limit)
    if not rows:
        raise SearchNotFoundError
    found = [(row["event_id"], row["record"]) for row in rows if row["event_id"] is not None]
    return found, found[-1][0] if len(found) == limit else max(after, rows[0]["reached"])


async def with_matches(db: Statements, followed: Mapping[int, int]) -> Collection[int]:
    """The searches that have matches after their event, or were deleted."""
    rows = await db.fetch(WITH_MATCHES, list(followed), list(followed.values()))
    return {row["id"] for row in rows}


async def update(
    db: Statements, search_id: int, user_id: int, *, name: str | None, notify: str | None
) -> bool:
    row = await db.fetchrow(UPDATE, search_id, user_id, name, notify)
    return row is not None


async def mark_seen(db: Statements, search_id: int, user_id: int) -> bool:
    return await db.fetchrow(MARK_SEEN, search_id, user_id) is not None


async def delete_search(db: DatabaseSession, search_id: int, user_id: int) -> bool:
    statement = delete(SavedSearch).where(
        SavedSearch.id == search_id, SavedSearch.user_id == user_id
    )
    return await db.scalar(statement.returning(SavedSearch.id)) is not None


def digest(query: str) -> bytes:
    return sha256(query.encode()).digest()


# Searches in one statement, of queries that have matches.
DUE_AT_ONCE = 1000
# Those of the next queries whose alert is not due yet. A query that thousands have saved takes
# several statements. Not while matches are stored, or a mark would be lost.
MARK_DUE = f"""
    WITH query AS MATERIALIZED (SELECT query_id FROM matched_queries LIMIT 100),
    search AS MATERIALIZED (
        SELECT saved_searches.id FROM query JOIN saved_searches USING (query_id)
        WHERE due_at IS NULL AND notify <> 'never'
        LIMIT {DUE_AT_ONCE} FOR NO KEY UPDATE OF saved_searches
    ), due AS (
        UPDATE saved_searches SET due_at = {due_at()}
        FROM search WHERE saved_searches.id = search.id
    ), marked AS (
        DELETE FROM matched_queries USING query
        WHERE matched_queries.query_id = query.query_id
            AND (SELECT count(*) FROM search) < {DUE_AT_ONCE}
    )
    SELECT (SELECT count(*) FROM query) = 100
        OR (SELECT count(*) FROM search) = {DUE_AT_ONCE} AS more
"""

# An alert is about so many ads: the mail shows the newest, the notification fewer.
MOST_ALERTED = 100
MOST_MAILED = 20
MOST_NOTIFIED = 12
# Mails that are never read look like spam: alerts with mails that are not opened for so long end.
# Without mails there is no such harm, and nothing that could ask.
FORGOTTEN_DAYS = 180

ALERT = "search-alert"

# Of one search there is at most one mail, and one notification that is not silent, in:
QUARTER = "interval '15 minutes'"
# Mails about alerts that may be due: mails about passwords wait behind them. Others are put off by
# so many days from their moment, unless there is room for them earlier.
MOST_WAITING = 100
PUT_OFF_DAYS = 30
# Such a mail, of which there was no attempt yet.
IS_PUT_OFF = f"""
    outbox.kind = '{ALERT}' AND outbox.dead_at IS NULL
    AND outbox.not_before > now() + interval '{PUT_OFF_DAYS // 2} days'
"""

# While it is locked no match is stored, so none is overlooked between one alert and the next; and
# of two alerts of an account the second sees what the first was about.
LOCK = f"{POSITION} FOR NO KEY UPDATE"
ROOM = f"""
    SELECT {MOST_WAITING} - count(*)::int AS room FROM (
        SELECT FROM outbox WHERE kind = '{ALERT}' AND dead_at IS NULL
            AND not_before <= now() + interval '{PUT_OFF_DAYS // 2} days'
        LIMIT {MOST_WAITING}
    ) AS waiting
"""
FILL_ROOM = f"""
    WITH due AS (
        UPDATE outbox SET not_before = {NOW} WHERE id = ANY (ARRAY(
            SELECT id FROM outbox
            WHERE {IS_PUT_OFF} AND not_before <= now() + interval '{PUT_OFF_DAYS} days'
            ORDER BY not_before, id LIMIT $1
            FOR UPDATE SKIP LOCKED
        )) RETURNING id
    ), noted AS (INSERT INTO changes (notice) SELECT 'outbox:' FROM due LIMIT 1)
    SELECT count(*)::int AS due FROM due
"""
_PUSHED = queue_push_sql(
    "to_push",
    f"""jsonb_build_object(
        'type', '{NotificationType.SEARCH_MATCHED}', 'search', to_push.id,
        'silent', to_push.silent,
        'data', jsonb_build_object('name', to_push.name, 'count', to_push.total)
    )""",
)
# The alert that has been due longest. Parameters: the position, and whether there is room for a
# mail. For a quarter of an hour the last notification of the search gathers what is new; later a
# new one does, with what is unread. The last mail gathers until it is tried, however long that
# takes: so no account gets two at once. A question that was answered meanwhile becomes an alert
# again.
SEND_ALERT = f"""
    WITH search AS MATERIALIZED (
        SELECT * FROM saved_searches WHERE due_at <= now() ORDER BY due_at LIMIT 1
        FOR NO KEY UPDATE SKIP LOCKED
    ), matched AS MATERIALIZED (
        SELECT found.* FROM search CROSS JOIN LATERAL (
            SELECT match.ad_id, match.event_id {wanted_matches("search.alerted")}
                AND (match.change_id = ANY (search.unalerted)) IS NOT TRUE
                AND NOT EXISTS (
                    SELECT FROM alerted_ads
                    WHERE alerted_ads.user_id = search.user_id AND alerted_ads.ad_id = match.ad_id
                )
            ORDER BY match.event_id DESC LIMIT {MOST_ALERTED}
        ) AS found
    ), wanted AS MATERIALIZED (
        SELECT search.id, search.user_id, search.name, opened_at, asked_at, waiting_mail,
            notification_id, coalesce(alerted_at > now() - {QUARTER}, FALSE) AS is_recent,
            greatest({NOW}, alerted_at + {QUARTER}) AS mail_at,
            (SELECT count(*) FROM matched) AS count,
            ARRAY(SELECT ad_id FROM matched ORDER BY event_id DESC) AS ads,
            {wants(NotificationType.SEARCH_MATCHED, "site")} AS site,
            {wants(NotificationType.SEARCH_MATCHED, "mail")} AND mail_verified AS mail,
            {wants(NotificationType.SEARCH_MATCHED, "push")} AS push
        FROM search JOIN users ON users.id = search.user_id
            LEFT JOIN preferences ON preferences.user_id = search.user_id
        WHERE EXISTS (SELECT FROM matched) AND {NOT_SUSPENDED}
    ), alert AS MATERIALIZED (
        SELECT *, mail AND opened_at < now() - interval '{FORGOTTEN_DAYS} days' AS is_forgotten
        FROM wanted
    ), known AS MATERIALIZED (
        SELECT notifications.id, data, at > now() - {QUARTER} AS is_same
        FROM alert JOIN notifications ON notifications.id = notification_id
        WHERE site AND NOT is_forgotten AND (NOT read OR at > now() - {QUARTER})
    ), to_push AS MATERIALIZED (
        SELECT alert.*, now() AS at, count + coalesce((known.data->>'count')::int, 0) AS total,
            coalesce(is_same, is_recent AND NOT site) AS silent
        FROM alert LEFT JOIN known ON TRUE WHERE NOT is_forgotten
    ), replaced AS (
        DELETE FROM notifications USING known WHERE notifications.id = known.id AND NOT is_same
    ), listed AS (
        INSERT INTO notifications (id, user_id, type, search_id, data)
        SELECT coalesce((SELECT id FROM known WHERE is_same), {NEXT_NOTIFICATION}), user_id,
            '{NotificationType.SEARCH_MATCHED}', id, jsonb_build_object(
                'name', name, 'count', total, 'ads', (SELECT jsonb_agg(ad_id) FROM (
                    SELECT ad_id FROM unnest(ads) WITH ORDINALITY AS new (ad_id, number)
                    UNION ALL
                    SELECT ad_id::bigint FROM known, jsonb_array_elements_text(data->'ads')
                        WITH ORDINALITY AS old (ad_id, number)
                    LIMIT {MOST_NOTIFIED}
                ) AS newest)
            )
        FROM to_push WHERE site
        ON CONFLICT (id) DO UPDATE
            SET data = excluded.data, read = FALSE, revision = {NEXT_NOTIFICATION}
        RETURNING id
    ), mail_gathered AS (
        UPDATE outbox SET payload = payload || jsonb_build_object(
            'is_last', FALSE, 'count', count + (payload->>'count')::int, 'ads', (
                ads || ARRAY(SELECT ad::bigint FROM jsonb_array_elements_text(payload->'ads') AS ad)
            )[:{MOST_MAILED}]
        )
        FROM alert
        WHERE mail AND NOT is_forgotten AND outbox.id = waiting_mail
            AND attempts = 0 AND dead_at IS NULL
        RETURNING TRUE
    ), mailed AS (
        INSERT INTO outbox ({OUTBOX_COLUMNS}, not_before)
        SELECT '{ALERT}', jsonb_build_object(
            'user_id', user_id, 'search', id, 'count', count, 'is_last', is_forgotten,
            'ads', ads[:{MOST_MAILED}]
        ), CASE WHEN $2 AND mail_at <= now() THEN mail_at
            ELSE mail_at + interval '{PUT_OFF_DAYS} days' END
        FROM alert WHERE mail AND (NOT is_forgotten OR asked_at IS NULL)
            AND NOT EXISTS (SELECT FROM mail_gathered)
        RETURNING id
    ), pushed AS (
        {_PUSHED}
    ), noted AS (
        INSERT INTO alerted_ads (user_id, ad_id)
        SELECT user_id, ad_id FROM alert, matched WHERE NOT is_forgotten ON CONFLICT DO NOTHING
    )
    UPDATE saved_searches SET due_at = NULL, alerted = greatest(saved_searches.alerted, $1),
        waiting_mail = coalesce((SELECT id FROM mailed), saved_searches.waiting_mail),
        notification_id = coalesce((SELECT id FROM listed), saved_searches.notification_id),
        alerted_at = CASE WHEN EXISTS (SELECT FROM mailed) THEN mail_at
            WHEN alert.id IS NULL OR is_recent THEN saved_searches.alerted_at ELSE {NOW} END,
        asked_at = CASE WHEN alert.is_forgotten AND saved_searches.asked_at IS NULL THEN now()
            ELSE saved_searches.asked_at END
    FROM search LEFT JOIN alert ON alert.id = search.id
    WHERE saved_searches.id = search.id
    RETURNING saved_searches.id
"""

# What a mail about an alert says, as things are when it is sent. Parameters: the search, its
# account, the ads, and whether it asks: not if the search was opened since.
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
        AND (NOT $4 OR asked_at IS NOT NULL)
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
        ) RETURNING id
    ), their_matches AS (
        DELETE FROM query_matches WHERE query_id IN (SELECT id FROM queries)
    )
    SELECT (SELECT count(*) FROM matches) + (SELECT count(*) FROM alerted)
        + (SELECT count(*) FROM states) + (SELECT count(*) FROM queries) AS deleted
"""


async def lock(db: Statements) -> int:
    """The position of the matching."""
    position: int = await db.fetchval(LOCK)
    return position


async def fill_room(db: Statements) -> int:
    """Makes mails due that were put off. Returns for how many others there is room."""
    room: int = await db.fetchval(ROOM)
    due: int = await db.fetchval(FILL_ROOM, room) if room else 0
    return room - due


async def mark_due(db: Statements) -> bool:
    """Whether there may be more."""
    may_be_more: bool = await db.fetchval(MARK_DUE)
    return may_be_more


async def send_next(db: Statements, position: int, *, has_room: bool) -> bool:
    """Whether an alert was due. Without room, its mail is put off."""
    return await db.fetchrow(SEND_ALERT, position, has_room) is not None


async def silence(db: Statements, user_id: int, search_id: int | None) -> None:
    """Ends the alerts of a search, or of all."""
    await db.fetch(SILENCE, search_id, user_id)


async def alert_to_mail(
    db: Statements, search_id: int, user_id: int, ads: Sequence[int], *, is_question: bool
) -> Row | None:
    """`name`, `query`, `mail`, `language`, `ads` as JSON; None if no mail is wanted any more."""
    return await db.fetchrow(TO_MAIL, search_id, user_id, ads, is_question)


async def delete_old_matches(db: Statements, match_days: int, state_days: int) -> int:
    """At most some thousand rows; returns how many."""
    return int(await db.fetchval(CLEAN, match_days, FORGOTTEN_DAYS, state_days) or 0)


# Rows are `schemas.favorites.Favorite`.
FAVORITE_RECORD = f"""
    SELECT kept.ad_id AS pk, (extract(epoch FROM kept.added_at) * 1000)::bigint AS "addedAt",
        kept.price AS "priceThen", {followed_ad("kept.ad_id")} AS ad
"""
# Parameter 4: only these ads; null for all.
CHOSEN = "user_id = $1 AND ($4::bigint[] IS NULL OR ad_id = ANY ($4))"
SELECT_FAVORITES = f"""
    WITH kept AS MATERIALIZED (
        SELECT * FROM favorites WHERE {CHOSEN} AND id < $2 ORDER BY id DESC LIMIT $3
    )
    SELECT array_agg(row_to_json(record)::text ORDER BY id DESC) AS records,
        array_agg(id ORDER BY id DESC) AS ids,
        (SELECT count(*) FROM favorites WHERE {CHOSEN}) AS total
    FROM kept CROSS JOIN LATERAL ({FAVORITE_RECORD}) AS record
"""
# Rows are `schemas.favorites.ExportedFavorite`.
EXPORT_FAVORITES = """
    SELECT id, row_to_json(record)::text AS record
    FROM favorites CROSS JOIN LATERAL (
        SELECT ad_id AS pk, (extract(epoch FROM added_at) * 1000)::bigint AS "addedAt",
            price AS "priceThen"
    ) AS record
    WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3
"""


COUNT_INTEREST = f"""
    SELECT id, {favorites_sql("id")} AS favorites, {contacts_sql("id")} AS contacts
    FROM unnest($1::bigint[]) AS wanted (id)
"""


@dataclass(frozen=True, slots=True)
class FavoritePage:
    # Each as JSON.
    records: Sequence[str]
    # The id of the last one, if more follow.
    last_id: int | None
    total: int


async def favorites_page(
    db: Statements, user_id: int, limit: int, *, ads: Sequence[int] | None, before: int | None
) -> FavoritePage:
    """An account's favorites with an id below `before`, newest first; only these ads.

    A page has at most `PAGE_BYTES`.
    """
    limit = min(limit, MOST_LARGE_RECORDS)
    # One more row than the page shows whether another page follows.
    values = (user_id, BEYOND_ALL if before is None else before, limit + 1, ads)
    [found] = await db.fetch(SELECT_FAVORITES, *values)
    return FavoritePage(*page_of_records(found["records"], found["ids"], limit), found["total"])


async def favorite_counts(db: Statements, ad_id: int) -> tuple[int, int]:
    """How many accounts keep the ad, and how many have read the phone number of its author."""
    row = await db.fetch_by_id(COUNT_INTEREST, ad_id)
    return (0, 0) if row is None else (row["favorites"], row["contacts"])


async def has_favorite(db: DatabaseSession, user_id: int, ad_id: int) -> bool:
    query = select(Favorite.id).where(Favorite.user_id == user_id, Favorite.ad_id == ad_id)
    return await db.scalar(query) is not None


async def count_favorites(db: DatabaseSession, user_id: int) -> int:
    query = select(func.count()).select_from(Favorite).where(Favorite.user_id == user_id)
    return await db.scalar(query) or 0


async def add_favorite(db: DatabaseSession, user_id: int, ad_id: int, price: int) -> None:
    statement = insert(Favorite).values(user_id=user_id, ad_id=ad_id, price=price)
    await db.execute(statement)


async def delete_favorite(db: DatabaseSession, user_id: int, ad_id: int) -> bool:
    """Whether the account had it."""
    statement = delete(Favorite).where(Favorite.user_id == user_id, Favorite.ad_id == ad_id)
    return await db.scalar(statement.returning(Favorite.id)) is not None
