"""Webhooks; the queue of what is to be sent to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, select

from adsvc.db.engine import DatabaseSession
from adsvc.db.statements import Row, Statements
from adsvc.enums import AdvisoryLock, DeliveryStatus
from adsvc.invalidation import InvalidationKind
from adsvc.models import Webhook, WebhookDelivery
from adsvc.repositories.deliveries import CLOSED, Circuit, Claimed, after_failure, has_failed_for
from adsvc.repositories.events import LAST_EVENT, NOT_IN_LOG
from adsvc.repositories.outbox import OUTBOX_COLUMNS, NewEntry
from adsvc.repositories.paging import BEYOND_ALL, Paged, paged

# The record `schemas.events.Event`.
BODY = """
    json_build_object(
        'id', event_id, 'type', type, 'at', (extract(epoch FROM at) * 1000)::bigint,
        'ad', ad_id, 'user', user_id, 'data', data
    )::text
"""

# Webhooks whose queue is full wait: the log is the rest of the queue. Parameters: how many events
# of the log are looked at for each, and how many deliveries may be pending.
QUEUE_DELIVERIES = f"""
    WITH webhook AS MATERIALIZED (
        SELECT id, types, position, known FROM webhooks
        WHERE enabled AND position < ({LAST_EVENT}) AND (
            SELECT count(*) FROM (
                SELECT FROM webhook_deliveries
                WHERE webhook_id = webhooks.id AND status = 'pending' LIMIT $2::int
            ) AS pending
        ) < $2::int
        FOR NO KEY UPDATE SKIP LOCKED
    ), event AS MATERIALIZED (
        SELECT webhook.id AS webhook_id, types, known, found.*
        FROM webhook CROSS JOIN LATERAL (
            SELECT id AS event_id, at, type, ad_id, user_id, data, change_id FROM events
            WHERE id > position ORDER BY id LIMIT $1::int
        ) AS found
    ), queued AS (
        INSERT INTO webhook_deliveries (webhook_id, event_id, type, body, message_id, next_at)
        SELECT webhook_id, event_id, type, {BODY},
            md5(concat_ws(
                ':', webhook_id, event_id, extract(epoch FROM at), type, ad_id, user_id
            ))::uuid,
            -- Not rounded up, which would be a moment ahead.
            date_trunc('milliseconds', now())
        FROM event WHERE type = ANY (types) AND (change_id = ANY (known)) IS NOT TRUE
        ORDER BY event_id
        ON CONFLICT DO NOTHING
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
# Parameters: how many seconds a claim lasts, and how many failures open the circuit.
CLAIM_DELIVERIES = f"""
    WITH webhook AS MATERIALIZED (
        SELECT id, url, creator_id, secret, failures,
            CASE WHEN old_secret_until > now() THEN old_secret END AS old_secret
        FROM webhooks
        WHERE enabled AND (paused_until IS NULL OR paused_until <= now()) AND EXISTS (
            SELECT FROM webhook_deliveries WHERE webhook_id = webhooks.id AND {DUE}
        )
        FOR NO KEY UPDATE SKIP LOCKED
    ), due AS MATERIALIZED (
        SELECT delivery.id AS delivery_id, webhook.* FROM webhook CROSS JOIN LATERAL (
            SELECT id FROM webhook_deliveries
            WHERE webhook_id = webhook.id AND {DUE}
            ORDER BY next_at, id
            LIMIT greatest(0, CASE WHEN failures >= $2::int THEN 1 ELSE 2 END - (
                SELECT count(*) FROM webhook_deliveries
                WHERE webhook_id = webhook.id AND claimed_until > now()
            ))
        ) AS delivery
    )
    UPDATE webhook_deliveries AS claimed
    SET attempts = attempts + 1, claimed_until = now() + make_interval(secs => $1::float8)
    FROM due
    -- Of two processes at once, the second finds what the first has made of the row.
    WHERE claimed.id = delivery_id AND {DUE}
    RETURNING claimed.id, claimed.webhook_id, claimed.event_id, claimed.type, claimed.body,
        claimed.message_id, claimed.attempts, claimed.claimed_until, due.url, due.creator_id,
        due.secret, due.old_secret
"""
# What changes a webhook and its deliveries locks the webhook first.
IS_CLAIMED = """
    id = $1 AND attempts = $2 AND claimed_until = $3 AND (SELECT count(*) FROM locked) >= 0
"""
RECORD_SUCCESS = f"""
    WITH locked AS MATERIALIZED (
        SELECT id FROM webhooks WHERE id = $4 AND failures > 0 FOR NO KEY UPDATE
    ), delivered AS (
        UPDATE webhook_deliveries SET status = 'delivered', last_status = $5::int, next_at = NULL,
            claimed_until = NULL, ended_at = now()
        WHERE {IS_CLAIMED} RETURNING webhook_id
    )
    UPDATE webhooks SET {CLOSED}
    FROM delivered JOIN locked ON locked.id = webhook_id WHERE webhooks.id = webhook_id
"""
# Parameters: the status of the answer, the seconds until the next attempt if there is one; how many
# failures open the circuit, for how many seconds at first and at most; and the seconds of failure
# after which it is hopeless.
RECORD_FAILURE = f"""
    WITH locked AS MATERIALIZED (
        SELECT id FROM webhooks WHERE id = $4 FOR NO KEY UPDATE
    ), failed AS (
        UPDATE webhook_deliveries SET last_status = $5::int, claimed_until = NULL,
            status = CASE WHEN $6::float8 IS NULL THEN 'failed' ELSE 'pending' END,
            next_at = now() + make_interval(secs => $6::float8),
            ended_at = CASE WHEN $6::float8 IS NULL THEN now() END
        WHERE {IS_CLAIMED} RETURNING webhook_id
    )
    UPDATE webhooks SET {after_failure("$7", "$8", "$9")}
    FROM failed WHERE webhooks.id = webhook_id
    RETURNING {has_failed_for("$10")} AS is_hopeless
"""
GIVE_UP = """
    UPDATE webhook_deliveries SET status = 'failed', next_at = NULL, claimed_until = NULL,
        ended_at = now()
    WHERE webhook_id = $1::bigint AND status = 'pending'
"""
# With the mail to who created it.
DISABLE_WEBHOOK = f"""
    WITH disabled AS (
        UPDATE webhooks SET enabled = false, {CLOSED}
        WHERE id = $1 AND enabled RETURNING id
    ), given_up AS (
        {GIVE_UP} AND EXISTS (SELECT FROM disabled)
    ), mail AS (
        INSERT INTO outbox ({OUTBOX_COLUMNS})
        SELECT $2::text, $3::text::jsonb FROM disabled WHERE $2::text IS NOT NULL
    )
    SELECT id FROM disabled
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
DELETE_ENDED = """
    WITH deleted AS (
        DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
            SELECT id FROM webhook_deliveries
            WHERE ended_at < now() - make_interval(days => $1::int)
            ORDER BY ended_at, id LIMIT 5000
        )) RETURNING TRUE
    )
    SELECT count(*)::int AS deleted FROM deleted
"""


async def lock_count(db: DatabaseSession) -> int:
    """How many there are, which no other transaction changes meanwhile."""
    lock = func.pg_advisory_xact_lock(int(AdvisoryLock.WEBHOOKS))
    await db.execute(select(lock))
    return await db.scalar(select(func.count()).select_from(Webhook)) or 0


async def add(db: DatabaseSession, webhook: Webhook) -> None:
    db.add(webhook)
    await begin(db, webhook)


async def begin(db: DatabaseSession, webhook: Webhook) -> None:
    """Its first event is the next one to be committed. Wakes what sends, in every process."""
    row = await db.fetchrow(SELECT_LOG_END)
    webhook.position, webhook.known = (row["last"] or 0, row["known"]) if row else (0, [])
    await db.flush()


async def all_webhooks(db: DatabaseSession) -> Sequence[Webhook]:
    return (await db.scalars(select(Webhook).order_by(Webhook.id))).all()


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedDelivery(Claimed):
    webhook_id: int
    event_id: int
    type: str
    body: str
    message_id: UUID
    url: str
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


async def claim(db: Statements, circuit: Circuit, *, seconds: float) -> Sequence[ClaimedDelivery]:
    """What is due, as far as there is room at its receiver; no other worker gets it."""
    rows = await db.fetch(CLAIM_DELIVERIES, seconds, circuit.failures)
    return [ClaimedDelivery(**row) for row in rows]


async def delivered(db: Statements, delivery: ClaimedDelivery, status: int | None) -> None:
    """Nothing if the claim has lapsed."""
    await db.fetch(RECORD_SUCCESS, *delivery.identity, delivery.webhook_id, status)


async def failed(
    db: Statements,
    delivery: ClaimedDelivery,
    status: int | None,
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
        pause,
        *circuit,
        hopeless_seconds,
    )
    return row is not None and bool(row["is_hopeless"])


async def disable(db: Statements, webhook_id: int, mail: NewEntry | None) -> bool:
    """With all that is pending given up; False if it was disabled before."""
    kind, payload = (None, None) if mail is None else (mail.kind, mail.payload_json)
    return await db.fetchrow(DISABLE_WEBHOOK, webhook_id, kind, payload) is not None


async def delete_ended(db: Statements, days: int) -> int:
    """Deletes what ended so long ago, at most 5000, and returns how many."""
    row: Row | None = await db.fetchrow(DELETE_ENDED, days)
    return 0 if row is None else int(row["deleted"])
