"""Deals, what the two parties say of each other afterwards, and figures for sellers."""

from datetime import date, datetime

from sqlalchemy import (
    ARRAY,
    BigInteger,
    CheckConstraint,
    Date,
    ForeignKey,
    Index,
    SmallInteger,
    Text,
    UniqueConstraint,
    false,
    func,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.invalidation import InvalidationKind
from adsvc.models.accounts import User
from adsvc.models.ads import Ad
from adsvc.models.base import MOMENT, Base, BigId


class Deal(Base):
    """The sale of an ad to an account. It outlives the ad, and both accounts but one."""

    __tablename__ = "deals"
    __table_args__ = (
        Index(None, "buyer_id", "id"),
        Index(None, "seller_id", "id"),
        Index("ix_deals_reminders", "at", postgresql_where=text("NOT reminded")),
    )

    id: Mapped[BigId]
    # There is no foreign key: the deal outlives the ad. An ad is sold once.
    ad_id: Mapped[int] = mapped_column(BigInteger, unique=True)
    # The ad's title and price then.
    title: Mapped[str] = mapped_column(Text)
    price: Mapped[int]
    # Null when the account was deleted.
    buyer_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="SET NULL")
    )
    seller_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="SET NULL")
    )
    at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    # Whether the parties were reminded of rating each other.
    reminded: Mapped[bool] = mapped_column(server_default=false(), default=False)


class AdView(Base):
    """The views of an ad on a day (UTC)."""

    __tablename__ = "ad_views"

    ad_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(Ad.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    # 1970-01-01 for all days that are long over.
    day: Mapped[date] = mapped_column(Date, primary_key=True)
    # Without those of `visitors`, who are counted when the day is over.
    views: Mapped[int] = mapped_column(BigInteger, server_default="0", default=0)
    # Hashes of today's visitors, and of those among them that are accounts too.
    visitors: Mapped[list[int]] = mapped_column(ARRAY(BigInteger), server_default=text("'{}'"))
    aliases: Mapped[list[int]] = mapped_column(ARRAY(BigInteger), server_default=text("'{}'"))


class AnswerFigure(Base):
    """How fast and how often an account answers those who ask about its ads. A job writes it."""

    __tablename__ = "answer_figures"

    user_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    # Null of too few conversations.
    minutes: Mapped[int | None]
    rate: Mapped[float | None]


class Rating(Base):
    """What a party of a deal says of the other one."""

    __tablename__ = "ratings"
    invalidates = frozenset({InvalidationKind.USER})
    __table_args__ = (
        UniqueConstraint("deal_id", "role"),
        Index(
            "ix_ratings_shown",
            "rated_id",
            "id",
            postgresql_include=["stars"],
            postgresql_where=text("shown_at IS NOT NULL AND NOT removed"),
        ),
        # Deletions of accounts.
        Index(None, "rated_id"),
        Index(None, "author_id"),
        Index("ix_ratings_hidden", "id", postgresql_where=text("shown_at IS NULL")),
        CheckConstraint("role IN ('buyer', 'seller')", name="role"),
        CheckConstraint("stars BETWEEN 1 AND 5", name="stars"),
    )

    id: Mapped[BigId]
    deal_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(Deal.id, ondelete="CASCADE"))
    # Of its author.
    role: Mapped[str] = mapped_column(Text)
    # The two accounts; null when the account was deleted.
    author_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="SET NULL")
    )
    rated_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="SET NULL")
    )
    stars: Mapped[int] = mapped_column(SmallInteger)
    text: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    # When both had rated, or the time was up; until then only its author sees it.
    shown_at: Mapped[datetime | None] = mapped_column(MOMENT)
    # By a moderator: only its author still sees it.
    removed: Mapped[bool] = mapped_column(server_default=false(), default=False)
    # Of the account that it is about.
    answer: Mapped[str | None] = mapped_column(Text)
    answered_at: Mapped[datetime | None] = mapped_column(MOMENT)
