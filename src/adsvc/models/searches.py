"""Saved searches: their queries, what finds the queries for an ad, and the matches."""

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
from adsvc.models.accounts import User
from adsvc.models.base import MOMENT, Base, BigId, CreatedAt


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
