"""Conversations, their messages and offers; blocks; contacts; deals and ratings."""

from datetime import date, datetime

from sqlalchemy import (
    ARRAY,
    BigInteger,
    CheckConstraint,
    Date,
    ForeignKey,
    Index,
    LargeBinary,
    SmallInteger,
    Text,
    UniqueConstraint,
    false,
    func,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.enums import MessageKind, OfferStatus
from adsvc.invalidation import InvalidationKind
from adsvc.models.accounts import User
from adsvc.models.ads import Ad
from adsvc.models.base import MOMENT, Base, BigId, CreatedAt


class Conversation(Base):
    """What a buyer and the seller of an ad write to each other.

    Each party has its own columns. It does not see messages of the other one that are held, so the
    two may have different last messages.
    """

    __tablename__ = "conversations"
    invalidates = frozenset({InvalidationKind.MESSAGE})
    __table_args__ = (
        UniqueConstraint("ad_id", "buyer_id"),
        # Deletions of accounts, the export, and the newest ones that a buyer has begun.
        Index(None, "buyer_id", "id"),
        Index(None, "seller_id", "id"),
        *(
            index
            for party in ("buyer", "seller")
            for index in (
                Index(
                    f"ix_conversations_of_{party}",
                    f"{party}_id",
                    f"{party}_last",
                    postgresql_where=text(f"NOT {party}_hidden"),
                ),
                Index(
                    f"ix_conversations_unread_by_{party}",
                    f"{party}_id",
                    f"{party}_last",
                    postgresql_include=[f"{party}_unread"],
                    postgresql_where=text(f"{party}_unread > 0 AND NOT {party}_hidden"),
                ),
                Index(
                    f"ix_conversations_mail_due_to_{party}",
                    f"{party}_mail_due",
                    postgresql_where=text(f"{party}_mail_due IS NOT NULL"),
                ),
            )
        ),
        Index(None, "updated_at"),
        Index(
            "ix_conversations_without_parties",
            "id",
            postgresql_where=text("buyer_id IS NULL AND seller_id IS NULL"),
        ),
    )

    id: Mapped[BigId]
    # There is no foreign key: the conversation outlives the ad.
    ad_id: Mapped[int] = mapped_column(BigInteger)
    # The ad's title when the conversation began.
    title: Mapped[str] = mapped_column(Text)
    # Null when the account was deleted.
    buyer_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="SET NULL")
    )
    seller_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="SET NULL")
    )
    created_at: Mapped[CreatedAt]
    # When the last message was written. Retention counts from then.
    updated_at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    # Of each party: the last message that it sees (null: none, and so no conversation), the last
    # one that it has read, and how many it has not. Then whether the conversation is hidden until
    # the next message, and when a mail about unread ones is due.
    buyer_last: Mapped[int | None] = mapped_column(BigInteger)
    seller_last: Mapped[int | None] = mapped_column(BigInteger)
    buyer_read: Mapped[int] = mapped_column(BigInteger, server_default="0", default=0)
    seller_read: Mapped[int] = mapped_column(BigInteger, server_default="0", default=0)
    buyer_unread: Mapped[int] = mapped_column(server_default="0", default=0)
    seller_unread: Mapped[int] = mapped_column(server_default="0", default=0)
    buyer_hidden: Mapped[bool] = mapped_column(server_default=false(), default=False)
    seller_hidden: Mapped[bool] = mapped_column(server_default=false(), default=False)
    buyer_mail_due: Mapped[datetime | None] = mapped_column(MOMENT)
    seller_mail_due: Mapped[datetime | None] = mapped_column(MOMENT)
    # When the seller said that this buyer has bought it.
    sold_at: Mapped[datetime | None] = mapped_column(MOMENT)


class Offer(Base):
    """A price that one party has offered to the other."""

    __tablename__ = "offers"
    __table_args__ = (
        # One open offer a conversation.
        Index(
            "uq_offers_open",
            "conversation_id",
            unique=True,
            postgresql_where=text("status = 'open'"),
        ),
        Index(None, "conversation_id", "id"),
        Index("ix_offers_expires_at", "expires_at", postgresql_where=text("status = 'open'")),
        CheckConstraint(
            "status IN ('open', 'accepted', 'declined', 'withdrawn', 'expired', 'done')",
            name="status",
        ),
        CheckConstraint("by IN ('buyer', 'seller')", name="by"),
    )

    id: Mapped[BigId]
    conversation_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(Conversation.id, ondelete="CASCADE")
    )
    price: Mapped[int]
    by: Mapped[str] = mapped_column(Text)
    # After `expires_at` an open offer is expired, whatever this column has.
    status: Mapped[str] = mapped_column(
        Text, server_default=OfferStatus.OPEN, default=OfferStatus.OPEN
    )
    created_at: Mapped[CreatedAt]
    expires_at: Mapped[datetime] = mapped_column(MOMENT)


class Message(Base):
    __tablename__ = "messages"
    __table_args__ = (
        Index(None, "conversation_id", "id"),
        Index(None, "author_id", "id"),
        Index(None, "offer_id", postgresql_where=text("offer_id IS NOT NULL")),
        Index(
            "ix_messages_digest",
            "author_id",
            "digest",
            postgresql_where=text("digest IS NOT NULL"),
        ),
        CheckConstraint("by IN ('buyer', 'seller')", name="by"),
        CheckConstraint("kind IN ('text', 'offer', 'notice')", name="kind"),
    )

    id: Mapped[BigId]
    conversation_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(Conversation.id, ondelete="CASCADE")
    )
    # The account that wrote it, which may have been deleted. A foreign key would lock the account
    # after the conversation, and deletions do so in the other order.
    author_id: Mapped[int] = mapped_column(BigInteger)
    by: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text, server_default=MessageKind.TEXT)
    # Values of `Hint`.
    hints: Mapped[list[str]] = mapped_column(ARRAY(Text), server_default=text("'{}'"))
    # Of a notice: a `Notice`. Of an offer: empty.
    text: Mapped[str] = mapped_column(Text)
    offer_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(Offer.id, ondelete="CASCADE")
    )
    at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.clock_timestamp())
    # Of the normalised text, if its author is young and writes to a seller: the same text to many
    # sellers is held.
    digest: Mapped[bytes | None] = mapped_column(LargeBinary)
    # Only its author sees it until a moderator has let it through. A trigger sets it.
    held: Mapped[bool] = mapped_column(server_default=false(), default=False)
    # By a moderator: its author alone still sees the text.
    removed: Mapped[bool] = mapped_column(server_default=false(), default=False)


class Block(Base):
    """An account that another one does not want to hear from."""

    __tablename__ = "blocks"

    owner_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    blocked_id: Mapped[int] = mapped_column(
        BigInteger,
        ForeignKey(User.id, ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
        index=True,
    )
    created_at: Mapped[CreatedAt]


class Contact(Base):
    """An account has read the phone number of an ad's author."""

    __tablename__ = "contacts"
    __table_args__ = (Index(None, "user_id", "ad_id"),)

    ad_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(Ad.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    user_id: Mapped[int] = mapped_column(
        BigInteger,
        ForeignKey(User.id, ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    )
    # When it read it first.
    at: Mapped[CreatedAt]


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
