"""Browsers that accounts want notifications in, and the queue of what is sent to them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db.pools import Reader, Writer
from adsvc.enums import NotificationType
from adsvc.models import PushSubscription
from adsvc.repositories.accounts.callers import NOT_SUSPENDED
from adsvc.repositories.blocks import blocked_sql
from adsvc.repositories.notifications import FAVORITE_STATUSES, still_wanted, wants

# Whether one is still to be sent, by the type of the notification: it is wanted, and still holds.
_UNREAD = f"""
    CASE users.id WHEN conversations.buyer_id THEN buyer_unread ELSE seller_unread END > 0
    AND NOT {blocked_sql("conversations.buyer_id", "conversations.seller_id")}
"""
_HOLDS = {
    **{kind: still_wanted(kind, "users.id", "(payload->'data')") for kind in FAVORITE_STATUSES},
    NotificationType.MESSAGE: _UNREAD,
    NotificationType.OFFER: _UNREAD,
}
_STILL = " ".join(
    f"WHEN '{kind}' THEN {wants(kind, 'push')} AND {_HOLDS.get(kind, 'TRUE')}"
    for kind in NotificationType
)

# A claim is a moment before which no other worker tries. Of one subscription one at a time.
CLAIM = f"""
    WITH due AS MATERIALIZED (
        SELECT id FROM push_messages WHERE not_before <= now()
        ORDER BY not_before, id LIMIT $1::int FOR UPDATE SKIP LOCKED
    ), claimed AS (
        UPDATE push_messages SET attempts = attempts + 1,
            not_before = now() + make_interval(secs => $2::float8)
        FROM due WHERE push_messages.id = due.id RETURNING push_messages.*
    )
    SELECT claimed.id, subscription_id, attempts, payload::text AS payload, endpoint, public_key,
        auth, users.language, coalesce(ads.title, conversations.title) AS title,
        NOT ({NOT_SUSPENDED} AND coalesce(CASE payload->>'type' {_STILL} END, FALSE)) AS is_void
    FROM claimed JOIN push_subscriptions ON push_subscriptions.id = subscription_id
    JOIN users ON users.id = push_subscriptions.user_id
    LEFT JOIN preferences ON preferences.user_id = users.id
    LEFT JOIN ads ON ads.id = (payload->>'ad')::bigint
    LEFT JOIN conversations ON conversations.id = (payload->>'conversation')::bigint
"""  # noqa: S608 - no input
EXPORTED = """
    SELECT id, row_to_json(record)::text AS record FROM push_subscriptions
    CROSS JOIN LATERAL (
        SELECT substring(endpoint FROM '^https?://([^/]+)') AS host,
            (extract(epoch FROM created_at) * 1000)::bigint AS at
    ) AS record
    WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3
"""
DONE = "DELETE FROM push_messages WHERE id = $1"
POSTPONE = """
    UPDATE push_messages SET not_before = now() + make_interval(secs => $2::float8) WHERE id = $1
"""
# The messages to it go too.
FORGET = "DELETE FROM push_subscriptions WHERE id = $1"


@dataclass(frozen=True, slots=True)
class ClaimedMessage:
    """A message that is this worker's for a while."""

    id: int
    subscription_id: int
    # Begun so far, this one included.
    attempts: int
    payload: Mapping[str, Any]
    endpoint: str
    public_key: bytes
    auth: bytes
    language: str | None
    # Of the ad, or of a conversation.
    title: str | None
    # The account is suspended or does not want it any more, or it does not hold.
    is_void: bool


class PushQueue:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    async def claim(self, limit: int, *, seconds: float) -> Sequence[ClaimedMessage]:
        rows = await self._writer.fetch(CLAIM, limit, seconds)
        return [ClaimedMessage(**{**row, "payload": json.loads(row["payload"])}) for row in rows]

    async def done(self, message: ClaimedMessage) -> None:
        await self._writer.fetch(DONE, message.id)

    async def postpone(self, message: ClaimedMessage, seconds: float) -> None:
        await self._writer.fetch(POSTPONE, message.id, seconds)

    async def forget(self, message: ClaimedMessage) -> None:
        """The subscription, with all that is to be sent to it."""
        await self._writer.fetch(FORGET, message.subscription_id)


async def exported_subscriptions(
    reader: Reader, user_id: int, limit: int, *, after: int
) -> Sequence[tuple[int, str]]:
    """Those with an id above `after`, oldest first: each one's id and JSON."""
    rows = await reader.fetch(EXPORTED, user_id, after, limit)
    return [(row["id"], row["record"]) for row in rows]


class PushRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, user_id: int, endpoint: str, public_key: bytes, auth: bytes) -> None:
        """Of a browser that another account had used, only this account's from now on."""
        others = delete(PushSubscription).where(
            PushSubscription.endpoint == endpoint, PushSubscription.user_id != user_id
        )
        await self._session.execute(others)
        new = insert(PushSubscription).values(
            user_id=user_id, endpoint=endpoint, public_key=public_key, auth=auth
        )
        keys = {name: new.excluded[name] for name in ("user_id", "public_key", "auth")}
        await self._session.execute(
            new.on_conflict_do_update(index_elements=[PushSubscription.endpoint], set_=keys)
        )

    async def keep_newest(self, user_id: int, most: int) -> None:
        own = PushSubscription.user_id == user_id
        newest = select(PushSubscription.id).where(own).order_by(PushSubscription.id.desc())
        await self._session.execute(
            delete(PushSubscription).where(own, PushSubscription.id.not_in(newest.limit(most)))
        )

    async def delete(self, user_id: int, endpoint: str) -> None:
        await self._session.execute(
            delete(PushSubscription).where(
                PushSubscription.user_id == user_id, PushSubscription.endpoint == endpoint
            )
        )
