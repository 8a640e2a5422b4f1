"""Webhooks; the queue of what is to be sent to them.

Those of the site read the log, each from its own position. For those of accounts one consumer of
the log finds which events concern their owners.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, select

from adsvc.enums import AdvisoryLock, AuditKind, DeliveryStatus, DisabledReason, EventType
from adsvc.invalidation import InvalidationKind
from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import BEYOND_ALL, Paged, Statements, paged
from adsvc.kit.deliveries import CLOSED, Circuit, Claimed, after_failure, has_failed_for
from adsvc.models.webhooks import Webhook, WebhookDelivery
from adsvc.repositories.accounts.callers import NOT_SUSPENDED
from adsvc.repositories.ads.projection import visible
from adsvc.repositories.conversations import blocked_sql
from adsvc.repositories.events import LAST_EVENT, NOT_IN_LOG
from adsvc.repositories.following import wanted_author
from adsvc.repositories.outbox import OUTBOX_COLUMNS, NewEntry

# The consumer of the log.
CONSUMER = "webhooks"
# Queues rows of an event and its `webhook_id`. The body is the record `schemas.events.Event`.
INSERT_DELIVERIES = """
    INSERT INTO webhook_deliveries (webhook_id, event_id, type, body, message_id, next_at)
    SELECT webhook_id, event_id, type, json_build_object(
            'id', event_id, 'type', type, 'at', (extract(epoch FROM at) * 1000)::bigint,
            'ad', ad_id, 'user', user_id, 'data', data
        )::text,
        md5(concat_ws(
            ':', webhook_id, event_id, extract(epoch FROM at), type, ad_id, user_id
        ))::uuid,
        -- Not rounded up, which would be a moment ahead.
        date_trunc('milliseconds', now())
    FROM {event} WHERE type = ANY (types) AND (change_id = ANY (known)) IS NOT TRUE {condition}
    ORDER BY event_id
    ON CONFLICT DO NOTHING
"""
# Of conversations: the other party has written.
MESSAGE_TYPES = (EventType.MESSAGE_SENT, EventType.OFFER_MADE, EventType.OFFER_ACCEPTED)
_MESSAGE_TYPES = ", ".join(f"'{kind}'" for kind in MESSAGE_TYPES)


def _readable(type_: str, ad_id: str, data: str) -> str:
    """Whether the owner of the row `webhook` may read what an event that concerns it is about.

    Its own ads always.
    """
    is_wanted, is_blocked = wanted_author("webhook.owner_id"), blocked_sql("buyer_id", "seller_id")
    return f"""CASE
        WHEN {type_} = '{EventType.SEARCH_MATCHED}' THEN EXISTS (
            SELECT FROM ads WHERE id = {ad_id} AND {is_wanted} AND {visible()}
        ) WHEN {type_} IN ({_MESSAGE_TYPES}) THEN EXISTS (
            SELECT FROM messages JOIN conversations AS c ON c.id = conversation_id
            WHERE messages.id = ({data}->>'message')::bigint AND NOT (held OR removed)
                AND webhook.owner_id IN (buyer_id, seller_id) AND NOT {is_blocked}
        ) ELSE TRUE END"""


# Of one webhook of an account. What is beyond is not sent.
MOST_PENDING_OF_ACCOUNT = 1000
# Whether a row of `webhooks` has fewer pending deliveries than so many.
_HAS_ROOM = """(
    SELECT count(*) FROM (
        SELECT FROM webhook_deliveries
        WHERE webhook_id = webhooks.id AND status = 'pending' LIMIT {0}
    ) AS pending
) < {0}"""

# Parameters: the first and the last event. A match has the id of the event that made the ad match.
QUEUE_FOR_ACCOUNTS = f"""
    WITH event AS MATERIALIZED (
        SELECT id AS event_id, at, type, ad_id, user_id, data, change_id,
            CASE WHEN type LIKE 'ad.%' THEN user_id ELSE (data->>'to')::bigint END AS owner_id
        FROM events WHERE id >= $1 AND id <= $2
            AND (type LIKE 'ad.%' OR type IN ({_MESSAGE_TYPES}))
    ), webhook AS MATERIALIZED (
        SELECT id AS webhook_id, owner_id, types, known, begins_after FROM webhooks
        WHERE enabled AND owner_id IS NOT NULL AND {_HAS_ROOM.format(MOST_PENDING_OF_ACCOUNT)}
    ), match AS (
        SELECT match.event_id, search.user_id AS owner_id,
            jsonb_build_object('searches', jsonb_agg(search.id ORDER BY search.id)) AS data
        FROM saved_searches AS search JOIN query_matches AS match USING (query_id)
        WHERE match.event_id >= $1 AND match.event_id <= $2
            AND (match.change_id = ANY (search.known)) IS NOT TRUE
            AND search.user_id IN (
                SELECT owner_id FROM webhook WHERE '{EventType.SEARCH_MATCHED}' = ANY (types)
            )
        GROUP BY match.event_id, search.user_id
    ), concerning AS (
        SELECT * FROM event UNION ALL
        SELECT event_id, at, '{EventType.SEARCH_MATCHED}', ad_id, user_id, match.data, change_id,
            match.owner_id
        FROM match JOIN event USING (event_id)
    )
    {
    INSERT_DELIVERIES.format(
        event="concerning JOIN webhook USING (owner_id)",
        condition=f"AND event_id > begins_after AND {_readable('type', 'ad_id', 'data')}",
    )
}
"""

# Webhooks whose queue is full wait: the log is the rest of the queue. Parameters: how many events
# of the log are looked at for each, and how many deliveries may be pending.
QUEUE_DELIVERIES = f"""
    WITH webhook AS MATERIALIZED (
        SELECT id, types, position, known FROM webhooks
        WHERE enabled AND position < ({LAST_EVENT}) AND {_HAS_ROOM.format("$2::int")}
        FOR NO KEY UPDATE SKIP LOCKED
    ), event AS MATERIALIZED (
        SELECT webhook.id AS webhook_id, types, known, found.*
        FROM webhook CROSS JOIN LATERAL (
            SELECT id AS event_id, at, type, ad_id, user_id, data, change_id FROM events
            WHERE id > position ORDER BY id LIMIT $1::int
        ) AS found
    ), queued AS (
        {INSERT_DELIVERIES.format(event="event", condition="")}
    ), moved AS (
        UPDATE webhooks SET position = last
        FROM (SELECT webhook_id, max(event_id) AS last FROM event GROUP BY webhook_id) AS reached
        WHERE id = webhook_id
    )
    SELECT EXISTS (SELECT FROM webhooks WHERE enabled) AS any_enabled,
        EXISTS (SELECT FROM event GROUP BY webhook_id HAVING count(*) = $1::int) AS has_more
"""

# The ways to say that a delivery may be attempted now.
DUE = """
    status = 'pending' AND next_at <= now() AND (claimed_until IS NULL OR claimed_until <= now())
"""
# At most two at once for a webhook, in all processes together; one where the circuit was open.
# Those of accounts share the room, receivers that accept before those that fail, and wait while the
# account is suspended. What its owner may not read any more is given up. Parameters: how many
# seconds a claim lasts, how many failures open the circuit, and the room.
CLAIM_DELIVERIES = f"""
    WITH webhook AS MATERIALIZED (
        SELECT id, url, owner_id, creator_id, secret, failures,
            CASE WHEN old_secret_until > now() THEN old_secret END AS old_secret
        FROM webhooks
        WHERE enabled AND (paused_until IS NULL OR paused_until <= now()) AND EXISTS (
            SELECT FROM webhook_deliveries WHERE webhook_id = webhooks.id AND {DUE}
        ) AND NOT EXISTS (SELECT FROM users WHERE users.id = owner_id AND NOT {NOT_SUSPENDED})
        FOR NO KEY UPDATE SKIP LOCKED
    ), due AS MATERIALIZED (
        SELECT delivery.*, webhook.*,
            owner_id IS NULL OR {_readable("type", "(body->>'ad')::bigint", "(body->'data')")}
                AS readable,
            row_number() OVER (PARTITION BY owner_id IS NULL ORDER BY failures, next_at) AS number
        FROM webhook CROSS JOIN LATERAL (
            SELECT id AS delivery_id, type, body::jsonb AS body, next_at FROM webhook_deliveries
            WHERE webhook_id = webhook.id AND {DUE}
            ORDER BY next_at, id
            LIMIT greatest(0, CASE WHEN failures >= $2::int THEN 1 ELSE 2 END - (
                SELECT count(*) FROM webhook_deliveries
                WHERE webhook_id = webhook.id AND claimed_until > now()
            ))
        ) AS delivery
    ), claimed AS (
        UPDATE webhook_deliveries AS claimed
        SET attempts = attempts + readable::int,
            status = CASE WHEN readable THEN status ELSE 'failed' END,
            next_at = CASE WHEN readable THEN claimed.next_at END,
            ended_at = CASE WHEN NOT readable THEN now() END,
            claimed_until = CASE WHEN readable THEN now() + make_interval(secs => $1::float8) END,
            attempted_at = CASE WHEN readable THEN now() ELSE attempted_at END,
            milliseconds = NULL, answer = NULL
        FROM due
        -- Of two processes at once, the second finds what the first has made of the row.
        WHERE claimed.id = delivery_id AND (owner_id IS NULL OR number <= $3::int)
            AND status = 'pending' AND claimed.next_at <= now()
            AND (claimed_until IS NULL OR claimed_until <= now())
        RETURNING claimed.id, claimed.webhook_id, claimed.event_id, claimed.type, claimed.body,
            claimed.message_id, claimed.attempts, claimed.claimed_until, due.url, due.owner_id,
            due.creator_id, due.secret, due.old_secret
    )
    SELECT * FROM claimed WHERE claimed_until IS NOT NULL
"""
# What changes a webhook and its deliveries locks the webhook first.
IS_CLAIMED = """
    id = $1 AND attempts = $2 AND claimed_until = $3 AND (SELECT count(*) FROM locked) >= 0
"""
# Parameters: the status of the answer, and its beginning.
ANSWERED = """
    last_status = $5::int, answer = $6::text, claimed_until = NULL,
    milliseconds = extract(epoch FROM clock_timestamp() - attempted_at) * 1000
"""
RECORD_SUCCESS = f"""
    WITH locked AS MATERIALIZED (
        SELECT id FROM webhooks WHERE id = $4 AND failures > 0 FOR NO KEY UPDATE
    ), delivered AS (
        UPDATE webhook_deliveries SET {ANSWERED}, status = 'delivered', next_at = NULL,
            ended_at = now()
        WHERE {IS_CLAIMED} RETURNING webhook_id
    )
    UPDATE webhooks SET {CLOSED}
    FROM delivered JOIN locked ON locked.id = webhook_id WHERE webhooks.id = webhook_id
"""
# Parameters: the answer, the seconds until the next attempt if there is one; how many failures open
# the circuit, for how many seconds at first and at most; and the seconds of failure after which it
# is hopeless.
RECORD_FAILURE = f"""
    WITH locked AS MATERIALIZED (
        SELECT id FROM webhooks WHERE id = $4 FOR NO KEY UPDATE
    ), failed AS (
        UPDATE webhook_deliveries SET {ANSWERED},
            status = CASE WHEN $7::float8 IS NULL THEN 'failed' ELSE 'pending' END,
            next_at = now() + make_interval(secs => $7::float8),
            ended_at = CASE WHEN $7::float8 IS NULL THEN now() END
        WHERE {IS_CLAIMED} RETURNING webhook_id
    )
    UPDATE webhooks SET {after_failure("$8", "$9", "$10")}
    FROM failed WHERE webhooks.id = webhook_id
    RETURNING {has_failed_for("$11")} AS is_hopeless
"""
GIVE_UP = """
    UPDATE webhook_deliveries SET status = 'failed', next_at = NULL, claimed_until = NULL,
        ended_at = now()
    WHERE webhook_id = $1::bigint AND status = 'pending'
"""
# With the mail to who created it.
DISABLE_WEBHOOK = f"""
    WITH disabled AS (
        UPDATE webhooks SET enabled = false, disabled_at = now(), disabled_reason = $4, {CLOSED}
        WHERE id = $1 AND enabled RETURNING id
    ), given_up AS (
        {GIVE_UP} AND EXISTS (SELECT FROM disabled)
    ), mail AS (
        INSERT INTO outbox ({OUTBOX_COLUMNS})
        SELECT $2::text, $3::text::jsonb FROM disabled WHERE $2::text IS NOT NULL
    )
    SELECT id FROM disabled
"""
# Those of an account that are enabled; with a moment, those that were created or changed since.
SELECT_ENABLED = f"""
    SELECT id FROM webhooks WHERE owner_id = $1 AND enabled
        AND ($2::timestamptz IS NULL OR id::text IN (
            SELECT target FROM audit_events
            WHERE actor = $1::text AND at >= $2 AND event IN (
                '{AuditKind.WEBHOOK_CREATED}', '{AuditKind.WEBHOOK_CHANGED}',
                '{AuditKind.WEBHOOK_SECRET_ROTATED}'
            )
        ))
"""
SELECT_LOG_END = f"""
    WITH noted AS (INSERT INTO changes (notice) VALUES ('{InvalidationKind.WEBHOOK}:'))
    SELECT ({LAST_EVENT}) AS last, {NOT_IN_LOG} AS known
"""
RETRY_DELIVERY = """
    UPDATE webhook_deliveries SET
        attempts = CASE status WHEN 'pending' THEN attempts ELSE 0 END, status = 'pending',
        next_at = date_trunc('milliseconds', now()), ended_at = NULL
    WHERE webhook_id = $1 AND id = $2 RETURNING id
"""
# Parameters: the webhook, and a moment.
REPLAY = """
    UPDATE webhook_deliveries SET attempts = 0, status = 'pending',
        next_at = date_trunc('milliseconds', now()), ended_at = NULL
    WHERE webhook_id = $1 AND status = 'failed' AND created_at >= $2::timestamptz
"""


async def lock_count(db: DatabaseSession, owner_id: int | None) -> int:
    """How many there are of the owner, which no other transaction changes meanwhile."""
    lock = func.pg_advisory_xact_lock(int(AdvisoryLock.WEBHOOKS))
    await db.execute(select(lock))
    count = select(func.count()).where(Webhook.owner_id.is_not_distinct_from(owner_id))
    return await db.scalar(count) or 0


async def add(db: DatabaseSession, webhook: Webhook) -> None:
    db.add(webhook)
    await begin(db, webhook)


async def begin(db: DatabaseSession, webhook: Webhook) -> None:
    """Its first event is the next one to be committed. Wakes what sends, in every process."""
    row = await db.fetchrow(SELECT_LOG_END)
    last, webhook.known = (row["last"] or 0, row["known"]) if row else (0, [])
    webhook.position = last
    if webhook.owner_id is not None:
        webhook.position, webhook.begins_after = BEYOND_ALL, last
    await db.flush()


async def webhooks_of(db: DatabaseSession, owner_id: int | None) -> Sequence[Webhook]:
    """Without an owner, those of the site."""
    found = select(Webhook).where(Webhook.owner_id.is_not_distinct_from(owner_id))
    return (await db.scalars(found.order_by(Webhook.id))).all()


async def enabled_of(db: Statements, owner_id: int, since: datetime | None) -> Sequence[int]:
    """Ids of the account's; with a moment only of those that were created or changed since."""
    return [row["id"] for row in await db.fetch(SELECT_ENABLED, owner_id, since)]


async def get(db: DatabaseSession, webhook_id: int, *, for_update: bool = False) -> Webhook | None:
    return await db.get(Webhook, webhook_id, with_for_update=for_update or None)


async def delete_webhook(db: DatabaseSession, webhook_id: int) -> bool:
    deleted = delete(Webhook).where(Webhook.id == webhook_id).returning(Webhook.id)
    return await db.scalar(deleted) is not None


async def give_up(db: Statements, webhook_id: int) -> None:
    """All that is pending."""
    await db.fetch(GIVE_UP, webhook_id)


async def deliveries(
    db: DatabaseSession,
    webhook_id: int,
    status: DeliveryStatus | None,
    limit: int,
    before: int | None,
) -> Paged[WebhookDelivery]:
    """The newest first."""
    found = select(WebhookDelivery).where(
        WebhookDelivery.webhook_id == webhook_id,
        WebhookDelivery.id < (before or BEYOND_ALL),
    )
    if status is not None:
        found = found.where(WebhookDelivery.status == status)
    found = found.order_by(WebhookDelivery.id.desc()).limit(limit + 1)
    return paged((await db.scalars(found)).all(), limit)


async def add_delivery(db: DatabaseSession, delivery: WebhookDelivery) -> None:
    db.add(delivery)
    await db.flush()


async def retry(db: Statements, webhook_id: int, delivery_id: int) -> bool:
    """Lets it begin anew, now; False if there is none with this id."""
    return await db.fetchval(RETRY_DELIVERY, webhook_id, delivery_id) is not None


async def replay(db: Statements, webhook_id: int, since: datetime) -> None:
    """Lets those that were queued since then and given up begin anew."""
    await db.fetch(REPLAY, webhook_id, since)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedDelivery(Claimed):
    webhook_id: int
    event_id: int
    type: str
    body: str
    message_id: UUID
    url: str
    owner_id: int | None
    creator_id: int | None
    # Encrypted.
    secret: bytes
    old_secret: bytes | None


async def fill(db: Statements, events: int, most_pending: int) -> Mapping[str, Any]:
    """Queues what is new in the log.

    `any_enabled` says whether there is a webhook to queue it for, `has_more` whether the log
    may have more events than so many.
    """
    row = await db.fetchrow(QUEUE_DELIVERIES, events, most_pending)
    assert row is not None  # noqa: S101 - the statement always has one
    return row


async def queue_for_accounts(db: Statements, events: range) -> None:
    """Queues the events for the webhooks of accounts that they concern."""
    await db.fetch(QUEUE_FOR_ACCOUNTS, events[0], events[-1])


async def claim(
    db: Statements, circuit: Circuit, *, room: int, seconds: float
) -> Sequence[ClaimedDelivery]:
    """What is due, as far as there is room at its receiver; no other worker gets it.

    The `room` is that for deliveries to accounts.
    """
    rows = await db.fetch(CLAIM_DELIVERIES, seconds, circuit.failures, room)
    return [ClaimedDelivery(**row) for row in rows]


async def delivered(
    db: Statements, delivery: ClaimedDelivery, status: int | None, body: str
) -> None:
    """Nothing if the claim has lapsed."""
    await db.fetch(RECORD_SUCCESS, *delivery.identity, delivery.webhook_id, status, body)


async def failed(
    db: Statements,
    delivery: ClaimedDelivery,
    status: int | None,
    body: str,
    circuit: Circuit,
    *,
    pause: float | None,
    hopeless_seconds: float,
) -> bool:
    """Whether the webhook has failed for so long. Without a `pause` the delivery is given up.

    Nothing if the claim has lapsed.
    """
    row = await db.fetchrow(
        RECORD_FAILURE,
        *delivery.identity,
        delivery.webhook_id,
        status,
        body,
        pause,
        *circuit,
        hopeless_seconds,
    )
    return row is not None and bool(row["is_hopeless"])


async def disable(
    db: Statements, webhook_id: int, reason: DisabledReason, mail: NewEntry | None
) -> bool:
    """With all that is pending given up; False if it was disabled before."""
    kind, payload = (None, None) if mail is None else (mail.kind, mail.payload_json)
    return await db.fetchrow(DISABLE_WEBHOOK, webhook_id, kind, payload, reason) is not None
