from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, ForeignKey, Index, Text, false, func, text
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.ads.ad import Ad
from adsvc.models.base import MOMENT, Base, BigId
from adsvc.models.moderation.case import Case
from adsvc.models.user import User


class DecisionAction(StrEnum):
    DISMISS = "dismiss"
    SUSPEND_AD = "suspendAd"
    REMOVE_AD = "removeAd"
    REMOVE_COMMENT = "removeComment"
    SUSPEND_ACCOUNT = "suspendAccount"
    # What undoes one of the others.
    RESTORE = "restore"


class DecisionGround(StrEnum):
    LAW = "law"
    TERMS = "terms"


class Decision(Base):
    """A statement of reasons: what was decided about something of somebody, and why."""

    __tablename__ = "decisions"
    __table_args__ = (
        Index(None, "user_id", "id"),
        Index("ix_decisions_actor_id", "actor_id", postgresql_where=text("actor_id IS NOT NULL")),
    )

    id: Mapped[BigId]
    at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    # Null for what an administrator decided about an account without a report.
    case_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(Case.id, ondelete="CASCADE"), index=True
    )
    # The one concerned.
    user_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(User.id, ondelete="CASCADE"))
    # Who decided; null when that account was deleted.
    actor_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="SET NULL")
    )
    action: Mapped[str] = mapped_column(Text)
    # Null where nothing is restricted.
    ground: Mapped[str | None] = mapped_column(Text)
    reference: Mapped[str] = mapped_column(Text, server_default="", default="")
    explanation: Mapped[str] = mapped_column(Text, server_default="", default="")
    # Of a suspended account; null for ever.
    until: Mapped[datetime | None] = mapped_column(MOMENT)
    # The one that it undoes.
    undoes_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("decisions.id", ondelete="SET NULL"), index=True
    )
    # Since when it does not hold any more: it was undone, or another came in its place.
    ended_at: Mapped[datetime | None] = mapped_column(MOMENT)
    appealed_at: Mapped[datetime | None] = mapped_column(MOMENT)
    appeal: Mapped[str | None] = mapped_column(Text)
    # It was made upon an appeal, and there is no other.
    final: Mapped[bool] = mapped_column(server_default=false(), default=False)


class RemovedComment(Base):
    """A comment that was removed, with its own id, while that can be undone."""

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
