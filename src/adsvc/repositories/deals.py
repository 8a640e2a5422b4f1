"""Deals and ratings.

A rating is hidden until both parties have rated, or the time for it is over. Whoever changes one
locks its accounts, then its deal: deletions of accounts do so in that order.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from adsvc.enums import AdStatus, MessageKind, Notice, OfferStatus, Party
from adsvc.kit.db.statements import BEYOND_ALL, MOST_LARGE_RECORDS, Row, Statements, page_of_records
from adsvc.repositories.accounts.callers import NOT_SUSPENDED
from adsvc.repositories.accounts.users import lock_share
from adsvc.repositories.ads.listing import IS_SELLER
from adsvc.repositories.ads.projection import (
    BUMP_UPDATED_AT,
    MILLISECONDS,
    PATH,
    RATING_IS_SHOWN,
    current_status,
)
from adsvc.repositories.conversation_changes import TOUCH_CONVERSATION
from adsvc.repositories.conversations import IS_HELD, blocked_sql, offer_sql, seen_by_sql
from adsvc.repositories.notifications import RATING_DAYS, followed_ad

# Records in JSON, and the id of the last one if more follow.
RecordPage: TypeAlias = tuple[Sequence[str], int | None]

OTHER = {Party.BUYER: Party.SELLER, Party.SELLER: Party.BUYER}
# When a deal can be rated no longer.
END = f"deals.at + interval '{RATING_DAYS} days'"


def _account_sql(user_id: str) -> str:
    """What others see of the account of that id; null if it is gone or suspended."""
    return f"""(
        SELECT json_build_object(
            'id', users.id, 'firstName', first_name, 'image', {PATH.format("users.image")}
        ) FROM users WHERE users.id = {user_id} AND {NOT_SUSPENDED}
    )"""


def rating_sql(where: str) -> str:
    """`schemas.deals.Rating` in JSON, or null."""
    return f"""(
        SELECT row_to_json(record) FROM (
            SELECT ratings.id, ratings.deal_id AS deal, stars, ratings.text,
                {MILLISECONDS.format("ratings.at")} AS at,
                {_account_sql("ratings.author_id")} AS by, ratings.role,
                CASE WHEN answer IS NOT NULL THEN json_build_object(
                    'text', answer, 'at', {MILLISECONDS.format("answered_at")}
                ) END AS answer
            FROM ratings WHERE {where}
        ) AS record
    )"""


def _deals_sql(condition: str) -> str:
    """Deals of account $1 as `schemas.deals.Deal`. `condition` ends the query of each side."""
    found = " UNION ALL ".join(
        f"""(
            SELECT deals.*, '{party}' AS role, {other}_id AS other_id FROM deals
            WHERE {party}_id = $1 {condition}
        )"""
        for party, other in OTHER.items()
    )
    of_deal = "ratings.deal_id = deals.id AND ratings.role"
    return f"""
        SELECT deals.id, row_to_json(record)::text AS record FROM ({found}) AS deals
        CROSS JOIN LATERAL (
            SELECT deals.id, {followed_ad("deals.ad_id")} AS ad, deals.title, deals.role,
                {_account_sql("deals.other_id")} AS other, deals.price,
                {MILLISECONDS.format("deals.at")} AS at,
                {rating_sql(f"{of_deal} = deals.role")} AS mine,
                {rating_sql(f"{of_deal} <> deals.role AND {RATING_IS_SHOWN}")} AS theirs,
                {MILLISECONDS.format(f"({END})")} AS until
        ) AS record
    """


SELECT_PAGE = f"""
    {_deals_sql("AND id < $2 AND ($4::bigint IS NULL OR ad_id = $4) ORDER BY id DESC LIMIT $3")}
    ORDER BY deals.id DESC LIMIT $3
"""
SELECT_EXPORT = f"""
    {_deals_sql("AND id > $2 ORDER BY id LIMIT $3")} ORDER BY deals.id LIMIT $3
"""
# There is one row of nulls for a seller without ratings, and none for an account that is no seller.
SELECT_RATINGS = f"""
    SELECT page.id, {rating_sql("ratings.id = page.id")}::text AS record
    FROM users LEFT JOIN (
        SELECT id FROM ratings WHERE rated_id = $1 AND {RATING_IS_SHOWN} AND id < $2
        ORDER BY id DESC LIMIT $3
    ) AS page ON TRUE
    WHERE users.id = $1 AND {IS_SELLER} ORDER BY page.id DESC
"""
# The caller's part in a deal.
SELECT_DEAL = f"""
    SELECT id, buyer_id, seller_id, {END} <= now() AS is_over,
        CASE $2::bigint WHEN buyer_id THEN 'buyer' ELSE 'seller' END AS role,
        CASE $2::bigint WHEN buyer_id THEN seller_id ELSE buyer_id END AS other_id
    FROM deals WHERE id = $1 AND $2 IN (buyer_id, seller_id)
"""
INSERT_RATING = """
    INSERT INTO ratings (deal_id, role, author_id, rated_id, stars, text)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (deal_id, role) DO NOTHING RETURNING id
"""
SHOW_BOTH = """
    UPDATE ratings SET shown_at = now() WHERE deal_id = $1 AND shown_at IS NULL
        AND (SELECT count(*) FROM ratings WHERE deal_id = $1) = 2
"""
# One that another transaction has locked is shown the next time.
SHOW_OVERDUE = f"""
    WITH due AS (
        SELECT ratings.id FROM ratings JOIN deals ON deals.id = deal_id
        WHERE shown_at IS NULL AND {END} <= now()
        ORDER BY ratings.id LIMIT 1000 FOR NO KEY UPDATE OF ratings SKIP LOCKED
    )
    UPDATE ratings SET shown_at = now() FROM due WHERE ratings.id = due.id RETURNING TRUE
"""
ANSWER = f"""
    UPDATE ratings SET answer = $2, answered_at = now()
    WHERE id = $1 AND answer IS NULL AND {RATING_IS_SHOWN} RETURNING id
"""


async def is_buyer(db: Statements, ad_id: int, user_id: int) -> bool:
    sql = "SELECT TRUE FROM deals WHERE ad_id = $1 AND buyer_id = $2"
    return await db.fetchrow(sql, ad_id, user_id) is not None


async def page(
    db: Statements, user_id: int, limit: int, *, before: int | None, ad_id: int | None
) -> RecordPage:
    """`schemas.deals.Deal`, the newest first; only that of the ad."""
    limit, before = min(limit, MOST_LARGE_RECORDS), BEYOND_ALL if before is None else before
    return _page(await db.fetch(SELECT_PAGE, user_id, before, limit + 1, ad_id), limit)


def _page(rows: Sequence[Row], limit: int) -> RecordPage:
    return page_of_records([row["record"] for row in rows], [row["id"] for row in rows], limit)


async def ratings(
    db: Statements, user_id: int, limit: int, *, before: int | None
) -> RecordPage | None:
    """`schemas.deals.Rating` of the seller, the newest first; None if there is no such seller."""
    limit, before = min(limit, MOST_LARGE_RECORDS), BEYOND_ALL if before is None else before
    rows = await db.fetch(SELECT_RATINGS, user_id, before, limit + 1)
    return _page([row for row in rows if row["id"] is not None], limit) if rows else None


async def get(db: Statements, deal_id: int, user_id: int) -> Row | None:
    """None if the account is no party."""
    return await db.fetchrow(SELECT_DEAL, deal_id, user_id)


async def lock(db: Statements, deal: Row, user_id: int) -> Row | None:
    """As `get`, locked until the transaction ends. `deal` is the same as it was read before."""
    await lock_share(db, *(id_ for id_ in (user_id, deal["other_id"]) if id_ is not None))
    return await db.fetchrow(f"{SELECT_DEAL} FOR NO KEY UPDATE", deal["id"], user_id)


async def rate(db: Statements, deal: Row, user_id: int, stars: int, text: str) -> int | None:
    """The rating's id; None if there is one. The deal is locked."""
    values = deal["id"], deal["role"], user_id, deal["other_id"], stars, text
    rating_id: int | None = await db.fetchval(INSERT_RATING, *values)
    await db.fetch(SHOW_BOTH, deal["id"])
    return rating_id


async def record(db: Statements, rating_id: int) -> str:
    """`schemas.deals.Rating` in JSON."""
    found: str = await db.fetchval(
        f"SELECT {rating_sql('ratings.id = $1')}::text AS record", rating_id
    )
    return found


async def shown_rating(db: Statements, rating_id: int) -> Row | None:
    """Who wrote it, and whom it is about. None also for one that is hidden or removed."""
    sql = f"SELECT author_id, rated_id FROM ratings WHERE id = $1 AND {RATING_IS_SHOWN}"
    return await db.fetchrow(sql, rating_id)


async def answer(db: Statements, rating_id: int, text: str) -> bool:
    """False if there is an answer."""
    return await db.fetchrow(ANSWER, rating_id, text) is not None


async def show_overdue(db: Statements) -> int:
    """Shows ratings whose deal is over for so long that no other one can follow."""
    return len(await db.fetch(SHOW_OVERDUE))


# Conversations that began in so many days count.
ANSWER_DAYS = 90
# Of fewer there are no figures.
FEWEST = 5
# An answer within a day counts for the rate.
DAY = "interval '24 hours'"

# Any message of the seller is an answer: a text, an offer, a step of an offer. Of what is held the
# seller sees nothing. Accounts whose figures have changed are noted: cached responses have them.
RENEW_ANSWER_FIGURES = f"""
    WITH begun AS (
        SELECT seller_id, first.at, (
            SELECT at FROM messages
            WHERE conversation_id = conversations.id AND by = 'seller' AND id > first.id
            ORDER BY id LIMIT 1
        ) AS answered_at
        FROM conversations CROSS JOIN LATERAL (
            SELECT id, at FROM messages
            WHERE conversation_id = conversations.id AND by = 'buyer' AND NOT held
            ORDER BY id LIMIT 1
        ) AS first
        WHERE updated_at > now() - interval '{ANSWER_DAYS} days'
            AND created_at > now() - interval '{ANSWER_DAYS} days' AND seller_id IS NOT NULL
    ), counted AS (
        SELECT seller_id, count(answered_at) AS answered,
            percentile_cont(0.5) WITHIN GROUP (
                ORDER BY extract(epoch FROM answered_at - at) / 60
            ) FILTER (WHERE answered_at IS NOT NULL) AS median,
            count(*) FILTER (WHERE at < now() - {DAY}) AS due,
            count(*) FILTER (WHERE at < now() - {DAY} AND answered_at <= at + {DAY}) AS in_time
        FROM begun GROUP BY seller_id
    ), figures AS MATERIALIZED (
        SELECT seller_id, CASE WHEN answered >= {FEWEST} THEN round(median)::int END AS minutes,
            CASE WHEN due >= {FEWEST} THEN round(in_time::numeric / due, 2) END AS rate
        FROM counted WHERE answered >= {FEWEST} OR due >= {FEWEST}
    ), ended AS (
        DELETE FROM answer_figures WHERE user_id NOT IN (SELECT seller_id FROM figures)
        RETURNING user_id
    ), renewed AS (
        INSERT INTO answer_figures AS known (user_id, minutes, rate)
        SELECT seller_id, minutes, rate FROM figures ORDER BY seller_id
        ON CONFLICT (user_id) DO UPDATE SET minutes = excluded.minutes, rate = excluded.rate
            WHERE (known.minutes, known.rate) IS DISTINCT FROM (excluded.minutes, excluded.rate)
        RETURNING user_id
    ), changed AS (SELECT user_id FROM ended UNION ALL SELECT user_id FROM renewed)
    SELECT count(*)::int AS done, note_changes('user', array_agg(user_id::text)) FROM changed
    HAVING count(*) > 0
"""


async def renew_answer_figures(db: Statements) -> int:
    """Returns for how many accounts the figures have changed."""
    return int(await db.fetchval(RENEW_ANSWER_FIGURES) or 0)


OFFER_LIFETIME = "48 hours"

# The conversation of an offer, if the account is a party. Parameters: the account, the offer.
OF_OFFER = f"""
    SELECT found.id, found.ad_id, found.role, found.other_id FROM offers
    JOIN LATERAL ({seen_by_sql("AND id = offers.conversation_id")}) AS found ON TRUE
    WHERE offers.id = $2
"""
EXPIRE_OF_CONVERSATION = f"""
    UPDATE offers SET status = '{OfferStatus.EXPIRED}'
    WHERE conversation_id = $1 AND status = '{OfferStatus.OPEN}' AND expires_at <= now()
"""
EXPIRE_ALL = f"""
    UPDATE offers SET status = '{OfferStatus.EXPIRED}' WHERE id IN (
        SELECT id FROM offers WHERE status = '{OfferStatus.OPEN}' AND expires_at <= now()
        ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
    ) RETURNING TRUE
"""
# An offer waits with the held text before it. If that was removed, it waits until the seller has
# received another message.
WRITE_MESSAGE = f"""
    WITH made AS (
        INSERT INTO messages (conversation_id, author_id, by, kind, text, offer_id, held)
        VALUES ($1, $2, $3, $4, $5, $6, EXISTS (
            SELECT FROM messages AS before
            WHERE before.conversation_id = $1 AND before.by = $3 AND before.held
                AND CASE $4 WHEN '{MessageKind.OFFER}' THEN before.kind = '{MessageKind.TEXT}' AND (
                        NOT before.removed
                        OR (SELECT seller_last IS NULL FROM conversations WHERE id = $1)
                    )
                    ELSE before.offer_id = $6 END
        )) RETURNING messages.*
    )
    {TOUCH_CONVERSATION}
"""
RESERVE_AD = f"""
    WITH changed AS (
        UPDATE ads SET status = '{AdStatus.RESERVED}', {BUMP_UPDATED_AT.format(row="ads")}
        WHERE id = $1 RETURNING id, author_id
    )
    INSERT INTO ad_events (ad_id, actor_id, event, from_status, to_status)
    SELECT id, author_id, 'reserved', '{AdStatus.ACTIVE}', '{AdStatus.RESERVED}' FROM changed
"""


async def conversation_by_offer(reader: Statements, user_id: int, offer_id: int) -> Row | None:
    """The offer's conversation, as the account sees it; None if it is no party."""
    return await reader.fetchrow(OF_OFFER, user_id, offer_id, keep_plan=True)


async def expire_offers(writer: Statements) -> int:
    """Marks some offers that have expired. Returns their number."""
    return len(await writer.fetch(EXPIRE_ALL))


async def lock_ad(db: Statements, ad_id: int) -> str | None:
    """Its status; None if it was deleted."""
    sql = f"SELECT {current_status()} AS status FROM ads WHERE id = $1 FOR NO KEY UPDATE"
    offer_status: str | None = await db.fetchval(sql, ad_id)
    return offer_status


async def lock_party(db: Statements, user_id: int, conversation_id: int) -> Row | None:
    """Locks the conversation, and returns what the account is in it."""
    await db.fetch("SELECT FROM conversations WHERE id = $1 FOR NO KEY UPDATE", conversation_id)
    await db.fetch(EXPIRE_OF_CONVERSATION, conversation_id)
    sql = f"""
        SELECT found.role, found.other_id, {blocked_sql("found.own_id", "found.other_id")}
            AS blocked, (SELECT {current_status()} FROM ads WHERE ads.id = found.ad_id) AS ad_status
        FROM ({seen_by_sql("AND id = $2")}) AS found
    """
    return await db.fetchrow(sql, user_id, conversation_id)


async def open_offer(db: Statements, conversation_id: int) -> Row | None:
    sql = f"""
        SELECT id, by, {IS_HELD} AS held FROM offers
        WHERE conversation_id = $1 AND status = '{OfferStatus.OPEN}'
    """
    return await db.fetchrow(sql, conversation_id)


async def offer_status(db: Statements, offer_id: int) -> Row | None:
    sql = f"SELECT status, by, price, {IS_HELD} AS held FROM offers WHERE id = $1"
    return await db.fetchrow(sql, offer_id)


async def make_offer(
    db: Statements, conversation_id: int, user_id: int, party: str, price: int
) -> int:
    """Also writes the message. Returns the offer's id."""
    sql = f"""
        INSERT INTO offers (conversation_id, price, by, expires_at)
        VALUES ($1, $2, $3, now() + interval '{OFFER_LIFETIME}') RETURNING id
    """
    offer_id: int = await db.fetchval(sql, conversation_id, price, party)
    await db.fetch(WRITE_MESSAGE, conversation_id, user_id, party, MessageKind.OFFER, "", offer_id)
    return offer_id


async def end_offer(db: Statements, offer_id: int, status: OfferStatus) -> None:
    await db.fetch("UPDATE offers SET status = $2 WHERE id = $1", offer_id, status)


async def note_step(
    db: Statements, conversation_id: int, user_id: int, party: str, notice: Notice, offer_id: int
) -> None:
    await db.fetch(
        WRITE_MESSAGE, conversation_id, user_id, party, MessageKind.NOTICE, notice, offer_id
    )


async def reserve_ad(db: Statements, ad_id: int) -> None:
    """The ad, which is active and locked; on behalf of its author, who has agreed."""
    await db.fetch(RESERVE_AD, ad_id)


async def offer_record(db: Statements, offer_id: int) -> dict[str, Any]:
    """`schemas.conversations.Offer`."""
    sql = f"SELECT {offer_sql('offers.id = $1')} AS record"
    found: dict[str, Any] = await db.fetchval(sql, offer_id)
    return found
