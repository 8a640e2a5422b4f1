"""The log of events: what triggers write, what the sequencer makes of it, and webhooks."""

import re
from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Identity,
    Index,
    LargeBinary,
    Text,
    Uuid,
    func,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.enums import DeliveryStatus
from adsvc.models.accounts import User
from adsvc.models.base import MOMENT, Base, BigId, CreatedAt


class ChangeEntry(Base):
    """A change that is not in the log yet, in the transaction that made it.

    In the order in which changes of one thing were made: a later one waits for the row, and so has
    a greater id. Rows are deleted after the sequencer has moved them.
    """

    __tablename__ = "changes"
    __table_args__ = (
        Index(None, "xid"),
        {
            "postgresql_with": {
                "autovacuum_vacuum_scale_factor": 0,
                "autovacuum_vacuum_threshold": 10_000,
            }
        },
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    # Of the transaction. Snapshots say which have ended (PostgreSQL's manual, "Transaction ID and
    # Snapshot Information").
    xid: Mapped[int] = mapped_column(
        BigInteger, server_default=text("pg_current_xact_id()::text::bigint")
    )
    at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.clock_timestamp())
    # What caches have to drop: see `adsvc.invalidation`.
    notice: Mapped[str | None] = mapped_column(Text)
    # Of the event; null if it is none.
    type: Mapped[str | None] = mapped_column(Text)
    ad_id: Mapped[int | None] = mapped_column(BigInteger)
    user_id: Mapped[int | None] = mapped_column(BigInteger)
    data: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))


class Event(Base):
    """In the order of commits, with ids that leave no gap. It has a partition for each day."""

    __tablename__ = "events"
    __table_args__ = ({"postgresql_partition_by": "RANGE (day)"},)

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    # On which it was moved here (UTC).
    day: Mapped[date] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(MOMENT)
    # `adsvc.enums.EventType`
    type: Mapped[str] = mapped_column(Text)
    ad_id: Mapped[int | None] = mapped_column(BigInteger)
    # Whose thing it is.
    user_id: Mapped[int | None] = mapped_column(BigInteger)
    data: Mapped[dict[str, Any]] = mapped_column(JSONB)
    # The row of `changes`.
    change_id: Mapped[int | None] = mapped_column(BigInteger)


def is_partition(table: str | None) -> bool:
    """Whether a table is a day of `events`. The sequencer makes them, no migration."""
    return table is not None and re.fullmatch(r"events_\d{8}", table) is not None


class EventBatch(Base):
    """What the sequencer moved at once. Only the last one counts; others are deleted."""

    __tablename__ = "event_batches"

    # Without gaps: a process that misses one drops everything it has cached.
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    last_event_id: Mapped[int] = mapped_column(BigInteger)
    # What the sequencer saw. The next batch is what was committed since.
    snapshot: Mapped[str] = mapped_column(Text)


class EventLog(Base):
    """The one row that identifies the log."""

    __tablename__ = "event_log"
    __table_args__ = (CheckConstraint("single", name="one_row"),)

    single: Mapped[bool] = mapped_column(primary_key=True, server_default=true())
    # Another one after a restore, so that cursors from before it are not valid any more.
    epoch: Mapped[UUID] = mapped_column(server_default=func.gen_random_uuid())


class Consumer(Base):
    """A step of the worker that follows the log of events: `worker.consumers`."""

    __tablename__ = "consumers"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    # The last event that it has handled.
    position: Mapped[int] = mapped_column(BigInteger)


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
