"""Conversations; blocks; contacts; deals and ratings."""

from datetime import date, datetime

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Date,
    ForeignKey,
    SmallInteger,
)
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.invalidation import InvalidationKind
from adsvc.models.accounts import AccountId, LinkedAccountId
from adsvc.models.ads import AdId
from adsvc.models.base import Base, BigId, CreatedAt


class Conversation(Base):
    """What a buyer and the seller of an ad write to each other.

    Each party has its own columns. It does not see messages of the other one that are held, so the
    two may have different last messages.
    """

    __tablename__ = "conversations"
    invalidates = frozenset({InvalidationKind.MESSAGE})

    id: Mapped[BigId]
    # There is no foreign key: the conversation outlives the ad.
    ad_id: Mapped[int] = mapped_column(BigInteger)
    # The ad's title when the conversation began.
    title: Mapped[str]
    # Null when the account was deleted.
    buyer_id: Mapped[LinkedAccountId | None]
    seller_id: Mapped[LinkedAccountId | None]
    created_at: Mapped[CreatedAt]
    # When the last message was written. Retention counts from then.
    updated_at: Mapped[datetime]
    # Of each party: the last message that it sees (null: none, and so no conversation), the last
    # one that it has read, and how many it has not. Then whether the conversation is hidden until
    # the next message, and when a mail about unread ones is due.
    buyer_last: Mapped[int | None] = mapped_column(BigInteger)
    seller_last: Mapped[int | None] = mapped_column(BigInteger)
    buyer_read: Mapped[int] = mapped_column(BigInteger, default=0)
    seller_read: Mapped[int] = mapped_column(BigInteger, default=0)
    buyer_unread: Mapped[int] = mapped_column(default=0)
    seller_unread: Mapped[int] = mapped_column(default=0)
    buyer_hidden: Mapped[bool] = mapped_column(default=False)
    seller_hidden: Mapped[bool] = mapped_column(default=False)
    buyer_mail_due: Mapped[datetime | None]
    seller_mail_due: Mapped[datetime | None]
    # When the seller said that this buyer has bought it.
    sold_at: Mapped[datetime | None]


class Block(Base):
    """An account that another one does not want to hear from."""

    __tablename__ = "blocks"

    owner_id: Mapped[AccountId] = mapped_column(primary_key=True)
    blocked_id: Mapped[AccountId] = mapped_column(primary_key=True)
    created_at: Mapped[CreatedAt]


class Contact(Base):
    """An account has read the phone number of an ad's author."""

    __tablename__ = "contacts"

    ad_id: Mapped[AdId] = mapped_column(primary_key=True)
    user_id: Mapped[AccountId] = mapped_column(primary_key=True)
    # When it read it first.
    at: Mapped[datetime]


class Deal(Base):
    """The sale of an ad to an account. It outlives the ad, and both accounts but one."""

    __tablename__ = "deals"

    id: Mapped[BigId]
    # There is no foreign key: the deal outlives the ad. An ad is sold once.
    ad_id: Mapped[int] = mapped_column(BigInteger)
    # The ad's title and price then.
    title: Mapped[str]
    price: Mapped[int]
    # Null when the account was deleted.
    buyer_id: Mapped[LinkedAccountId | None]
    seller_id: Mapped[LinkedAccountId | None]
    at: Mapped[datetime]
    # Whether the parties were reminded of rating each other.
    reminded: Mapped[bool] = mapped_column(default=False)


class AdView(Base):
    """The views of an ad on a day (UTC)."""

    __tablename__ = "ad_views"

    ad_id: Mapped[AdId] = mapped_column(primary_key=True)
    # 1970-01-01 for all days that are long over.
    day: Mapped[date] = mapped_column(Date, primary_key=True)
    # Without those of `visitors`, who are counted when the day is over.
    views: Mapped[int] = mapped_column(BigInteger, default=0)
    # Hashes of today's visitors, and of those among them that are accounts too.
    visitors: Mapped[list[int]] = mapped_column(ARRAY(BigInteger))
    aliases: Mapped[list[int]] = mapped_column(ARRAY(BigInteger))


class AnswerFigure(Base):
    """How fast and how often an account answers those who ask about its ads. A job writes it."""

    __tablename__ = "answer_figures"

    user_id: Mapped[AccountId] = mapped_column(primary_key=True)
    # Null of too few conversations.
    minutes: Mapped[int | None]
    rate: Mapped[float | None]


class Rating(Base):
    """What a party of a deal says of the other one."""

    __tablename__ = "ratings"
    invalidates = frozenset({InvalidationKind.USER})

    id: Mapped[BigId]
    deal_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(Deal.id, ondelete="CASCADE"))
    # Of its author.
    role: Mapped[str]
    # The two accounts; null when the account was deleted.
    author_id: Mapped[LinkedAccountId | None]
    rated_id: Mapped[LinkedAccountId | None]
    stars: Mapped[int] = mapped_column(SmallInteger)
    text: Mapped[str]
    at: Mapped[datetime]
    # When both had rated, or the time was up; until then only its author sees it.
    shown_at: Mapped[datetime | None]
    # By a moderator: only its author still sees it.
    removed: Mapped[bool] = mapped_column(default=False)
    # Of the account that it is about.
    answer: Mapped[str | None]
    answered_at: Mapped[datetime | None]
