from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    Text,
    UniqueConstraint,
    false,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import MOMENT, Base, BigId
from adsvc.models.user import User


class CaseStatus(StrEnum):
    OPEN = "open"
    DECIDED = "decided"
    APPEALED = "appealed"


class CaseKind(StrEnum):
    AD = "ad"
    COMMENT = "comment"


class ReportReason(StrEnum):
    SCAM = "scam"
    PROHIBITED = "prohibited"
    DUPLICATE = "duplicate"
    CATEGORY = "category"
    OFFENSIVE = "offensive"
    PERSONAL_DATA = "personalData"
    OTHER = "other"


class Case(Base):
    """One thing that was reported, by however many. It outlives the thing, but not its author."""

    __tablename__ = "cases"
    __table_args__ = (
        UniqueConstraint("kind", "target_id"),
        # The queue: the most reported first.
        Index("ix_cases_queue", "status", text("(- reports)"), "id"),
        CheckConstraint("kind IN ('ad', 'comment')", name="kind"),
        CheckConstraint("status IN ('open', 'decided', 'appealed')", name="status"),
    )

    id: Mapped[BigId]
    kind: Mapped[str] = mapped_column(Text)
    # The ad, or the comment; either may be gone.
    target_id: Mapped[int] = mapped_column(BigInteger)
    # The ad itself, or that of the comment.
    ad_id: Mapped[int] = mapped_column(BigInteger)
    author_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    status: Mapped[str] = mapped_column(
        Text, server_default=CaseStatus.OPEN, default=CaseStatus.OPEN
    )
    # Of accounts in good standing; an account counts once.
    reports: Mapped[int] = mapped_column(server_default="0", default=0)
    # The thing when it was first reported: `schemas.moderation.cases.Snapshot`.
    snapshot: Mapped[dict[str, Any]] = mapped_column(JSONB)
    created_at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    # When it last changed its status; what has been decided for long is deleted by it.
    changed_at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now(), index=True)


class Report(Base):
    __tablename__ = "reports"
    __table_args__ = (UniqueConstraint("case_id", "reporter_id"),)

    id: Mapped[BigId]
    case_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(Case.id, ondelete="CASCADE"))
    # Null when that account was deleted.
    reporter_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="SET NULL"), index=True
    )
    reason: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    # Whether it is one of the case's `reports`.
    counts: Mapped[bool] = mapped_column(server_default=false(), default=False)
    # The thing as it was then, where it was not as in the case's snapshot.
    snapshot: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
