"""Cases, reports and decisions."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ForeignKey,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.enums import CaseStatus
from adsvc.models.accounts import AccountId, LinkedAccountId
from adsvc.models.ads import AdId
from adsvc.models.base import Base, BigId, CreatedAt


class Case(Base):
    """A reported thing with all its reports. It outlives the thing, but not its author."""

    __tablename__ = "cases"

    id: Mapped[BigId]
    kind: Mapped[str]
    # The ad, the comment, the message or the rating; it may have been deleted.
    target_id: Mapped[int] = mapped_column(BigInteger)
    # The ad itself, or that of the comment, the conversation or the deal.
    ad_id: Mapped[int] = mapped_column(BigInteger)
    # Null for a rating whose author was deleted before it was reported.
    author_id: Mapped[AccountId | None]
    status: Mapped[str] = mapped_column(default=CaseStatus.OPEN)
    # The number of reports that count: one for each account, a day old and not suspended.
    reports: Mapped[int] = mapped_column(default=0)
    # The thing when it was first reported: `schemas.moderation.Snapshot`.
    snapshot: Mapped[dict[str, Any]] = mapped_column(JSONB)
    created_at: Mapped[CreatedAt]
    # When its status last changed. Retention counts from then.
    changed_at: Mapped[datetime]


class Report(Base):
    __tablename__ = "reports"

    id: Mapped[BigId]
    case_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(Case.id, ondelete="CASCADE"))
    # Null if that account was deleted.
    reporter_id: Mapped[LinkedAccountId | None]
    reason: Mapped[str]
    text: Mapped[str]
    at: Mapped[datetime]
    # Whether it is one of the case's `reports`.
    counts: Mapped[bool] = mapped_column(default=False)
    # The thing at that time, if it differed from the case's snapshot.
    snapshot: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))


class Decision(Base):
    """A decision about an account or what it published, with its reasons."""

    __tablename__ = "decisions"

    id: Mapped[BigId]
    at: Mapped[datetime]
    # Null for an administrator's decision about an account, made without a report.
    case_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey(Case.id, ondelete="CASCADE"))
    # The account concerned; null as the author of the case.
    user_id: Mapped[AccountId | None]
    # The account that decided; null if it was deleted.
    actor_id: Mapped[LinkedAccountId | None]
    action: Mapped[str]
    # Null where nothing is restricted.
    ground: Mapped[str | None]
    reference: Mapped[str] = mapped_column(default="")
    explanation: Mapped[str] = mapped_column(default="")
    # The end of an account's suspension; null means without end.
    until: Mapped[datetime | None]
    # The decision that it undoes.
    undoes_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("decisions.id", ondelete="SET NULL")
    )
    # When it ended: it was undone, or another one replaced it.
    ended_at: Mapped[datetime | None]
    appealed_at: Mapped[datetime | None]
    appeal: Mapped[str | None]
    # It decides an appeal, and excludes another one.
    final: Mapped[bool] = mapped_column(default=False)


class RemovedComment(Base):
    """A removed comment with its original id, while its removal can be undone."""

    __tablename__ = "removed_comments"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    ad_id: Mapped[AdId]
    author_id: Mapped[AccountId]
    text: Mapped[str]
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[datetime]
    removed_at: Mapped[datetime]
