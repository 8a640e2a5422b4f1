"""Notices of messages: on the site and by Web Push as they come, by mail if they stay unread."""

from functools import cache
from typing import NamedTuple

from adsvc.enums import EventType, NotificationType
from adsvc.kit.db.statements import Statements
from adsvc.repositories.accounts.callers import NOT_SUSPENDED
from adsvc.repositories.blocks import blocked_sql
from adsvc.repositories.conversations import PARTIES, seen_by_sql
from adsvc.repositories.notice_mails import queue_mails_sql
from adsvc.repositories.notifications import NOTIFICATION_COLUMNS, TEXT, wants
from adsvc.repositories.push import queue_push_sql

_TYPES = ", ".join(
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
        WHERE event.id >= $1 AND event.id <= $2 AND event.type IN ({_TYPES})
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
QUEUE_MAILS = {
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


async def notify(db: Statements, events: range) -> None:
    """The receivers of the messages in these events of the log."""
    await db.fetch(INSERT_NOTICES, events[0], events[-1])


async def queue_mails(writer: Statements, limit: int) -> int:
    """About some conversations; returns how many were due."""
    rows = [await writer.fetchrow(sql, limit) for sql in QUEUE_MAILS.values()]
    return sum(row["done"] for row in rows if row is not None)


async def unread_to_mail(
    writer: Statements, user_id: int, kind: NotificationType, conversation_id: int
) -> UnreadMessages | None:
    """None if it is not to be mailed: all is read or hidden, one party has blocked the other, or
    the account does not want it, is suspended or has no verified address.
    """
    row = await writer.fetchrow(_to_mail_sql(kind), user_id, conversation_id)
    return None if row is None else UnreadMessages(**row)
