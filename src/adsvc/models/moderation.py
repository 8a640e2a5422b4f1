"""Cases, reports and decisions."""

from datetime import datetime
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

from adsvc.enums import CaseStatus
from adsvc.models.accounts import User
from adsvc.models.ads import Ad
from adsvc.models.base import MOMENT, Base, BigId


class Case(Base):
    """A reported thing with all its reports. It outlives the thing, but not its author."""

    __tablename__ = "cases"
    __table_args__ = (
        UniqueConstraint("kind", "target_id"),
        # The queue: the most reported first.
        Index("ix_cases_queue", "status", text("(- reports)"), "id"),
        CheckConstraint("kind IN ('ad', 'comment', 'message', 'rating')", name="kind"),
        CheckConstraint("status IN ('open', 'decided', 'appealed')", name="status"),
    )

    id: Mapped[BigId]
    kind: Mapped[str] = mapped_column(Text)
    # The ad, the comment, the message or the rating; it may have been deleted.
    target_id: Mapped[int] = mapped_column(BigInteger)
    # The ad itself, or that of the comment, the conversation or the deal.
    ad_id: Mapped[int] = mapped_column(BigInteger)
    # Null for a rating whose author was deleted before it was reported.
    author_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    status: Mapped[str] = mapped_column(
        Text, server_default=CaseStatus.OPEN, default=CaseStatus.OPEN
    )
    # The number of reports that count: one for each account, a day old and not suspended.
    reports: Mapped[int] = mapped_column(server_default="0", default=0)
    # The thing when it was first reported: `schemas.moderation.Snapshot`.
    snapshot: Mapped[dict[str, Any]] = mapped_column(JSONB)
    created_at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    # When its status last changed. Retention counts from then.
    changed_at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now(), index=True)


class Report(Base):
    __tablename__ = "reports"
    __table_args__ = (UniqueConstraint("case_id", "reporter_id"),)

    id: Mapped[BigId]
    case_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(Case.id, ondelete="CASCADE"))
    # Null if that account was deleted.
    reporter_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="SET NULL"), index=True
    )
    reason: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    # Whether it is one of the case's `reports`.
    counts: Mapped[bool] = mapped_column(server_default=false(), default=False)
    # The thing at that time, if it differed from the case's snapshot.
    snapshot: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))


class Decision(Base):
    """A decision about an account or what it published, with its reasons."""

    __tablename__ = "decisions"
    __table_args__ = (
        Index(None, "user_id", "id"),
        Index("ix_decisions_actor_id", "actor_id", postgresql_where=text("actor_id IS NOT NULL")),
    )

    id: Mapped[BigId]
    at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    # Null for an administrator's decision about an account, made without a report.
    case_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(Case.id, ondelete="CASCADE"), index=True
    )
    # The account concerned; null as the author of the case.
    user_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey(User.id, ondelete="CASCADE"))
    # The account that decided; null if it was deleted.
    actor_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="SET NULL")
    )
    action: Mapped[str] = mapped_column(Text)
    # Null where nothing is restricted.
    ground: Mapped[str | None] = mapped_column(Text)
    reference: Mapped[str] = mapped_column(Text, server_default="", default="")
    explanation: Mapped[str] = mapped_column(Text, server_default="", default="")
    # The end of an account's suspension; null means without end.
    until: Mapped[datetime | None] = mapped_column(MOMENT)
    # The decision that it undoes.
    undoes_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("decisions.id", ondelete="SET NULL"), index=True
    )
    # When it ended: it was undone, or another one replaced it.
    ended_at: Mapped[datetime | None] = mapped_column(MOMENT)
    appealed_at: Mapped[datetime | None] = mapped_column(MOMENT)
    appeal: Mapped[str | None] = mapped_column(Text)
    # It decides an appeal, and excludes another one.
    final: Mapped[bool] = mapped_column(server_default=false(), default=False)


class RemovedComment(Base):
    """A removed comment with its original id, while its removal can be undone."""

    __tablename__ = "removed_comments"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    ad_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(Ad.id, ondelete="CASCADE"), index=True
    )
    author_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    text: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(MOMENT)
    updated_at: Mapped[datetime] = mapped_column(MOMENT)
    removed_at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now(), index=True)
