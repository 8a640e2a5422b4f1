"""Notifications, and the preferences that say who gets them in which way."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert

from adsvc.enums import AdStatus, NotificationType, PriceType
from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import BEYOND_ALL, MOST_LARGE_RECORDS, Row, Statements, page_of_records
from adsvc.models.ads import SHOWN
from adsvc.models.following import Notification, Preference
from adsvc.repositories.accounts.callers import NOT_SUSPENDED
from adsvc.repositories.ads.projection import (
    RecordKind,
    current_status,
    members_sql,
    visible,
)
from adsvc.repositories.conversations import blocked_sql

# For a notification that a statement writes. Its account should want it on the site: `wants`.
NOTIFICATION_COLUMNS = "user_id, type, at, ad_id, search_id, conversation_id, decision_id, data"

# The next id, or the next revision: streams go by the greater of the two.
NEXT_NOTIFICATION = "nextval('notifications_id_seq')"

WAYS = ("site", "mail", "push")
# Whether mails about messages have their text.
TEXT = "text"
# What an account wants that has chosen nothing.
DEFAULT_WAYS: Mapping[NotificationType, Sequence[str]] = {
    kind: ("site", "mail", TEXT)
    if kind
    in {
        NotificationType.SEARCH_MATCHED,
        NotificationType.PRICE_DROPPED,
        NotificationType.MESSAGE,
        NotificationType.OFFER,
        NotificationType.DECISION,
        NotificationType.COMMENT,
        NotificationType.AD_ENDING,
        NotificationType.AD_ENDED,
        NotificationType.RATING,
        NotificationType.RATING_REMINDER,
    }
    else ("site",)
    for kind in NotificationType
}


def wants(kind: NotificationType, way: str, preferences: str = "preferences") -> str:
    """Whether an account wants this kind in this way, by its row of `preferences` or nulls."""
    default = str(way in DEFAULT_WAYS[kind]).upper()
    return f"coalesce(({preferences}.ways #>> '{{{kind},{way}}}')::boolean, {default})"


# Statuses in which a favorite is still to be seen.
STILL_SEEN = (*SHOWN, AdStatus.SOLD, AdStatus.EXPIRED)
_SEEN = ", ".join(f"'{status}'" for status in STILL_SEEN)


# The notices to those who keep an ad, and in which status it has to be when one is sent.
FAVORITE_STATUSES: Mapping[NotificationType, Sequence[AdStatus]] = {
    NotificationType.PRICE_DROPPED: SHOWN,
    NotificationType.FAVORITE_RESERVED: (AdStatus.RESERVED,),
    NotificationType.FAVORITE_SOLD: (AdStatus.SOLD,),
    NotificationType.FAVORITE_BACK: SHOWN,
    NotificationType.FAVORITE_ENDING: SHOWN,
}


def still_true(kind: NotificationType, user_id: str, data: str) -> str:
    """Whether such a notice about the row of `ads` holds, and is about no blocked account's ad."""
    statuses = ", ".join(f"'{status}'" for status in FAVORITE_STATUSES[kind])
    conditions = [
        f"{current_status()} IN ({statuses})",
        f"""NOT EXISTS (
            SELECT FROM blocks WHERE owner_id = {user_id} AND blocked_id = ads.author_id
        )""",
    ]
    if kind is NotificationType.PRICE_DROPPED:
        # It has not risen again.
        conditions.append(f"ads.price <= ({data}->>'to')::int")
        conditions.append(f"ads.price_type <> '{PriceType.ON_REQUEST}'")
    if kind is NotificationType.FAVORITE_ENDING:
        conditions.append("ads.expires_at <= now() + interval '24 hours'")
    return " AND ".join(conditions)


# Before the end of an ad.
ENDING_DAYS = 3
# The notices to the author of the row of `ads`, and whether one still holds.
OWN_NOTICES: Mapping[NotificationType, str] = {
    NotificationType.COMMENT: f"""EXISTS (
        SELECT FROM comments WHERE comments.id = ({{data}}->>'comment')::bigint
            AND NOT {blocked_sql("comments.author_id", "ads.author_id")}
    )""",
    NotificationType.AD_ENDING: (
        f"{visible()} AND ads.expires_at <= now() + interval '{ENDING_DAYS} days'"
    ),
    NotificationType.AD_ENDED: f"{current_status()} = '{AdStatus.EXPIRED}'",
}

# The parties of a deal may rate each other for so long.
RATING_DAYS = 14
# The notices about a deal, and whether one still holds for the account `{user_id}`.
DEAL_NOTICES: Mapping[NotificationType, str] = {
    NotificationType.RATING: """EXISTS (
        SELECT FROM ratings WHERE ratings.id = ({data}->>'rating')::bigint
            AND rated_id = {user_id} AND NOT removed
    )""",
    NotificationType.RATING_REMINDER: f"""EXISTS (
        SELECT FROM deals WHERE deals.id = ({{data}}->>'deal')::bigint
            AND {{user_id}} IN (buyer_id, seller_id)
            AND deals.at > now() - interval '{RATING_DAYS} days'
            AND NOT EXISTS (
                SELECT FROM ratings WHERE deal_id = deals.id AND author_id = {{user_id}}
            )
    )""",
}


def still_wanted(kind: NotificationType, user_id: str, data: str) -> str:
    """As `still_true`, of a notice that was queued: whether the account still keeps the ad.

    Of a notice about an own ad or a deal: whether it still holds.
    """
    if kind in DEAL_NOTICES:
        return DEAL_NOTICES[kind].format(user_id=user_id, data=data)
    if kind in OWN_NOTICES:
        return f"ads.author_id = {user_id} AND {OWN_NOTICES[kind].format(data=data)}"
    is_favorite = f"EXISTS (SELECT FROM favorites WHERE ad_id = ads.id AND user_id = {user_id})"
    return f"{is_favorite} AND {still_true(kind, user_id, data)}"


def followed_ad(ad_id: str) -> str:
    """The ad of that id as `schemas.ads.Ad` in JSON; null if it is no longer to be seen."""
    return f"""(
        SELECT row_to_json(ad) FROM ads CROSS JOIN LATERAL (
            SELECT {members_sql(RecordKind.AD)}
        ) AS ad
        WHERE ads.id = {ad_id} AND {current_status()} IN ({_SEEN})
    )"""


# Rows are `schemas.notifications.Notification`.
RECORD = f"""
    SELECT page.id, page.type, (extract(epoch FROM page.at) * 1000)::bigint AS at, page.read,
        {followed_ad("page.ad_id")} AS ad,
        CASE WHEN page.search_id IS NOT NULL THEN
            json_build_object('id', page.search_id, 'name', page.data->'name') END AS search,
        page.conversation_id AS conversation, page.decision_id AS decision,
        page.data->'count' AS count,
        CASE WHEN page.data ? 'ads' THEN (
            SELECT coalesce(json_agg(matched.ad ORDER BY number), '[]') FROM (
                SELECT number, {followed_ad("matching.id::bigint")} AS ad
                FROM jsonb_array_elements_text(page.data->'ads') WITH ORDINALITY
                    AS matching (id, number)
            ) AS matched WHERE matched.ad IS NOT NULL
        ) END AS ads,
        CASE WHEN page.data ? 'to' THEN
            json_build_object('before', page.data->'from', 'after', page.data->'to') END AS price
"""
SELECT_PAGE = f"""
    WITH page AS MATERIALIZED (
        SELECT * FROM notifications WHERE user_id = $1 AND id < $2 AND NOT (read AND $4::boolean)
        ORDER BY id DESC LIMIT $3
    )
    SELECT array_agg(row_to_json(record)::text ORDER BY id DESC) AS records,
        array_agg(id ORDER BY id DESC) AS ids,
        (SELECT count(*) FROM notifications WHERE user_id = $1 AND NOT read) AS unread
    FROM ({RECORD} FROM page) AS record
"""
COUNT_UNREAD = "SELECT count(*) AS unread FROM notifications WHERE user_id = $1 AND NOT read"
# What changes with each notification that is added or read, and each that gathers more.
SELECT_POSITIONS = """
    SELECT account AS id, unread.number, unread.revision,
        (SELECT max(id) FROM notifications WHERE user_id = account) AS last
    FROM unnest($1::bigint[]) AS account CROSS JOIN LATERAL (
        SELECT count(*) AS number, max(revision) AS revision
        FROM notifications WHERE user_id = account AND NOT read
    ) AS unread
"""
# Of an account. A position is the id of a notification, or the revision of one that gathered more.
SELECT_NEWEST = """
    SELECT position FROM (
        (SELECT id AS position FROM notifications WHERE user_id = $1 ORDER BY id DESC LIMIT $2)
        UNION ALL (
            SELECT revision FROM notifications WHERE user_id = $1 AND revision IS NOT NULL
            ORDER BY revision DESC LIMIT $2
        )
    ) AS newest ORDER BY position DESC LIMIT $2
"""
SELECT_NEWS = f"""
    SELECT position, (
        row_to_json(record)::jsonb
        || CASE WHEN position > id THEN '{{"update": true}}'::jsonb ELSE '{{}}' END
    )::text AS record
    FROM (
        SELECT id AS noticed, greatest(id, revision) AS position FROM notifications
        WHERE user_id = $1 AND (id > $2 OR revision > $2) ORDER BY position LIMIT $3
    ) AS new CROSS JOIN LATERAL (
        {RECORD} FROM (SELECT * FROM notifications WHERE id = noticed) AS page
    ) AS record ORDER BY position
"""
SELECT_EXPORT = f"""
    SELECT id, row_to_json(record)::text AS record FROM ({RECORD} FROM (
        SELECT * FROM notifications WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3
    ) AS page) AS record ORDER BY id
"""


@cache
def _to_mail_sql(kind: NotificationType) -> str:
    """Parameters: the account, the ad, the notice's data."""
    return f"""
        SELECT users.mail, users.language, coalesce(notice.data->>'title', ads.title) AS title
        FROM users CROSS JOIN (SELECT $3::text::jsonb AS data) AS notice
        LEFT JOIN ads ON ads.id = $2
        LEFT JOIN preferences ON preferences.user_id = users.id
        WHERE users.id = $1 AND users.mail IS NOT NULL AND users.mail_verified
            AND {NOT_SUSPENDED} AND {wants(kind, "mail")}
            AND {still_wanted(kind, "users.id", "notice.data")}
    """


@dataclass(frozen=True, slots=True)
class NewNotification:
    """For one account; a batch for many is a statement of its own, with `wants`."""

    user_id: int
    type: NotificationType
    at: datetime | None = None
    ad_id: int | None = None
    search_id: int | None = None
    conversation_id: int | None = None
    decision_id: int | None = None
    data: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class NotificationPage:
    # Each as JSON.
    records: Sequence[str]
    # The id of the last one, if more follow.
    last_id: int | None
    unread: int


async def page(
    db: Statements, user_id: int, limit: int, *, unread: bool, before: int | None
) -> NotificationPage:
    """Those with an id below `before`, newest first. A page has at most `PAGE_BYTES`."""
    limit = min(limit, MOST_LARGE_RECORDS)
    # One more row than the page shows whether another page follows.
    values = (user_id, BEYOND_ALL if before is None else before, limit + 1, unread)
    [found] = await db.fetch(SELECT_PAGE, *values)
    return NotificationPage(
        *page_of_records(found["records"], found["ids"], limit), found["unread"]
    )


async def unread(db: Statements, user_id: int) -> int:
    [row] = await db.fetch(COUNT_UNREAD, user_id, keep_plan=True)
    unread: int = row["unread"]
    return unread


async def positions(db: Statements, user_ids: Sequence[int]) -> Mapping[int, Row]:
    """By account what differs as soon as its notifications do."""
    rows = await db.fetch(SELECT_POSITIONS, user_ids, keep_plan=True)
    return {row["id"]: row for row in rows}


async def newest(db: Statements, user_id: int, limit: int) -> Sequence[int]:
    """The positions in the stream of an account that it has reached."""
    rows = await db.fetch(SELECT_NEWEST, user_id, limit, keep_plan=True)
    return [row["position"] for row in rows]


async def news(
    db: Statements, user_id: int, limit: int, *, after: int
) -> Sequence[tuple[int, str]]:
    """Behind a position: that of each, and its JSON. One that gathered more has `update`."""
    rows = await db.fetch(SELECT_NEWS, user_id, after, limit)
    return [(row["position"], row["record"]) for row in rows]


class NoticedAccount(NamedTuple):
    """An account that is sent a notification, and the ad that it is about."""

    mail: str
    language: str | None
    title: str


async def to_mail(
    db: Statements, user_id: int, kind: NotificationType, ad_id: int, data: Mapping[str, Any]
) -> NoticedAccount | None:
    """None if it is not to be mailed: the account does not want it, has no verified address or
    is suspended, or what it says does not hold any more.
    """
    row = await db.fetchrow(_to_mail_sql(kind), user_id, ad_id, json.dumps(data))
    return None if row is None else NoticedAccount(**row)


async def add(db: DatabaseSession, new: NewNotification) -> int | None:
    """Its id; None if the account does not want this kind on the site."""
    wanted = (
        (await ways(db, new.user_id))
        .get(new.type, {})
        .get("site", "site" in DEFAULT_WAYS[new.type])
    )
    if not wanted:
        return None
    values = {name: value for name in new.__slots__ if (value := getattr(new, name)) is not None}
    statement = insert(Notification).values(values).returning(Notification.id)
    return (await db.scalars(statement)).one()


async def mark_read(db: DatabaseSession, user_id: int, up_to: int) -> None:
    await db.execute(
        update(Notification)
        .where(
            Notification.user_id == user_id,
            Notification.id <= up_to,
            Notification.read.is_(False),
        )
        .values(read=True)
    )


async def ways(db: DatabaseSession, user_id: int) -> dict[str, dict[str, bool]]:
    """What the account has chosen, by type and way."""
    chosen = select(Preference.ways).where(Preference.user_id == user_id)
    return await db.scalar(chosen) or {}


async def set_ways(
    db: DatabaseSession, user_id: int, ways: Mapping[str, Mapping[str, bool]]
) -> None:
    new = insert(Preference).values(user_id=user_id, ways=ways)
    await db.execute(
        new.on_conflict_do_update(
            index_elements=[Preference.user_id], set_={"ways": new.excluded.ways}
        )
    )
