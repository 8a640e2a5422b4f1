"""What people follow, saved searches among it, and what they are notified of."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.dialects.postgresql import ARRAY, DOUBLE_PRECISION, JSONB, TSQUERY
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.enums import Notify
from adsvc.models.accounts import AccountId, Session
from adsvc.models.base import Base, BigId, CreatedAt


class Favorite(Base):
    """An ad that an account keeps. It stays when the ad is gone, until the account removes it.

    So the ad is no foreign key: its deletion takes as long with 100,000 watchers as with none.
    """

    __tablename__ = "favorites"

    id: Mapped[BigId]
    user_id: Mapped[AccountId]
    ad_id: Mapped[int] = mapped_column(BigInteger)
    added_at: Mapped[datetime]
    # When it was added.
    price: Mapped[int]
    # When its account last got a notice of a lower price.
    price_noticed_at: Mapped[datetime | None]


class Notification(Base):
    """What an account sees in its centre of notifications.

    A trigger notes `notification:ACCOUNT` for each row that is added or changed.
    """

    __tablename__ = "notifications"

    id: Mapped[BigId]
    user_id: Mapped[AccountId]
    # When it last gathered more, in the sequence of the ids; null if it never did.
    revision: Mapped[int | None] = mapped_column(BigInteger)
    # A `NotificationType`.
    type: Mapped[str]
    at: Mapped[datetime]
    read: Mapped[bool] = mapped_column(default=False)
    # What it is about, each null if it is about something else. The thing may be gone.
    ad_id: Mapped[int | None] = mapped_column(BigInteger)
    search_id: Mapped[int | None] = mapped_column(BigInteger)
    conversation_id: Mapped[int | None] = mapped_column(BigInteger)
    decision_id: Mapped[int | None] = mapped_column(BigInteger)
    # `priceDropped`: `from`, `to`. `searchMatched`: `name`, `count` and `ads`, a list of ids.
    data: Mapped[dict[str, Any]] = mapped_column(JSONB)


class Preference(Base):
    """Which notifications an account wants, and how; no row for the usual."""

    __tablename__ = "preferences"

    user_id: Mapped[AccountId] = mapped_column(primary_key=True)
    # By type and way, only what was chosen: `{"message": {"mail": false}}`.
    ways: Mapped[dict[str, Any]] = mapped_column(JSONB)


class PushSubscription(Base):
    """A browser that an account wants notifications in, until the session ends that added it."""

    __tablename__ = "push_subscriptions"

    id: Mapped[BigId]
    user_id: Mapped[AccountId]
    # Where messages are sent (RFC 8030). Who knows it can send some.
    endpoint: Mapped[str]
    # The browser's, on P-256, and its secret (RFC 8291).
    public_key: Mapped[bytes]
    auth: Mapped[bytes]
    created_at: Mapped[CreatedAt]
    # Null of browsers that were added before sessions were recorded: they get nothing.
    session_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(Session.id, ondelete="CASCADE")
    )
    # The circuit breaker: `repositories.deliveries`.
    failures: Mapped[int] = mapped_column(default=0)
    failing_since: Mapped[datetime | None]
    paused_until: Mapped[datetime | None]


class SavedQuery(Base):
    """A query in its canonical form. All searches for the same have one row in common."""

    __tablename__ = "saved_queries"

    id: Mapped[BigId]
    query: Mapped[str]
    # SHA-256 of it, because it may be too long for an index.
    digest: Mapped[bytes]
    # When its keys were chosen; `-infinity` if the words of ads have changed since.
    keyed_at: Mapped[datetime]
    # Its parts, null where it has none: `repositories.percolation.PARTS`.
    words: Mapped[str | None] = mapped_column(TSQUERY)
    min_price: Mapped[int | None] = mapped_column(BigInteger)
    max_price: Mapped[int | None] = mapped_column(BigInteger)
    author: Mapped[int | None] = mapped_column(BigInteger)
    created_after: Mapped[datetime | None]
    created_before: Mapped[datetime | None]
    type_of_price: Mapped[str | None]
    category: Mapped[str | None]
    circle: Mapped[list[float] | None] = mapped_column(ARRAY(DOUBLE_PRECISION))
    box: Mapped[list[float] | None] = mapped_column(ARRAY(DOUBLE_PRECISION))
    has_attributes: Mapped[bool]


class SavedSearch(Base):
    """A search of one account. The positions are ids of events."""

    __tablename__ = "saved_searches"

    id: Mapped[BigId]
    user_id: Mapped[AccountId]
    query_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(SavedQuery.id))
    name: Mapped[str]
    notify: Mapped[str] = mapped_column(default=Notify.DAILY)
    created_at: Mapped[CreatedAt]
    # Later matches are new, until they are seen; and those that no alert was about.
    seen: Mapped[int] = mapped_column(BigInteger)
    alerted: Mapped[int] = mapped_column(BigInteger)
    # When its last mail was due, or the last alert after a quarter of an hour without one.
    alerted_at: Mapped[datetime | None]
    # When the next alert is due; null while there is nothing new.
    due_at: Mapped[datetime | None]
    # Ids of changes that were committed before it was saved, and reached the log later.
    known: Mapped[list[int]] = mapped_column(ARRAY(BigInteger), default=list)
    # Such of before its alerts began.
    unalerted: Mapped[list[int]] = mapped_column(ARRAY(BigInteger), default=list)
    # When its account last looked at it. Alerts end some time later, with one question.
    opened_at: Mapped[datetime]
    asked_at: Mapped[datetime | None]
    # The entry of the outbox that is its last mail: it gathers what is new until it is tried.
    waiting_mail: Mapped[int | None] = mapped_column(BigInteger)
    # Its last notification: it gathers what is new for a quarter of an hour.
    notification_id: Mapped[int | None] = mapped_column(BigInteger)
