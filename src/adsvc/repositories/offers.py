"""Offers: each change locks the ad, if it changes it, and then the conversation."""

from typing import Any

from adsvc.db.engine import DatabaseSession
from adsvc.db.statements import Row, Statements
from adsvc.enums import AdStatus, MessageKind, Notice, OfferStatus
from adsvc.repositories.ads.projection import BUMP_UPDATED_AT, current_status
from adsvc.repositories.blocks import blocked_sql
from adsvc.repositories.conversation_changes import TOUCH
from adsvc.repositories.conversations import IS_HELD, offer_sql, seen_by_sql

LIFETIME = "48 hours"

# The conversation of an offer, if the account is a party. Parameters: the account, the offer.
OF_OFFER = f"""
    SELECT found.id, found.ad_id FROM offers
    JOIN LATERAL ({seen_by_sql("AND id = offers.conversation_id")}) AS found ON TRUE
    WHERE offers.id = $2
"""
# Parameters: the account, the conversation.
LOCK = "SELECT FROM conversations WHERE id = $1 FOR NO KEY UPDATE"
PARTY = f"""
    SELECT found.role, found.other_id, {blocked_sql("found.own_id", "found.other_id")} AS blocked,
        (SELECT {current_status()} FROM ads WHERE ads.id = found.ad_id) AS ad_status
    FROM ({seen_by_sql("AND id = $2")}) AS found
"""
LOCK_AD = f"SELECT {current_status()} AS status FROM ads WHERE id = $1 FOR NO KEY UPDATE"
EXPIRE = f"""
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
OPEN = f"""
    SELECT id, by, {IS_HELD} AS held FROM offers WHERE conversation_id = $1 AND status = 'open'
"""
STATUS = f"SELECT status, by, {IS_HELD} AS held FROM offers WHERE id = $1"
MAKE = f"""
    INSERT INTO offers (conversation_id, price, by, expires_at)
    VALUES ($1, $2, $3, now() + interval '{LIFETIME}') RETURNING id
"""
END = "UPDATE offers SET status = $2 WHERE id = $1"
TELL = f"""
    WITH made AS (
        INSERT INTO messages (conversation_id, author_id, by, kind, text, offer_id, held)
        VALUES ($1, $2, $3, $4, $5, $6, EXISTS (
            SELECT FROM messages AS before
            WHERE before.conversation_id = $1 AND before.by = $3 AND before.held
                AND NOT before.removed AND CASE $4
                    WHEN '{MessageKind.OFFER}' THEN before.kind = '{MessageKind.TEXT}'
                    ELSE before.offer_id = $6 END
        )) RETURNING messages.*
    )
    {TOUCH}
"""
RESERVE = f"""
    WITH changed AS (
        UPDATE ads SET status = '{AdStatus.RESERVED}', {BUMP_UPDATED_AT.format(row="ads")}
        WHERE id = $1 RETURNING id, author_id
    )
    INSERT INTO ad_events (ad_id, actor_id, event, from_status, to_status)
    SELECT id, author_id, 'reserved', '{AdStatus.ACTIVE}', '{AdStatus.RESERVED}' FROM changed
"""
RECORD = f"SELECT {offer_sql('offers.id = $1')} AS record"


async def conversation_of(reader: Statements, user_id: int, offer_id: int) -> Row | None:
    """The ids of the offer's conversation and ad; None if the account is no party."""
    return await reader.fetchrow(OF_OFFER, user_id, offer_id, keep_plan=True)


async def expire(writer: Statements) -> int:
    """Marks some offers that have expired. Returns their number."""
    row = await writer.fetchrow(EXPIRE_ALL)
    return 0 if row is None else int(row["done"])


class OfferRepository:
    """In a transaction."""

    def __init__(self, session: DatabaseSession) -> None:
        self._statements = session

    async def lock_ad(self, ad_id: int) -> str | None:
        """Its status; None if it was deleted."""
        status: str | None = await self._statements.fetchval(LOCK_AD, ad_id)
        return status

    async def lock(self, user_id: int, conversation_id: int) -> Row | None:
        """Locks the conversation, and returns what the account is in it."""
        await self._statements.fetch(LOCK, conversation_id)
        await self._statements.fetch(EXPIRE, conversation_id)
        return await self._statements.fetchrow(PARTY, user_id, conversation_id)

    async def open(self, conversation_id: int) -> Row | None:
        return await self._statements.fetchrow(OPEN, conversation_id)

    async def status(self, offer_id: int) -> Row | None:
        return await self._statements.fetchrow(STATUS, offer_id)

    async def make(self, conversation_id: int, user_id: int, party: str, price: int) -> int:
        """Also writes the message. Returns the offer's id."""
        offer_id: int = await self._statements.fetchval(MAKE, conversation_id, price, party)
        await self._tell(conversation_id, user_id, party, MessageKind.OFFER, "", offer_id)
        return offer_id

    async def end(self, offer_id: int, status: OfferStatus) -> None:
        await self._statements.fetch(END, offer_id, status)

    async def note(
        self, conversation_id: int, user_id: int, party: str, notice: Notice, offer_id: int
    ) -> None:
        await self._tell(conversation_id, user_id, party, MessageKind.NOTICE, notice, offer_id)

    async def _tell(self, *values: object) -> None:
        await self._statements.fetch(TELL, *values)

    async def reserve(self, ad_id: int) -> None:
        """The ad, which is active and locked; on behalf of its author, who has agreed."""
        await self._statements.fetch(RESERVE, ad_id)

    async def record(self, offer_id: int) -> dict[str, Any]:
        """`schemas.conversations.Offer`."""
        found: dict[str, Any] = await self._statements.fetchval(RECORD, offer_id)
        return found
