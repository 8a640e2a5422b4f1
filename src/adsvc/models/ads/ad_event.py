from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, Text, func, text
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.ads.ad import Ad
from adsvc.models.base import MOMENT, Base, BigId
from adsvc.models.user import User


class AdEvent(Base):
    """A step in an ad's life, written in the transaction that takes it."""

    __tablename__ = "ad_events"
    __table_args__ = (
        Index(None, "ad_id", "id"),
        Index(None, "actor_id", postgresql_where=text("actor_id IS NOT NULL")),
    )

    id: Mapped[BigId]
    ad_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(Ad.id, ondelete="CASCADE"))
    # Null for the clock, and for an account that was deleted.
    actor_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="SET NULL")
    )
    event: Mapped[str] = mapped_column(Text)
    # Null for a new ad.
    from_status: Mapped[str | None] = mapped_column(Text)
    to_status: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
