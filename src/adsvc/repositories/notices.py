"""Notices: what events of the log lead to, to those who keep an ad, to its author and to the
parties of conversations; on the site and by Web Push as they come, by mail if messages stay unread.
"""

from functools import cache, lru_cache
from typing import NamedTuple

from adsvc.enums import EventType, NotificationType
from adsvc.kit.db.statements import Statements
from adsvc.repositories.accounts.callers import NOT_SUSPENDED
from adsvc.repositories.ads.projection import favorites_sql, visible
from adsvc.repositories.conversations import PARTIES, blocked_sql, seen_by_sql
from adsvc.repositories.notifications import (
    DEAL_NOTICES,
    ENDING_DAYS,
    NOTIFICATION_COLUMNS,
    OWN_NOTICES,
    TEXT,
    still_true,
    wants,
)
from adsvc.repositories.outbox import queue_mails_sql
from adsvc.repositories.push import queue_push_sql

NOTICES = {
    EventType.AD_PRICE_CHANGED: NotificationType.PRICE_DROPPED,
    EventType.AD_RESERVED: NotificationType.FAVORITE_RESERVED,
    EventType.AD_SOLD: NotificationType.FAVORITE_SOLD,
    EventType.AD_RELEASED: NotificationType.FAVORITE_BACK,
    EventType.AD_PUBLISHED: NotificationType.FAVORITE_BACK,
    EventType.AD_RENEWED: NotificationType.FAVORITE_BACK,
}
_NOTICE = " ".join(f"WHEN '{event}' THEN '{notice}'" for event, notice in NOTICES.items())
_TYPES = ", ".join(f"'{event}'" for event in NOTICES)

# A price is low at this part of the price before (in percent), and below all of so many days.
DROP_PERCENT = 95
LOWEST_OF_DAYS = 30
# An author who changes an ad to and fro does not occupy the workers: of one kind, in an hour.
MOST_AN_HOUR = 4

RANGE = "id >= $1 AND id <= $2"
# Each price is that before a change, so the lowest of them is the lowest that the ad had.
NOTE_PRICES = f"""
    INSERT INTO price_changes (event_id, ad_id, at, price)
    SELECT id, ad_id, at, (data->>'from')::int FROM events
    WHERE {RANGE} AND type = '{EventType.AD_PRICE_CHANGED}'
    ON CONFLICT DO NOTHING
"""
LOWEST = f"""(
    SELECT min(price) FROM price_changes
    WHERE price_changes.ad_id = event.ad_id AND event_id <= event.id
        AND price_changes.at > event.at - interval '{LOWEST_OF_DAYS} days'
)"""
DROPS = f"""
    (event.data->>'to')::bigint * 100 <= (event.data->>'from')::bigint * {DROP_PERCENT}
    AND (event.data->>'to')::int < {LOWEST}
"""
QUEUE = f"""
    WITH due AS (
        SELECT event.id, event.ad_id, event.at, event.data, CASE event.type {_NOTICE} END AS notice
        FROM events AS event
        WHERE event.{RANGE.replace("AND id", "AND event.id")} AND event.type IN ({_TYPES})
            AND {favorites_sql("event.ad_id")} > 0
            -- An ad that was active all the time has not come back.
            AND (event.type <> '{EventType.AD_RENEWED}' OR event.data ? 'to')
            AND (event.type <> '{EventType.AD_PRICE_CHANGED}' OR ({DROPS}))
    ), numbered AS (
        SELECT *, row_number() OVER (PARTITION BY ad_id, notice ORDER BY id) + (
            SELECT count(*) FROM fan_outs
            WHERE fan_outs.ad_id = due.ad_id AND type = notice
                AND fan_outs.at > due.at - interval '1 hour'
        ) AS number
        FROM due
    )
    INSERT INTO fan_outs (type, ad_id, at, data)
    SELECT notice, ad_id, at,
        CASE notice WHEN '{NotificationType.PRICE_DROPPED}' THEN data ELSE '{{}}' END
    FROM numbered WHERE number <= {MOST_AN_HOUR} ORDER BY id
"""
NEXT = """
    SELECT id, type, ad_id, at, data::text, reached FROM fan_outs WHERE ended_at IS NULL
    ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
"""
REACHED = """
    UPDATE fan_outs SET reached = coalesce($2::bigint, reached),
        ended_at = CASE WHEN $2::bigint IS NULL THEN now() END
    WHERE id = $1
"""
DELETE_ENDED = f"""
    WITH ended AS (DELETE FROM fan_outs WHERE ended_at < now() - interval '1 day')
    DELETE FROM price_changes WHERE event_id = ANY (ARRAY(
        SELECT event_id FROM price_changes
        WHERE at < now() - interval '{LOWEST_OF_DAYS} days' ORDER BY at LIMIT 5000
    )) RETURNING TRUE
"""

ONE_PRICE_A_DAY = "(price_noticed_at IS NULL OR price_noticed_at <= $4 - interval '24 hours')"
NOTE_PRICE = """, noted AS (
        UPDATE favorites SET price_noticed_at = $4 FROM due WHERE favorites.id = due.favorite_id
    )"""


def sent_sql(kind: NotificationType) -> str:
    """CTEs that send what `due` has: to the site, by mail and by Web Push, as the account wants.

    `due` has `user_id`, `cause_id`, `site`, `mail`, `push`, `at`, `ad_id`, `data`, and
    `decision_id`.
    """
    payload = f"""jsonb_strip_nulls(jsonb_build_object(
        'type', '{kind}', 'ad', ad_id, 'decision', decision_id, 'data', data
    ))"""
    mail = f"""jsonb_build_object(
        'type', '{kind}', 'user_id', user_id, 'ad_id', ad_id, 'data', data
    )"""
    return f"""listed AS (
        INSERT INTO notifications ({NOTIFICATION_COLUMNS})
        SELECT user_id, '{kind}', at, ad_id, NULL, NULL, decision_id, data FROM due WHERE site
    ), {queue_mails_sql("due", mail)}, pushed AS (
        {queue_push_sql("due", payload)}
    )"""


def _ways(kind: NotificationType) -> str:
    """The ways in which the account of the row of `users` wants it."""
    return f"""{wants(kind, "site")} AS site,
        {wants(kind, "mail")} AND users.mail_verified AS mail, {wants(kind, "push")} AS push"""


@lru_cache
def _batch_sql(kind: NotificationType) -> str:
    """Parameters: the ad, the last favorite before, how many at most, when, and the data.

    An account that is being deleted is waited for, and then is none of them.
    """
    is_price = kind is NotificationType.PRICE_DROPPED
    conditions = "AND " + ONE_PRICE_A_DAY if is_price else ""
    return f"""
        WITH watcher AS MATERIALIZED (
            SELECT * FROM favorites WHERE ad_id = $1 AND id > $2 ORDER BY id LIMIT $3
        ), due AS MATERIALIZED (
            SELECT watcher.id AS favorite_id, watcher.user_id, ads.author_id AS cause_id,
                $4::timestamptz AS at, $1::bigint AS ad_id, $5::text::jsonb AS data,
                NULL::bigint AS decision_id,
                {_ways(kind)}
            FROM watcher JOIN ads ON ads.id = $1 JOIN users ON users.id = watcher.user_id
            LEFT JOIN preferences ON preferences.user_id = users.id
            WHERE watcher.added_at <= $4 AND {NOT_SUSPENDED} {conditions}
                AND {still_true(kind, "watcher.user_id", "$5::text::jsonb")}
            FOR KEY SHARE OF users
        ){NOTE_PRICE if is_price else ""}, {sent_sql(kind)}
        SELECT max(id) AS last, count(*) AS watchers FROM watcher
    """


DECISIONS = f"""
    WITH due AS MATERIALIZED (
        SELECT decisions.user_id, NULL::bigint AS cause_id, event.at, event.ad_id,
            '{{}}'::jsonb AS data, decisions.id AS decision_id,
            {wants(NotificationType.DECISION, "site")} AS site,
            -- Its letter is written with it.
            FALSE AS mail, {wants(NotificationType.DECISION, "push")} AS push
        FROM events AS event JOIN decisions ON decisions.id = (event.data->>'decision')::bigint
        JOIN users ON users.id = decisions.user_id
        LEFT JOIN preferences ON preferences.user_id = users.id
        LEFT JOIN decisions AS undone ON undone.id = decisions.undoes_id
        WHERE event.{RANGE.replace("AND id", "AND event.id")}
            AND event.type = '{EventType.DECISION_MADE}'
            -- As `repositories.moderation.decisions.CONCERNS`.
            AND (decisions.action <> 'dismiss' OR undone.id IS NOT NULL)
            AND undone.action IS DISTINCT FROM 'dismiss'
        FOR KEY SHARE OF users
    ), {sent_sql(NotificationType.DECISION)}
    SELECT count(*) AS made FROM due
"""


_OWN_AD = """
    JOIN ads ON ads.id = event.ad_id JOIN users ON users.id = ads.author_id
    LEFT JOIN preferences ON preferences.user_id = users.id
"""
_IN_RANGE = f"event.{RANGE.replace('AND id', 'AND event.id')}"
# Comments on the ads of others. Of an ad, one notification is unread.
COMMENTS = f"""
    WITH written AS MATERIALIZED (
        SELECT event.id, ads.author_id AS user_id, comments.author_id AS cause_id, event.at,
            event.ad_id, jsonb_build_object('comment', comments.id) AS data,
            NULL::bigint AS decision_id, {_ways(NotificationType.COMMENT)}
        FROM events AS event JOIN comments ON comments.id = (event.data->>'comment')::bigint
        {_OWN_AD}
        WHERE {_IN_RANGE} AND event.type = '{EventType.COMMENT_CREATED}' AND {NOT_SUSPENDED}
            AND comments.author_id <> ads.author_id
            AND NOT {blocked_sql("comments.author_id", "ads.author_id")}
        FOR KEY SHARE OF users
    ), due AS MATERIALIZED (
        SELECT user_id, cause_id, at, ad_id, data, decision_id, mail, push, site
            AND row_number() OVER (PARTITION BY ad_id ORDER BY id DESC) = 1
            AND NOT EXISTS (
                SELECT FROM notifications AS known
                WHERE known.user_id = written.user_id AND NOT known.read
                    AND known.type = '{NotificationType.COMMENT}' AND known.ad_id = written.ad_id
            ) AS site
        FROM written
    ), {sent_sql(NotificationType.COMMENT)}
    SELECT count(*) AS made FROM due
"""
ENDED = f"""
    WITH due AS MATERIALIZED (
        SELECT ads.author_id AS user_id, NULL::bigint AS cause_id, event.at, event.ad_id,
            '{{}}'::jsonb AS data, NULL::bigint AS decision_id,
            {_ways(NotificationType.AD_ENDED)}
        FROM events AS event {_OWN_AD}
        WHERE {_IN_RANGE} AND event.type = '{EventType.AD_EXPIRED}' AND {NOT_SUSPENDED}
            AND {OWN_NOTICES[NotificationType.AD_ENDED]}
        FOR KEY SHARE OF users
    ), {sent_sql(NotificationType.AD_ENDED)}
    SELECT count(*) AS made FROM due
"""

# Shown ratings, to the accounts that they are about.
RATINGS = f"""
    WITH due AS MATERIALIZED (
        SELECT rated_id AS user_id, ratings.author_id AS cause_id, event.at, event.ad_id,
            jsonb_build_object('rating', ratings.id, 'title', deals.title) AS data,
            NULL::bigint AS decision_id, {_ways(NotificationType.RATING)}
        FROM events AS event JOIN ratings ON ratings.id = (event.data->>'rating')::bigint
        JOIN deals ON deals.id = deal_id JOIN users ON users.id = rated_id
        LEFT JOIN preferences ON preferences.user_id = users.id
        WHERE {_IN_RANGE} AND event.type = '{EventType.RATING_SHOWN}' AND {NOT_SUSPENDED}
            AND NOT removed
        FOR KEY SHARE OF users
    ), {sent_sql(NotificationType.RATING)}
    SELECT count(*) AS made FROM due
"""
REMINDER_DAYS = 2
# Of deals without a rating, the accounts that can still give it. They are locked before the deals.
REMIND = f"""
    WITH unreminded AS MATERIALIZED (
        SELECT id, ad_id, title, buyer_id, seller_id FROM deals
        WHERE NOT reminded AND at <= now() - interval '{REMINDER_DAYS} days'
        ORDER BY at LIMIT 1000
    ), due AS MATERIALIZED (
        SELECT users.id AS user_id, NULL::bigint AS cause_id, now() AS at, deal.ad_id,
            deal.data, NULL::bigint AS decision_id, {_ways(NotificationType.RATING_REMINDER)}
        FROM (
            SELECT *, jsonb_build_object('deal', id, 'title', title) AS data FROM unreminded
        ) AS deal JOIN users ON users.id IN (buyer_id, seller_id)
        LEFT JOIN preferences ON preferences.user_id = users.id
        WHERE {NOT_SUSPENDED} AND num_nulls(buyer_id, seller_id) = 0
            AND {
    DEAL_NOTICES[NotificationType.RATING_REMINDER].format(user_id="users.id", data="deal.data")
}
        FOR KEY SHARE OF users
    ), {sent_sql(NotificationType.RATING_REMINDER)}, marked AS (
        UPDATE deals SET reminded = TRUE FROM unreminded WHERE deals.id = unreminded.id
    )
    SELECT count(*)::int AS queued FROM due
"""


class _Endings(NamedTuple):
    """Ads that end soon. The position of the consumer is a moment, in milliseconds: ads that expire
    until then were looked at. One that is shown for fewer hours is not announced.
    """

    kind: NotificationType
    consumer: str
    # Before the end of an ad.
    hours: int
    # The ads of so many hours are announced at once.
    at_once: int
    # CTEs from `ending` to `due`. The rows of `fan_outs` say which ads were announced.
    announce: str


ENDINGS = (
    _Endings(
        NotificationType.FAVORITE_ENDING,
        "endings",
        24,
        24,
        f"""due AS (
            INSERT INTO fan_outs (type, ad_id, at)
            SELECT '{NotificationType.FAVORITE_ENDING}', id, now() FROM ending
            WHERE {favorites_sql("id")} > 0
            RETURNING TRUE
        )""",
    ),
    _Endings(
        NotificationType.AD_ENDING,
        "own-endings",
        ENDING_DAYS * 24,
        6,
        f"""due AS MATERIALIZED (
            SELECT author_id AS user_id, NULL::bigint AS cause_id, now() AS at, ending.id AS ad_id,
                '{{}}'::jsonb AS data, NULL::bigint AS decision_id, expires_at,
                {_ways(NotificationType.AD_ENDING)}
            FROM ending JOIN users ON users.id = author_id
            LEFT JOIN preferences ON preferences.user_id = users.id
            WHERE {NOT_SUSPENDED}
            FOR KEY SHARE OF users
        ), announced AS (
            INSERT INTO fan_outs (type, ad_id, at, ended_at)
            SELECT '{NotificationType.AD_ENDING}', ad_id, at, expires_at FROM due
        ), {sent_sql(NotificationType.AD_ENDING)}""",
    ),
)


def _endings_sql(endings: _Endings, range_sql: str, conditions: str = "") -> str:
    """`range_sql` is a CTE with `since` and `until`, both in milliseconds."""
    return f"""
        WITH {range_sql}, ending AS MATERIALIZED (
            SELECT ads.id, ads.author_id, ads.expires_at FROM range JOIN ads
                ON ads.expires_at > to_timestamp(since / 1000.0)
                AND ads.expires_at <= to_timestamp(until / 1000.0)
            WHERE {visible()} {conditions}
        ), {endings.announce}
        SELECT count(*)::int AS queued FROM due
    """


QUEUE_ENDINGS = [
    _endings_sql(
        endings,
        f"""range AS MATERIALIZED (
            SELECT since, least(
                since + {endings.at_once * 3600_000},
                (extract(epoch FROM now() + interval '{endings.hours} hours') * 1000)::bigint
            ) AS until
            FROM (
                SELECT greatest(position, (extract(epoch FROM now()) * 1000)::bigint) AS since
                FROM consumers WHERE name = '{endings.consumer}' FOR NO KEY UPDATE SKIP LOCKED
            ) AS reached
        ), moved AS (
            UPDATE consumers SET position = greatest(position, until) FROM range
            WHERE name = '{endings.consumer}'
        )""",
    )
    for endings in ENDINGS
]
# Ads that are shown again after those moments passed while they were hidden. The lock is taken by a
# statement of its own, so that the next ones see all that was announced.
LOCK_SHOWN_AGAIN = f"""
    SELECT name FROM consumers WHERE name IN ('endings', 'own-endings') AND EXISTS (
        SELECT FROM events WHERE {RANGE} AND type = '{EventType.AD_SHOWN}'
    ) ORDER BY name FOR SHARE
"""
QUEUE_SHOWN_AGAIN = [
    _endings_sql(
        endings,
        f"""range AS (
            SELECT (extract(epoch FROM now()) * 1000)::bigint AS since, position AS until
            FROM consumers WHERE name = '{endings.consumer}'
        )""",
        f"""AND ads.id IN (
            SELECT ad_id FROM events WHERE {RANGE} AND type = '{EventType.AD_SHOWN}'
        ) AND NOT EXISTS (
            SELECT FROM fan_outs WHERE fan_outs.ad_id = ads.id AND type = '{endings.kind}'
                AND at > ads.expires_at - interval '{endings.hours} hours 1 second'
        )""",
    )
    for endings in ENDINGS
]
# An ad whose price fell while it was hidden. The notice has the moment of that change: accounts
# that kept the ad later, and those who were notified before it was hidden, get none.
QUEUE_SHOWN_AGAIN.append(
    f"""
    INSERT INTO fan_outs (type, ad_id, at, data)
    SELECT '{NotificationType.PRICE_DROPPED}', ad_id, changed_at, data
    FROM (
        SELECT shown.id, shown.at, ad_id, change.at AS changed_at,
            jsonb_build_object('from', change.price, 'to', ads.price) AS data
        FROM events AS shown JOIN ads ON ads.id = ad_id CROSS JOIN LATERAL (
            SELECT at, price FROM price_changes WHERE price_changes.ad_id = ads.id
            ORDER BY event_id DESC LIMIT 1
        ) AS change
        WHERE shown.{RANGE.replace("AND id", "AND shown.id")}
            AND type = '{EventType.AD_SHOWN}' AND {favorites_sql("ad_id")} > 0
    ) AS event
    WHERE {DROPS}
    """
)


async def queue(db: Statements, events: range) -> None:
    """What these events of the log lead to."""
    for sql in (NOTE_PRICES, QUEUE, DECISIONS, COMMENTS, ENDED, RATINGS):
        await db.fetch(sql, events[0], events[-1])
    if await db.fetch(LOCK_SHOWN_AGAIN, events[0], events[-1]):
        for sql in QUEUE_SHOWN_AGAIN:
            await db.fetch(sql, events[0], events[-1])


async def send_batch(db: Statements, limit: int) -> bool:
    """Notifies the next accounts; False if none wait, or other workers are at them."""
    due = await db.fetchrow(NEXT)
    if due is None:
        return False
    sql = _batch_sql(NotificationType(due["type"]))
    values = due["ad_id"], due["reached"], limit, due["at"], due["data"]
    [sent] = await db.fetch(sql, *values)
    await db.fetch(REACHED, due["id"], None if sent["watchers"] < limit else sent["last"])
    return True


async def queue_endings(writer: Statements) -> int:
    """Of ads that expire within a day, and to authors within three; reminders of ratings. Returns
    how many are new.
    """
    rows = [await writer.fetchrow(sql) for sql in (*QUEUE_ENDINGS, REMIND)]
    return sum(int(row["queued"]) for row in rows if row is not None)


async def delete_ended(writer: Statements) -> int:
    """What is over, and old prices; returns how many prices, at most 5000."""
    return len(await writer.fetch(DELETE_ENDED))


_MESSAGES = ", ".join(
    f"'{event}'"
    for event in (EventType.MESSAGE_SENT, EventType.OFFER_MADE, EventType.OFFER_ACCEPTED)
)


def _wanted(way: str) -> str:
    """Whether the account of a row wants its `type` in that way."""
    offer, message = (
        wants(kind, way) for kind in (NotificationType.OFFER, NotificationType.MESSAGE)
    )
    return f"CASE type WHEN '{NotificationType.OFFER}' THEN {offer} ELSE {message} END"


_PUSHED = queue_push_sql("due", "jsonb_build_object('type', type, 'conversation', conversation_id)")
# Parameters: the first and the last event. Of a conversation, one notification of each type is
# unread. What was read, hidden or removed meanwhile is none; an account that is being deleted is
# waited for.
INSERT_NOTICES = f"""
    WITH received AS (
        SELECT event.id, event.at, event.ad_id, (event.data->>'to')::bigint AS user_id,
            (event.data->>'conversation')::bigint AS conversation_id,
            (event.data->>'message')::bigint AS message_id,
            CASE WHEN event.data ? 'offer' THEN '{NotificationType.OFFER}'
                ELSE '{NotificationType.MESSAGE}' END AS type
        FROM events AS event
        WHERE event.id >= $1 AND event.id <= $2 AND event.type IN ({_MESSAGES})
    ), due AS MATERIALIZED (
        SELECT received.*, {_wanted("site")} AS site, {_wanted("push")} AS push
        FROM received JOIN conversations AS c ON c.id = conversation_id
        JOIN messages AS m ON m.id = message_id AND NOT (m.held OR m.removed)
        JOIN users ON users.id = received.user_id
        LEFT JOIN preferences ON preferences.user_id = users.id
        WHERE {NOT_SUSPENDED} AND NOT {blocked_sql("c.buyer_id", "c.seller_id")}
            AND NOT CASE users.id WHEN c.buyer_id THEN buyer_hidden ELSE seller_hidden END
            AND (
                message_id > CASE users.id WHEN c.buyer_id THEN buyer_read ELSE seller_read END
                -- One that was let through comes before the marker, and is unread all the same.
                OR CASE users.id WHEN c.buyer_id THEN buyer_unread ELSE seller_unread END > (
                    SELECT count(*) FROM messages AS later
                    WHERE later.conversation_id = c.id AND later.by = m.by AND NOT later.held
                        AND later.id
                            > CASE users.id WHEN c.buyer_id THEN buyer_read ELSE seller_read END
                )
            )
        FOR KEY SHARE OF users
    ), listed AS (
        INSERT INTO notifications ({NOTIFICATION_COLUMNS})
        SELECT DISTINCT ON (user_id, conversation_id, type)
            user_id, type, at, ad_id, NULL::bigint, conversation_id, NULL::bigint, '{{}}'::jsonb
        FROM due WHERE site AND NOT EXISTS (
            SELECT FROM notifications AS known
            WHERE known.conversation_id = due.conversation_id AND NOT known.read
                AND known.user_id = due.user_id AND known.type = due.type
        )
        ORDER BY user_id, conversation_id, type, id
    )
    {_PUSHED}
"""

_MAILED = queue_mails_sql(
    "wanted",
    "jsonb_build_object('type', type, 'user_id', user_id, 'conversation', id)",
)
# The mail is about an offer if there is one among what is unread. More is unread than comes after
# the marker if a message that was held was let through; what was removed alone is no mail.
QUEUE_MESSAGE_MAILS = {
    party: f"""
    WITH due AS MATERIALIZED (
        SELECT id, {party}_id AS user_id, {other}_id AS cause_id, {party}_read AS read,
            {party}_unread AS unread
        FROM conversations
        WHERE {party}_mail_due <= now() ORDER BY {party}_mail_due LIMIT $1
        FOR NO KEY UPDATE SKIP LOCKED
    ), taken AS (
        UPDATE conversations SET {party}_mail_due = NULL FROM due WHERE conversations.id = due.id
    ), unread AS (
        SELECT due.id, user_id, cause_id, CASE WHEN bool_or(m.offer_id IS NOT NULL)
            THEN '{NotificationType.OFFER}' ELSE '{NotificationType.MESSAGE}' END AS type
        FROM due LEFT JOIN messages AS m ON m.conversation_id = due.id AND m.id > due.read
            AND m.by <> '{party}' AND NOT m.held
        GROUP BY due.id, user_id, cause_id, unread
        HAVING bool_or(NOT m.removed) OR unread > count(m.id)
    ), wanted AS MATERIALIZED (
        SELECT unread.*, TRUE AS mail FROM unread JOIN users ON users.id = unread.user_id
        LEFT JOIN preferences ON preferences.user_id = users.id
        WHERE users.mail_verified AND {NOT_SUSPENDED} AND {_wanted("mail")}
    ), {_MAILED}
    SELECT count(*)::int AS done FROM due
"""
    for party, other in PARTIES
}

# Of the newest unread messages, at most.
MOST_TEXTS = 3


@cache
def _to_mail_sql(kind: NotificationType) -> str:
    """Parameters: the account, the conversation."""
    return f"""
        SELECT users.mail, users.language, found.title, ARRAY(
            SELECT text FROM (
                SELECT id, text, kind, hints FROM messages
                WHERE conversation_id = found.id AND id > found.own_read AND by <> found.role
                    AND NOT (held OR removed)
                ORDER BY id DESC LIMIT {MOST_TEXTS}
            ) AS newest
            WHERE kind = 'text' AND hints = '{{}}' AND {wants(NotificationType.MESSAGE, TEXT)}
            ORDER BY id
        ) AS texts
        FROM ({seen_by_sql("AND id = $2 AND {party}_unread > 0 AND NOT {party}_hidden")}) AS found
        JOIN users ON users.id = found.own_id
        LEFT JOIN preferences ON preferences.user_id = users.id
        WHERE users.mail IS NOT NULL AND users.mail_verified AND {NOT_SUSPENDED}
            AND {wants(kind, "mail")} AND NOT {blocked_sql("found.own_id", "found.other_id")}
    """


class UnreadMessages(NamedTuple):
    """What a mail about a conversation needs."""

    mail: str
    language: str | None
    title: str
    # The oldest first. None of them has a hint: mail programs make links of addresses.
    texts: list[str]


async def notify_receivers(db: Statements, events: range) -> None:
    """The receivers of the messages in these events of the log."""
    await db.fetch(INSERT_NOTICES, events[0], events[-1])


async def queue_message_mails(writer: Statements, limit: int) -> int:
    """About some conversations; returns how many were due."""
    rows = [await writer.fetchrow(sql, limit) for sql in QUEUE_MESSAGE_MAILS.values()]
    return sum(row["done"] for row in rows if row is not None)


async def unread_to_mail(
    writer: Statements, user_id: int, kind: NotificationType, conversation_id: int
) -> UnreadMessages | None:
    """None if it is not to be mailed: all is read or hidden, one party has blocked the other, or
    the account does not want it, is suspended or has no verified address.
    """
    row = await writer.fetchrow(_to_mail_sql(kind), user_id, conversation_id)
    return None if row is None else UnreadMessages(**row)
