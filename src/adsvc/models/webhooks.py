"""Webhooks, and what is sent to them."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.enums import DeliveryStatus
from adsvc.models.accounts import AccountId, LinkedAccountId
from adsvc.models.base import Base, BigId, CreatedAt


class Webhook(Base):
    """An address that events are sent to: those of the site, or those that concern its owner."""

    __tablename__ = "webhooks"

    id: Mapped[BigId]
    url: Mapped[str]
    types: Mapped[list[str]] = mapped_column(ARRAY(Text))
    description: Mapped[str] = mapped_column(default="")
    enabled: Mapped[bool] = mapped_column(default=True)
    # Who gets the mail when it is disabled; null when that account was deleted.
    creator_id: Mapped[LinkedAccountId | None]
    # The account whose it is; null for one of the site.
    owner_id: Mapped[AccountId | None]
    created_at: Mapped[CreatedAt]
    # A `DisabledReason`. Both are null while it is enabled.
    disabled_at: Mapped[datetime | None]
    disabled_reason: Mapped[str | None]
    # Encrypted: `services.webhooks.WebhookSecrets`.
    secret: Mapped[bytes]
    # The one before, which signs too until that time.
    old_secret: Mapped[bytes | None]
    old_secret_until: Mapped[datetime | None]
    # The last event of the log that was looked at for it. Of an account's it is beyond all events:
    # 0.3.0 would send it those of the site. One step queues for all of these.
    position: Mapped[int] = mapped_column(BigInteger, default=0)
    # Of an account's: the last event before it began.
    begins_after: Mapped[int | None] = mapped_column(BigInteger)
    # Ids of changes that were committed before it began, and reached the log later.
    known: Mapped[list[int]] = mapped_column(ARRAY(BigInteger), default=list)
    # Failed attempts since the last one that succeeded, and since when there are some.
    failures: Mapped[int] = mapped_column(default=0)
    failing_since: Mapped[datetime | None]
    # Until then no attempt begins: the circuit is open.
    paused_until: Mapped[datetime | None]


class WebhookDelivery(Base):
    """An event for one webhook, with what became of it."""

    __tablename__ = "webhook_deliveries"

    id: Mapped[BigId]
    webhook_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(Webhook.id, ondelete="CASCADE"))
    # 0 for a test.
    event_id: Mapped[int] = mapped_column(BigInteger)
    type: Mapped[str]
    # As it is sent, at each attempt: the event, as JSON.
    body: Mapped[str]
    # Of the header `webhook-id`. It follows from webhook and event, so that an event that is queued
    # again after a restore has the same.
    message_id: Mapped[UUID]
    status: Mapped[str] = mapped_column(default=DeliveryStatus.PENDING)
    # Begun so far. Along with `claimed_until` it identifies a worker's claim.
    attempts: Mapped[int] = mapped_column(default=0)
    # When the next attempt may begin; null if there is none.
    next_at: Mapped[datetime | None]
    # Until then an attempt is under way.
    claimed_until: Mapped[datetime | None]
    # Of the last answer's HTTP status; null without an answer.
    last_status: Mapped[int | None]
    # Of the last attempt: when it began, how long it took, and the beginning of the answer.
    attempted_at: Mapped[datetime | None]
    milliseconds: Mapped[int | None]
    answer: Mapped[str | None]
    created_at: Mapped[CreatedAt]
    # When it was delivered or given up.
    ended_at: Mapped[datetime | None]
