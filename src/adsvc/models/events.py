"""The log of events: what triggers write, and what the sequencer makes of it."""

import re
from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Identity, Index, Text, func, text, true
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import MOMENT, Base


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
