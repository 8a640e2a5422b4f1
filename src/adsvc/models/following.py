"""What people follow, and what they are notified of."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ForeignKey,
    Index,
    LargeBinary,
    Text,
    UniqueConstraint,
    false,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.invalidation import InvalidationKind
from adsvc.models.accounts import Session, User
from adsvc.models.base import MOMENT, Base, BigId, CreatedAt


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
    invalidates = frozenset({InvalidationKind.NOTIFICATION})
    __table_args__ = (
        Index(None, "user_id", "id"),
        Index("ix_notifications_unread", "user_id", "id", postgresql_where=text("NOT read")),
        Index(
            "ix_notifications_of_conversations",
            "conversation_id",
            postgresql_where=text("conversation_id IS NOT NULL AND NOT read"),
        ),
        Index(
            "ix_notifications_revised",
            "user_id",
            "revision",
            postgresql_where=text("revision IS NOT NULL"),
        ),
        Index(None, "at"),
    )

    id: Mapped[BigId]
    user_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(User.id, ondelete="CASCADE"))
    # When it last gathered more, in the sequence of the ids; null if it never did.
    revision: Mapped[int | None] = mapped_column(BigInteger)
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


class PriceChange(Base):
    """A change of an ad's price in the last 30 days."""

    __tablename__ = "price_changes"
    __table_args__ = (Index(None, "ad_id", "at"), Index(None, "at"))

    event_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    ad_id: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[datetime] = mapped_column(MOMENT)
    # Before the change.
    price: Mapped[int]


class FanOut(Base):
    """What those who keep an ad are notified of, in batches. It is kept for a day after its end.

    Of `AD_ENDING`, that the author was notified; its end is that of the ad.
    """

    __tablename__ = "fan_outs"
    __table_args__ = (
        Index("ix_fan_outs_pending", "id", postgresql_where=text("ended_at IS NULL")),
        Index(None, "ad_id", "type", "at"),
        Index("ix_fan_outs_ended", "ended_at", postgresql_where=text("ended_at IS NOT NULL")),
    )

    id: Mapped[BigId]
    # A `NotificationType`.
    type: Mapped[str] = mapped_column(Text)
    ad_id: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[datetime] = mapped_column(MOMENT)
    # Of the notifications.
    data: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'"))
    # The last favorite whose account was notified.
    reached: Mapped[int] = mapped_column(BigInteger, server_default="0", default=0)
    ended_at: Mapped[datetime | None] = mapped_column(MOMENT)


class PushSubscription(Base):
    """A browser that an account wants notifications in, until the session ends that added it."""

    __tablename__ = "push_subscriptions"
    __table_args__ = (Index(None, "user_id", "id"),)

    id: Mapped[BigId]
    user_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(User.id, ondelete="CASCADE"))
    # Where messages are sent (RFC 8030). Who knows it can send some.
    endpoint: Mapped[str] = mapped_column(Text, unique=True)
    # The browser's, on P-256, and its secret (RFC 8291).
    public_key: Mapped[bytes] = mapped_column(LargeBinary)
    auth: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[CreatedAt]
    # Null of browsers that were added before sessions were recorded: they get nothing.
    session_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(Session.id, ondelete="CASCADE"), index=True
    )
    # The circuit breaker: `repositories.deliveries`.
    failures: Mapped[int] = mapped_column(server_default="0", default=0)
    failing_since: Mapped[datetime | None] = mapped_column(MOMENT)
    paused_until: Mapped[datetime | None] = mapped_column(MOMENT)


class PushMessage(Base):
    """What is to be sent to a browser. It is deleted when it was sent or given up.

    A trigger notes `outbox:` for new ones.
    """

    __tablename__ = "push_messages"
    invalidates = frozenset({InvalidationKind.OUTBOX})
    __table_args__ = (
        Index(None, "not_before", "id"),
        # Serves the foreign key too.
        Index("uq_push_messages_subscription_id_tag", "subscription_id", "tag", unique=True),
        Index(
            "ix_push_messages_claimed_until",
            "claimed_until",
            postgresql_where=text("claimed_until IS NOT NULL"),
        ),
    )

    id: Mapped[BigId]
    subscription_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(PushSubscription.id, ondelete="CASCADE")
    )
    # What it is about. A later message takes the place of an earlier one, here as in the browser.
    tag: Mapped[str | None] = mapped_column(Text)
    # The kind of the notification, and what it is about.
    payload: Mapped[dict[str, Any]] = mapped_column(JSONB)
    created_at: Mapped[CreatedAt]
    # Until then no attempt begins: the message is claimed, or waits for its next attempt.
    not_before: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    attempts: Mapped[int] = mapped_column(server_default="0", default=0)
    # Set while an attempt is under way.
    claimed_until: Mapped[datetime | None] = mapped_column(MOMENT)


class NoticePace(Base):
    """When the next mail that an account causes is due, as when it changes ads that others keep.

    The account is no foreign key: a batch for many receivers does not wait for its deletion.
    """

    __tablename__ = "notice_paces"

    user_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    next_at: Mapped[datetime] = mapped_column(MOMENT)


class NoticeMails(Base):
    """The mails about notices that an account has got in the last hour."""

    __tablename__ = "notice_mails"

    user_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    # By the ids of their entries, in seconds since 1970.
    sent: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'"))
    # Whether a digest is in the outbox. Until it is sent, all notices become part of it.
    has_digest: Mapped[bool] = mapped_column(server_default=false(), default=False)


class DigestedNotice(Base):
    """A notice that becomes part of a digest: the entry of the outbox that it was."""

    __tablename__ = "digested_notices"
    __table_args__ = (Index(None, "user_id", "entry_id"),)

    entry_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    user_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(User.id, ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(Text)
    payload: Mapped[dict[str, Any]] = mapped_column(JSONB)
