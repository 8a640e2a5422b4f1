"""What people follow, saved searches among it, and what they are notified of."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    Text,
    UniqueConstraint,
    false,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, DOUBLE_PRECISION, JSONB, TSQUERY
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.enums import Notify
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


class SearchPhrase(Base):
    """One or two words that shown ads of several authors have in their titles, to be suggested."""

    __tablename__ = "search_phrases"

    phrase: Mapped[str] = mapped_column(Text, primary_key=True)
    ads: Mapped[int]
    authors: Mapped[int]
    # That of most of these ads, if they have one.
    category_id: Mapped[int | None] = mapped_column(BigInteger)


class SavedQuery(Base):
    """A query in its canonical form. All searches for the same have one row in common."""

    __tablename__ = "saved_queries"

    id: Mapped[BigId]
    query: Mapped[str] = mapped_column(Text)
    # SHA-256 of it, because it may be too long for an index.
    digest: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    # When its keys were chosen; `-infinity` if the words of ads have changed since.
    keyed_at: Mapped[CreatedAt] = mapped_column(index=True)
    # Its parts, null where it has none: `repositories.percolation.PARTS`.
    words: Mapped[str | None] = mapped_column(TSQUERY)
    min_price: Mapped[int | None] = mapped_column(BigInteger)
    max_price: Mapped[int | None] = mapped_column(BigInteger)
    author: Mapped[int | None] = mapped_column(BigInteger)
    created_after: Mapped[datetime | None] = mapped_column(MOMENT)
    created_before: Mapped[datetime | None] = mapped_column(MOMENT)
    type_of_price: Mapped[str | None] = mapped_column(Text)
    category: Mapped[str | None] = mapped_column(Text)
    circle: Mapped[list[float] | None] = mapped_column(ARRAY(DOUBLE_PRECISION))
    box: Mapped[list[float] | None] = mapped_column(ARRAY(DOUBLE_PRECISION))
    has_attributes: Mapped[bool] = mapped_column(server_default=false())


class QueryKey(Base):
    """An ad that matches the query has one of its keys: `repositories.ads.search.keys`."""

    __tablename__ = "query_keys"
    __table_args__ = (
        Index(None, "query_id"),
        Index("ix_query_keys_other", "other", postgresql_where=text("other <> ''")),
    )

    term: Mapped[str] = mapped_column(Text, primary_key=True)
    # Which the ad must have too; empty if the first is rare enough.
    other: Mapped[str] = mapped_column(Text, primary_key=True)
    query_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(SavedQuery.id, ondelete="CASCADE"), primary_key=True
    )


class QueryMatch(Base):
    """An ad that came to match the query, by the last event that made it match."""

    __tablename__ = "query_matches"
    __table_args__ = (Index(None, "query_id", "event_id"), Index(None, "at"))

    # No foreign keys: the deletion of an ad is not to cost more for its matches, and a match is not
    # to lock its query.
    query_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    ad_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    event_id: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    # Of that event.
    change_id: Mapped[int | None] = mapped_column(BigInteger)


class MatchedQuery(Base):
    """A query that has new matches, until all of its searches are due for an alert."""

    __tablename__ = "matched_queries"

    query_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)


class SavedSearch(Base):
    """A search of one account. The positions are ids of events."""

    __tablename__ = "saved_searches"
    __table_args__ = (
        UniqueConstraint("user_id", "query_id"),
        CheckConstraint("notify IN ('never', 'instant', 'daily', 'weekly')", name="notify"),
        Index(None, "query_id"),
        Index(
            "ix_saved_searches_not_due",
            "query_id",
            postgresql_where=text("due_at IS NULL AND notify <> 'never'"),
        ),
        Index("ix_saved_searches_due", "due_at", postgresql_where=text("due_at IS NOT NULL")),
    )

    id: Mapped[BigId]
    user_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(User.id, ondelete="CASCADE"))
    query_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(SavedQuery.id))
    name: Mapped[str] = mapped_column(Text)
    notify: Mapped[str] = mapped_column(Text, server_default=Notify.DAILY, default=Notify.DAILY)
    created_at: Mapped[CreatedAt]
    # Later matches are new, until they are seen; and those that no alert was about.
    seen: Mapped[int] = mapped_column(BigInteger)
    alerted: Mapped[int] = mapped_column(BigInteger)
    # When its last mail was due, or the last alert after a quarter of an hour without one.
    alerted_at: Mapped[datetime | None] = mapped_column(MOMENT)
    # When the next alert is due; null while there is nothing new.
    due_at: Mapped[datetime | None] = mapped_column(MOMENT)
    # Ids of changes that were committed before it was saved, and reached the log later.
    known: Mapped[list[int]] = mapped_column(ARRAY(BigInteger), server_default="{}", default=list)
    # Such of before its alerts began.
    unalerted: Mapped[list[int]] = mapped_column(
        ARRAY(BigInteger), server_default="{}", default=list
    )
    # When its account last looked at it. Alerts end some time later, with one question.
    opened_at: Mapped[CreatedAt]
    asked_at: Mapped[datetime | None] = mapped_column(MOMENT)
    # The entry of the outbox that is its last mail: it gathers what is new until it is tried.
    waiting_mail: Mapped[int | None] = mapped_column(BigInteger)
    # Its last notification: it gathers what is new for a quarter of an hour.
    notification_id: Mapped[int | None] = mapped_column(BigInteger)


class AlertedAd(Base):
    """An ad that an account has had an alert about: it gets no other."""

    __tablename__ = "alerted_ads"
    __table_args__ = (Index(None, "at"),)

    user_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), primary_key=True
    )
    ad_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())


class ChangedAd(Base):
    """What searches saw of a shown ad before a change of it. A trigger keeps it.

    So it is known which queries the ad did not match before. Words are kept as text, because the
    language of the search may change.
    """

    __tablename__ = "changed_ads"
    __table_args__ = (Index(None, "ad_id", "id"), Index(None, "at"))

    id: Mapped[BigId]
    ad_id: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.clock_timestamp())
    words: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(Text)
    # Whether it was shown: it may have expired, and not be marked yet.
    is_shown: Mapped[bool]
    author_id: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(MOMENT)
    price: Mapped[int]
    price_type: Mapped[str] = mapped_column(Text)
    category_id: Mapped[int | None] = mapped_column(BigInteger)
    attributes: Mapped[dict[str, Any]] = mapped_column(JSONB)
    public_latitude: Mapped[float | None]
    public_longitude: Mapped[float | None]
