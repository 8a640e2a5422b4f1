"""Browsers that accounts want notifications in, and the queue of what is sent to them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from adsvc.enums import NotificationType
from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import Row, Statements
from adsvc.kit.deliveries import CLOSED, Circuit, Claimed, after_failure, has_failed_for
from adsvc.models.accounts import Session
from adsvc.models.following import PushSubscription
from adsvc.repositories.accounts.callers import NOT_SUSPENDED
from adsvc.repositories.conversations import blocked_sql
from adsvc.repositories.notifications import (
    DEAL_NOTICES,
    FAVORITE_STATUSES,
    OWN_NOTICES,
    still_wanted,
    wants,
)

# Whether one is still to be sent, by the type of the notification: it is wanted, and still holds.
_UNREAD = f"""
    CASE users.id WHEN conversations.buyer_id THEN buyer_unread ELSE seller_unread END > 0
    AND NOT {blocked_sql("conversations.buyer_id", "conversations.seller_id")}
"""
_HOLDS = {
    **{
        kind: still_wanted(kind, "users.id", "(payload->'data')")
        for kind in (*FAVORITE_STATUSES, *OWN_NOTICES, *DEAL_NOTICES)
    },
    NotificationType.MESSAGE: _UNREAD,
    NotificationType.OFFER: _UNREAD,
}
_STILL = " ".join(
    f"WHEN '{kind}' THEN {wants(kind, 'push')} AND {_HOLDS.get(kind, 'TRUE')}"
    for kind in NotificationType
)

# The host of an endpoint, without its port.
HOST = r"substring({} FROM '^https?://(\[[^\]]+\]|[^/:]+)')"
# What a message is about, by its payload.
TAG = """coalesce(
    'conversation:' || (payload->>'conversation'), 'ad:' || (payload->>'ad'),
    'decision:' || (payload->>'decision'), 'search:' || (payload->>'search'), ''
)"""
# Of one browser. Further ones are dropped: what they are about is on the site.
MOST_PENDING = 20


def queue_push_sql(due: str, payload: str) -> str:
    """Queues messages to the browsers of accounts: one a browser and tag, the newest.

    `due` has `user_id`, `push` and `at`; `payload` is an expression of its columns.
    """
    return f"""
        INSERT INTO push_messages (subscription_id, tag, payload, not_before)
        SELECT DISTINCT ON (browser.id, made.tag) browser.id, made.tag, made.payload,
            greatest(now(), paused_until)
        FROM {due} JOIN push_subscriptions AS browser USING (user_id) CROSS JOIN LATERAL (
            SELECT payload, {TAG} AS tag FROM (SELECT {payload} AS payload) AS plain
        ) AS made
        WHERE push AND browser.session_id IS NOT NULL AND (
            SELECT count(*) FROM push_messages AS pending
            WHERE pending.subscription_id = browser.id AND pending.tag <> made.tag
        ) < {MOST_PENDING}
        ORDER BY browser.id, made.tag, {due}.at DESC
        -- The attempt that is under way ends first: `RELEASE`.
        ON CONFLICT (subscription_id, tag)
            DO UPDATE SET created_at = now(), attempts = 0, payload = CASE
                -- What was to be heard and was not sent yet, is to be heard.
                WHEN push_messages.payload->'silent' = 'true' THEN excluded.payload
                ELSE excluded.payload - 'silent' END
    """


# Of the due messages, so many are looked at. Those of a browser that is paused are not due.
LOOKED_AT = 2000
# Under way in all processes together: one message of a browser, `$3` of an account (one while one
# of its browsers fails), `$4` of a host. Other parameters: how many at most, and how many seconds a
# claim lasts.
CLAIM_MESSAGES = f"""
    WITH under_way AS MATERIALIZED (
        SELECT subscription_id, user_id, {HOST.format("endpoint")} AS host
        FROM push_messages JOIN push_subscriptions AS browser ON browser.id = subscription_id
        WHERE claimed_until > now()
    ), due AS MATERIALIZED (
        SELECT id, subscription_id, not_before FROM push_messages WHERE not_before <= now()
        ORDER BY not_before, id LIMIT {LOOKED_AT}
    ), of_browser AS (
        SELECT DISTINCT ON (subscription_id) due.id, not_before, user_id,
            {HOST.format("endpoint")} AS host
        FROM due JOIN push_subscriptions AS browser ON browser.id = subscription_id
        WHERE subscription_id NOT IN (SELECT subscription_id FROM under_way)
        ORDER BY subscription_id, not_before, due.id
    ), of_account AS (
        SELECT of_browser.*, row_number() OVER (PARTITION BY user_id ORDER BY not_before, id) + (
            SELECT count(*) FROM under_way WHERE under_way.user_id = of_browser.user_id
        ) AS number
        FROM of_browser
    ), of_host AS (
        SELECT id, not_before, host, row_number() OVER (PARTITION BY host ORDER BY not_before, id)
            + (SELECT count(*) FROM under_way WHERE under_way.host = of_account.host) AS number
        FROM of_account
        WHERE number <= CASE WHEN EXISTS (
            SELECT FROM push_subscriptions AS failing
            WHERE failing.user_id = of_account.user_id AND failures > 0
        ) THEN 1 ELSE $3::int END
    ), chosen AS MATERIALIZED (
        SELECT id FROM push_messages WHERE id IN (
            SELECT id FROM of_host WHERE number <= $4::int ORDER BY not_before, id LIMIT $1::int
        ) AND not_before <= now()
        FOR UPDATE SKIP LOCKED
    ), claimed AS (
        UPDATE push_messages SET attempts = attempts + 1, claimed_until = until, not_before = until
        FROM chosen, (SELECT now() + make_interval(secs => $2::float8) AS until) AS claim
        WHERE push_messages.id = chosen.id RETURNING push_messages.*
    )
    SELECT claimed.id, subscription_id, attempts, claimed_until, {TAG} AS tag,
        payload::text AS payload, endpoint, public_key, auth, users.language,
        coalesce(payload->'data'->>'title', ads.title, conversations.title) AS title,
        claimed.created_at < now() - make_interval(secs => $5::float8) OR NOT (
            {NOT_SUSPENDED} AND coalesce(sessions.expires_at > now(), FALSE)
            AND coalesce(CASE payload->>'type' {_STILL} END, FALSE)
        ) AS is_void
    FROM claimed JOIN push_subscriptions AS browser ON browser.id = subscription_id
    JOIN users ON users.id = browser.user_id
    LEFT JOIN sessions ON sessions.id = session_id
    LEFT JOIN preferences ON preferences.user_id = users.id
    LEFT JOIN ads ON ads.id = (payload->>'ad')::bigint
    LEFT JOIN conversations ON conversations.id = (payload->>'conversation')::bigint
"""
# A session that has expired has ended.
SELECT_SUBSCRIPTIONS = f"""
    SELECT browser.id, {HOST.format("endpoint")} AS host, browser.created_at, session_id
    FROM push_subscriptions AS browser JOIN sessions ON sessions.id = session_id
    WHERE browser.user_id = $1 AND expires_at > now() ORDER BY browser.id DESC
"""
SELECT_EXPORT = f"""
    SELECT id, row_to_json(record)::text AS record FROM push_subscriptions
    CROSS JOIN LATERAL (
        SELECT {HOST.format("endpoint")} AS host,
            (extract(epoch FROM created_at) * 1000)::bigint AS at
    ) AS record
    WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3
"""
# A message whose payload was replaced meanwhile is not the one that was claimed.
CLAIMED = "id = $1 AND attempts = $2 AND claimed_until = $3"
RELEASE = """
    UPDATE push_messages SET claimed_until = NULL, not_before = now()
    WHERE id = $1 AND attempts <> $2 AND claimed_until = $3
"""
# Parameter 5: whether the browser has answered. Then what waits for it is due.
DELETE_SENT = f"""
    WITH done AS (DELETE FROM push_messages WHERE {CLAIMED}), released AS ({RELEASE}),
    closed AS (
        UPDATE push_subscriptions SET {CLOSED} WHERE id = $4 AND failures > 0 AND $5::boolean
        RETURNING id
    )
    UPDATE push_messages SET not_before = now() FROM closed
    WHERE subscription_id = closed.id AND push_messages.id <> $1 AND not_before > now()
"""
# All messages to the browser wait for the end of the pause. Parameter 5: whether this one is given
# up; then the circuit, and the seconds of failure after which it is hopeless.
RECORD_FAILURE = f"""
    WITH failing AS MATERIALIZED (
        UPDATE push_subscriptions SET {after_failure("$6", "$7", "$8")} WHERE id = $4
        RETURNING id, paused_until, {has_failed_for("$9")} AS is_hopeless
    ), given_up AS (
        DELETE FROM push_messages WHERE {CLAIMED} AND $5::boolean
    ), postponed AS (
        UPDATE push_messages SET claimed_until = NULL, not_before = greatest(now(), paused_until)
        FROM failing
        WHERE subscription_id = failing.id AND NOT ($5::boolean AND push_messages.id = $1)
    )
    SELECT is_hopeless FROM failing
"""
# The messages to it go too.
DELETE_SUBSCRIPTION = "DELETE FROM push_subscriptions WHERE id = $1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedMessage(Claimed):
    subscription_id: int
    tag: str
    payload: Mapping[str, Any]
    endpoint: str
    public_key: bytes
    auth: bytes
    language: str | None
    # Of the ad, or of a conversation.
    title: str | None
    # The session has ended, the account is suspended or does not want it any more, it does not
    # hold, or it is too old.
    is_void: bool


@dataclass(frozen=True, slots=True)
class PushShares:
    """The most messages under way in all processes together."""

    account: int
    host: int


async def claim(
    db: Statements, limit: int, shares: PushShares, *, seconds: float, oldest_seconds: float
) -> Sequence[ClaimedMessage]:
    """What is due and has a place. A message of before `oldest_seconds` is void."""
    rows = await db.fetch(
        CLAIM_MESSAGES, limit, seconds, shares.account, shares.host, oldest_seconds
    )
    return [ClaimedMessage(**{**row, "payload": json.loads(row["payload"])}) for row in rows]


async def done(db: Statements, message: ClaimedMessage, *, delivered: bool) -> None:
    await db.fetch(DELETE_SENT, *message.identity, message.subscription_id, delivered)


async def failed(
    db: Statements,
    message: ClaimedMessage,
    circuit: Circuit,
    *,
    given_up: bool,
    hopeless_seconds: float,
) -> bool:
    """Whether the browser has failed for so long."""
    row = await db.fetchrow(
        RECORD_FAILURE,
        *message.identity,
        message.subscription_id,
        given_up,
        *circuit,
        hopeless_seconds,
    )
    return row is not None and bool(row["is_hopeless"])


async def forget(db: Statements, message: ClaimedMessage) -> None:
    """The subscription, with all that is to be sent to it."""
    await db.fetch(DELETE_SUBSCRIPTION, message.subscription_id)


async def lock_session(db: DatabaseSession, user_id: int, session_id: int) -> bool:
    """False if it has ended."""
    own = select(Session.id).where(Session.id == session_id, Session.user_id == user_id)
    return await db.scalar(own.with_for_update(read=True, key_share=True)) is not None


async def add(
    db: DatabaseSession,
    user_id: int,
    session_id: int,
    endpoint: str,
    public_key: bytes,
    auth: bytes,
) -> bool:
    """Of a browser that another account had used, only this account's from now on.

    False if the browser of the other account has other keys: then the endpoint is only known.
    """
    others = delete(PushSubscription).where(
        PushSubscription.endpoint == endpoint,
        PushSubscription.user_id != user_id,
        PushSubscription.public_key == public_key,
        PushSubscription.auth == auth,
    )
    await db.execute(others)
    new = insert(PushSubscription).values(
        user_id=user_id,
        session_id=session_id,
        endpoint=endpoint,
        public_key=public_key,
        auth=auth,
    )
    # An open circuit stays open.
    updated = ("user_id", "session_id", "public_key", "auth")
    keys = {name: new.excluded[name] for name in updated}
    added = new.on_conflict_do_update(
        index_elements=[PushSubscription.endpoint],
        set_=keys,
        where=PushSubscription.user_id == user_id,
    )
    return await db.scalar(added.returning(PushSubscription.id)) is not None


async def keep_newest(db: DatabaseSession, user_id: int, most: int) -> None:
    own = PushSubscription.user_id == user_id
    newest = select(PushSubscription.id).where(own).order_by(PushSubscription.id.desc())
    await db.execute(
        delete(PushSubscription).where(own, PushSubscription.id.not_in(newest.limit(most)))
    )


async def list_of_user(db: Statements, user_id: int) -> Sequence[Row]:
    """The newest first."""
    return await db.fetch(SELECT_SUBSCRIPTIONS, user_id)


async def delete_subscription(db: DatabaseSession, user_id: int, subscription_id: int) -> bool:
    """False if the account has no such browser."""
    statement = delete(PushSubscription).where(
        PushSubscription.user_id == user_id, PushSubscription.id == subscription_id
    )
    return await db.scalar(statement.returning(PushSubscription.id)) is not None


async def delete_endpoint(db: DatabaseSession, user_id: int, endpoint: str) -> None:
    await db.execute(
        delete(PushSubscription).where(
            PushSubscription.user_id == user_id, PushSubscription.endpoint == endpoint
        )
    )
