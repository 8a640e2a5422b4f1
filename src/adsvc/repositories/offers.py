"""Offers: each change locks the ad, if it changes it, and then the conversation."""

from typing import Any

from adsvc.enums import AdStatus, MessageKind, Notice, OfferStatus
from adsvc.kit.db.statements import Row, Statements
from adsvc.repositories.ads.projection import BUMP_UPDATED_AT, current_status
from adsvc.repositories.blocks import blocked_sql
from adsvc.repositories.conversation_changes import TOUCH_CONVERSATION
from adsvc.repositories.conversations import IS_HELD, offer_sql, seen_by_sql

LIFETIME = "48 hours"

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
    WITH expired AS (
        UPDATE offers SET status = '{OfferStatus.EXPIRED}' WHERE id IN (
            SELECT id FROM offers
            WHERE status = '{OfferStatus.OPEN}' AND expires_at <= now()
            ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
        ) RETURNING TRUE
    )
    SELECT count(*)::int AS done FROM expired
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


async def conversation_of(reader: Statements, user_id: int, offer_id: int) -> Row | None:
    """The offer's conversation, as the account sees it; None if it is no party."""
    return await reader.fetchrow(OF_OFFER, user_id, offer_id, keep_plan=True)


async def expire(writer: Statements) -> int:
    """Marks some offers that have expired. Returns their number."""
    row = await writer.fetchrow(EXPIRE_ALL)
    return 0 if row is None else int(row["done"])


async def lock_ad(db: Statements, ad_id: int) -> str | None:
    """Its status; None if it was deleted."""
    sql = f"SELECT {current_status()} AS status FROM ads WHERE id = $1 FOR NO KEY UPDATE"
    status: str | None = await db.fetchval(sql, ad_id)
    return status


async def lock(db: Statements, user_id: int, conversation_id: int) -> Row | None:
    """Locks the conversation, and returns what the account is in it."""
    await db.fetch("SELECT FROM conversations WHERE id = $1 FOR NO KEY UPDATE", conversation_id)
    await db.fetch(EXPIRE_OF_CONVERSATION, conversation_id)
    sql = f"""
        SELECT found.role, found.other_id, {blocked_sql("found.own_id", "found.other_id")}
            AS blocked, (SELECT {current_status()} FROM ads WHERE ads.id = found.ad_id) AS ad_status
        FROM ({seen_by_sql("AND id = $2")}) AS found
    """
    return await db.fetchrow(sql, user_id, conversation_id)


async def open_of(db: Statements, conversation_id: int) -> Row | None:
    sql = f"""
        SELECT id, by, {IS_HELD} AS held FROM offers
        WHERE conversation_id = $1 AND status = '{OfferStatus.OPEN}'
    """
    return await db.fetchrow(sql, conversation_id)


async def status(db: Statements, offer_id: int) -> Row | None:
    sql = f"SELECT status, by, price, {IS_HELD} AS held FROM offers WHERE id = $1"
    return await db.fetchrow(sql, offer_id)


async def make(db: Statements, conversation_id: int, user_id: int, party: str, price: int) -> int:
    """Also writes the message. Returns the offer's id."""
    sql = f"""
        INSERT INTO offers (conversation_id, price, by, expires_at)
        VALUES ($1, $2, $3, now() + interval '{LIFETIME}') RETURNING id
    """
    offer_id: int = await db.fetchval(sql, conversation_id, price, party)
    await db.fetch(WRITE_MESSAGE, conversation_id, user_id, party, MessageKind.OFFER, "", offer_id)
    return offer_id


async def end(db: Statements, offer_id: int, status: OfferStatus) -> None:
    await db.fetch("UPDATE offers SET status = $2 WHERE id = $1", offer_id, status)


async def note(
    db: Statements, conversation_id: int, user_id: int, party: str, notice: Notice, offer_id: int
) -> None:
    await db.fetch(
        WRITE_MESSAGE, conversation_id, user_id, party, MessageKind.NOTICE, notice, offer_id
    )


async def reserve(db: Statements, ad_id: int) -> None:
    """The ad, which is active and locked; on behalf of its author, who has agreed."""
    await db.fetch(RESERVE_AD, ad_id)


async def record(db: Statements, offer_id: int) -> dict[str, Any]:
    """`schemas.conversations.Offer`."""
    sql = f"SELECT {offer_sql('offers.id = $1')} AS record"
    found: dict[str, Any] = await db.fetchval(sql, offer_id)
    return found
