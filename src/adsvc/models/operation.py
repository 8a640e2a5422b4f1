"""The installation, its jobs, outbox and audit trail."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Index, Text, Uuid, func, text, true
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import MOMENT, Base, BigId, CreatedAt


class Installation(Base):
    """The one row whose id the image store bears too, so that neither meets a stranger."""

    __tablename__ = "installation"
    __table_args__ = (CheckConstraint("single", name="one_row"),)

    single: Mapped[bool] = mapped_column(primary_key=True, server_default=true())
    id: Mapped[UUID] = mapped_column(server_default=func.gen_random_uuid())
    # The newest migration that the oldest version knows which works on this schema.
    oldest_head: Mapped[str] = mapped_column(Text, server_default="0010")


class Job(Base):
    """What became of a regular job, whichever process has run it last."""

    __tablename__ = "jobs"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    began_at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    seconds: Mapped[float] = mapped_column(server_default="0")
    runs: Mapped[int] = mapped_column(BigInteger, server_default="0")
    failures: Mapped[int] = mapped_column(BigInteger, server_default="0")
    # When it last ended well.
    succeeded_at: Mapped[datetime | None] = mapped_column(MOMENT)


class OutboxEntry(Base):
    """Something to be done outside the database because a transaction was committed.

    It is written in that transaction. A worker deletes it when the work is done.
    """

    __tablename__ = "outbox"
    __table_args__ = (
        Index("ix_outbox_due", "not_before", "id", postgresql_where=text("dead_at IS NULL")),
        Index("ix_outbox_dead", "dead_at", "id", postgresql_where=text("dead_at IS NOT NULL")),
    )

    id: Mapped[BigId]
    # Which handler does it; a worker leaves alone what it does not know.
    kind: Mapped[str] = mapped_column(Text)
    payload: Mapped[dict[str, Any]] = mapped_column(JSONB)
    # The same at every attempt, so that the recipient recognises a second one.
    message_id: Mapped[UUID] = mapped_column(Uuid, server_default=func.gen_random_uuid())
    # Begun so far, but for those that do not count. Along with `not_before` it identifies a
    # worker's claim.
    attempts: Mapped[int] = mapped_column(server_default="0", default=0)
    # Until then it is not begun: it is claimed, or waits for its next attempt.
    not_before: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    created_at: Mapped[CreatedAt]
    # Since when it is a dead letter: it is not tried any more.
    dead_at: Mapped[datetime | None] = mapped_column(MOMENT)
    # Why the last attempt failed, for operators.
    error: Mapped[str | None] = mapped_column(Text)


class AuditEvent(Base):
    """What security has an interest in. It refers to nothing, and so outlives what it names."""

    __tablename__ = "audit_events"

    id: Mapped[BigId]
    at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.clock_timestamp(), index=True)
    event: Mapped[str] = mapped_column(Text)
    # Ids; but `operator` for a command, and the name of a limit.
    actor: Mapped[str | None] = mapped_column(Text)
    target: Mapped[str | None] = mapped_column(Text)
    ad_id: Mapped[int | None] = mapped_column(BigInteger)
    # Whose the target is, or was.
    owner_id: Mapped[int | None] = mapped_column(BigInteger)
    request_id: Mapped[str | None] = mapped_column(Text)
    address: Mapped[str | None] = mapped_column(Text)
    # How many of the same kind the process left out before this one.
    omitted: Mapped[int] = mapped_column(server_default="0", default=0)
