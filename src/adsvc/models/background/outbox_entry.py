from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, Text, Uuid, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import MOMENT, Base, BigId, CreatedAt


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
    # Begun so far, but for those that do not count. Along with `not_before` it tells a worker
    # whether the entry is still as it has claimed it.
    attempts: Mapped[int] = mapped_column(server_default="0", default=0)
    # Until then it is not begun: it is claimed, or waits for its next attempt.
    not_before: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    created_at: Mapped[CreatedAt]
    # Since when nobody tries any more.
    dead_at: Mapped[datetime | None] = mapped_column(MOMENT)
    # Why the last attempt failed, for operators.
    error: Mapped[str | None] = mapped_column(Text)
