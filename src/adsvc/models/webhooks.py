"""Webhooks, and what is sent to them."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    Text,
    Uuid,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.enums import DeliveryStatus
from adsvc.models.accounts import User
from adsvc.models.base import MOMENT, Base, BigId, CreatedAt


class Webhook(Base):
    """An address that events are sent to: those of the site, or those that concern its owner."""

    __tablename__ = "webhooks"

    id: Mapped[BigId]
    url: Mapped[str] = mapped_column(Text)
    types: Mapped[list[str]] = mapped_column(ARRAY(Text))
    description: Mapped[str] = mapped_column(Text, server_default="", default="")
    enabled: Mapped[bool] = mapped_column(server_default=true(), default=True)
    # Who gets the mail when it is disabled; null when that account was deleted.
    creator_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="SET NULL"), index=True
    )
    # The account whose it is; null for one of the site.
    owner_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    created_at: Mapped[CreatedAt]
    # A `DisabledReason`. Both are null while it is enabled.
    disabled_at: Mapped[datetime | None] = mapped_column(MOMENT)
    disabled_reason: Mapped[str | None] = mapped_column(Text)
    # Encrypted: `services.webhooks.WebhookSecrets`.
    secret: Mapped[bytes] = mapped_column(LargeBinary)
    # The one before, which signs too until that time.
    old_secret: Mapped[bytes | None] = mapped_column(LargeBinary)
    old_secret_until: Mapped[datetime | None] = mapped_column(MOMENT)
    # The last event of the log that was looked at for it. Of an account's it is beyond all events:
    # 0.3.0 would send it those of the site. One step queues for all of these.
    position: Mapped[int] = mapped_column(BigInteger, server_default="0", default=0)
    # Of an account's: the last event before it began.
    begins_after: Mapped[int | None] = mapped_column(BigInteger)
    # Ids of changes that were committed before it began, and reached the log later.
    known: Mapped[list[int]] = mapped_column(ARRAY(BigInteger), server_default="{}", default=list)
    # Failed attempts since the last one that succeeded, and since when there are some.
    failures: Mapped[int] = mapped_column(server_default="0", default=0)
    failing_since: Mapped[datetime | None] = mapped_column(MOMENT)
    # Until then no attempt begins: the circuit is open.
    paused_until: Mapped[datetime | None] = mapped_column(MOMENT)


class WebhookDelivery(Base):
    """An event for one webhook, with what became of it."""

    __tablename__ = "webhook_deliveries"
    __table_args__ = (
        CheckConstraint("status IN ('pending', 'delivered', 'failed')", name="status"),
        # An event of the log is queued once, whatever happens to who queues it.
        Index(
            "uq_webhook_deliveries_event",
            "webhook_id",
            "event_id",
            unique=True,
            postgresql_where=text("event_id > 0"),
        ),
        Index(None, "webhook_id", "id"),
        Index(
            "ix_webhook_deliveries_due",
            "webhook_id",
            "next_at",
            "id",
            postgresql_where=text("status = 'pending'"),
        ),
        Index(
            "ix_webhook_deliveries_claimed",
            "webhook_id",
            postgresql_where=text("claimed_until IS NOT NULL"),
        ),
        Index(
            "ix_webhook_deliveries_failed",
            "webhook_id",
            "id",
            postgresql_where=text("status = 'failed'"),
        ),
        Index(
            "ix_webhook_deliveries_ended",
            "ended_at",
            "id",
            postgresql_where=text("ended_at IS NOT NULL"),
        ),
    )

    id: Mapped[BigId]
    webhook_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(Webhook.id, ondelete="CASCADE"))
    # 0 for a test.
    event_id: Mapped[int] = mapped_column(BigInteger)
    type: Mapped[str] = mapped_column(Text)
    # As it is sent, at each attempt: the event, as JSON.
    body: Mapped[str] = mapped_column(Text)
    # Of the header `webhook-id`. It follows from webhook and event, so that an event that is queued
    # again after a restore has the same.
    message_id: Mapped[UUID] = mapped_column(Uuid)
    status: Mapped[str] = mapped_column(
        Text, server_default=DeliveryStatus.PENDING, default=DeliveryStatus.PENDING
    )
    # Begun so far. Along with `claimed_until` it identifies a worker's claim.
    attempts: Mapped[int] = mapped_column(server_default="0", default=0)
    # When the next attempt may begin; null if there is none.
    next_at: Mapped[datetime | None] = mapped_column(MOMENT)
    # Until then an attempt is under way.
    claimed_until: Mapped[datetime | None] = mapped_column(MOMENT)
    # Of the last answer's HTTP status; null without an answer.
    last_status: Mapped[int | None]
    # Of the last attempt: when it began, how long it took, and the beginning of the answer.
    attempted_at: Mapped[datetime | None] = mapped_column(MOMENT)
    milliseconds: Mapped[int | None]
    answer: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[CreatedAt]
    # When it was delivered or given up.
    ended_at: Mapped[datetime | None] = mapped_column(MOMENT)
