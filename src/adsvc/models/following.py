"""What people follow, and what they are notified of."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, Text, UniqueConstraint, false, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.accounts import User
from adsvc.models.base import MOMENT, Base, BigId


class Favorite(Base):
    """An ad that an account keeps. It stays when the ad is gone, until the account removes it.

    So the ad is no foreign key: its deletion takes as long with 100,000 watchers as with none.
    """

    __tablename__ = "favorites"
    __table_args__ = (
        UniqueConstraint("user_id", "ad_id"),
        # An account's, newest first; and the watchers of an ad, in batches.
        Index(None, "user_id", "id"),
        Index(None, "ad_id", "id"),
    )

    id: Mapped[BigId]
    user_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(User.id, ondelete="CASCADE"))
    ad_id: Mapped[int] = mapped_column(BigInteger)
    added_at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.clock_timestamp())
    # When it was added.
    price: Mapped[int]
    # When its account last got a notice of a lower price.
    price_noticed_at: Mapped[datetime | None] = mapped_column(MOMENT)


class FavoriteTotal(Base):
    """How many accounts keep an ad. Triggers keep it; there is no row for 0."""

    __tablename__ = "favorite_totals"

    ad_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    favorites: Mapped[int] = mapped_column(BigInteger)


class Notification(Base):
    """What an account sees in its centre of notifications.

    A trigger notes `notification:ACCOUNT` for each row that is added or changed.
    """

    __tablename__ = "notifications"
    __table_args__ = (
        Index(None, "user_id", "id"),
        Index("ix_notifications_unread", "user_id", "id", postgresql_where=text("NOT read")),
        Index(None, "at"),
    )

    id: Mapped[BigId]
    user_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(User.id, ondelete="CASCADE"))
    # A `NotificationType`.
    type: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    read: Mapped[bool] = mapped_column(server_default=false(), default=False)
    # What it is about, each null if it is about something else. The thing may be gone.
    ad_id: Mapped[int | None] = mapped_column(BigInteger)
    search_id: Mapped[int | None] = mapped_column(BigInteger)
    conversation_id: Mapped[int | None] = mapped_column(BigInteger)
    decision_id: Mapped[int | None] = mapped_column(BigInteger)
    # `priceDropped`: `from`, `to`. `searchMatched`: `name`, `count` and `ads`, a list of ids.
    data: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'"))


class Preference(Base):
    """Which notifications an account wants, and how; no row for the usual."""

    __tablename__ = "preferences"

    user_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    # By type and way, only what was chosen: `{"message": {"mail": false}}`.
    ways: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'"))
