"""Ads, their pictures and history, and the counts that triggers keep."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Double,
    FetchedValue,
    ForeignKey,
    Index,
    LargeBinary,
    SmallInteger,
    Text,
    TextClause,
    UniqueConstraint,
    false,
    func,
    literal_column,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import DOUBLE_PRECISION, JSONB, TSVECTOR
from sqlalchemy.orm import Mapped, column_property, mapped_column, relationship

from adsvc.enums import AdStatus, PriceType
from adsvc.invalidation import AdAspect, InvalidationKind
from adsvc.models.accounts import User
from adsvc.models.base import MOMENT, Base, BigId, CreatedAt, UpdatedAt
from adsvc.models.operation import Deletion


class Category(Base):
    __tablename__ = "categories"
    invalidates = frozenset({InvalidationKind.CATEGORY})

    id: Mapped[BigId]
    slug: Mapped[str] = mapped_column(Text, unique=True)
    parent_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("categories.id"), index=True
    )
    name: Mapped[str] = mapped_column(Text)
    names: Mapped[dict[str, str]] = mapped_column(JSONB, server_default=text("'{}'"))
    # Lists of words by language tag.
    synonyms: Mapped[dict[str, list[str]]] = mapped_column(JSONB, server_default=text("'{}'"))
    position: Mapped[int] = mapped_column(server_default="0")
    # The category's own attributes, as `schemas.categories.Attribute`; those of its ancestors apply
    # too.
    attributes: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default=text("'[]'"))


class CategoryWords(Base):
    """What the names and synonyms of a category and of those above it add to the words of its ads.

    A trigger keeps it. A job then adds changed words to the ads that are there.
    """

    __tablename__ = "category_words"
    __table_args__ = (
        Index(
            "ix_category_words_pending",
            "category_id",
            postgresql_where=text("reworded IS NOT NULL"),
        ),
    )

    category_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(Category.id, ondelete="CASCADE"), primary_key=True
    )
    # Its own names go with the title.
    names: Mapped[str] = mapped_column(Text)
    words: Mapped[str] = mapped_column(Text)
    # The same as they stand in the index, which a trigger writes.
    names_search: Mapped[str] = mapped_column(TSVECTOR, server_default=text("''"))
    words_search: Mapped[str] = mapped_column(TSVECTOR, server_default=text("''"))
    # The transaction. An older one may still add an ad with the words of before.
    changed_by: Mapped[int] = mapped_column(
        BigInteger, server_default=text("pg_current_xact_id()::text::bigint")
    )
    # The last id of its ads that has been brought up to date; null if all have been, as those of a
    # new category have.
    reworded: Mapped[int | None] = mapped_column(BigInteger)


class CategoryAdTotal(Base):
    """The number of shown ads of one category, without those below it, as a sum over its slots.

    Triggers keep it; see `AdTotal` for the slots.
    """

    __tablename__ = "category_ad_totals"

    category_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(Category.id, ondelete="CASCADE"), primary_key=True
    )
    slot: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    ads: Mapped[int] = mapped_column(BigInteger)


# For the indexes of words. Every search reads all entries that wait to be indexed, so these are few
# (in kB).
WORDS = {"gin_pending_list_limit": 256}


def _listed(values: Iterable[str]) -> str:
    return ", ".join(f"'{value}'" for value in values)


POINT = ("latitude", "longitude", "public_latitude", "public_longitude")
SHOWN = (AdStatus.ACTIVE, AdStatus.RESERVED)

# As in the partial indexes.
SHOWN_SQL = _listed(SHOWN)

IS_SHOWN = text(f"status IN ({SHOWN_SQL})")
IS_HIDDEN_SQL = f"status NOT IN ({SHOWN_SQL})"

# From the columns `status` and `expires_at`: the `status` in the interface. An ad is expired from
# `expires_at` on, whether it has been marked or not.
CURRENT_STATUS = (
    f"CASE WHEN {{0}} IN ({SHOWN_SQL}) AND {{1}} <= now() THEN '{AdStatus.EXPIRED}' ELSE {{0}} END"
)


# The price by which ads are sorted and filtered, with `{0}` before the names of columns. An ad on
# request has no price, whatever is stored: it is above the largest price, or below the smallest.
PRICE_MAX = 2**31 - 1
# Its lines are those that PostgreSQL prints, for the comparison of models and schema.
PRICE_OR_HIGHEST, PRICE_OR_LOWEST = (
    f"\nCASE\nWHEN {{0}}price_type = '{PriceType.ON_REQUEST}' THEN '{end}'::bigint"
    "\nELSE {0}price\nEND"
    for end in (PRICE_MAX + 1, -1)
)


def _of_shown(name: str, *columns: str | TextClause) -> Index:
    """A partial index of shown ads: old sites have far more others."""
    included = ["expires_at"]
    return Index(name, *columns, postgresql_where=IS_SHOWN, postgresql_include=included)


# What was begun and never finished: all drafts, and those that were withdrawn incomplete. Any other
# ad is complete.
UNFINISHED_SQL = (
    "(status = 'draft' OR status = 'withdrawn'"
    " AND (title = '' OR description = '' OR image = '' OR NOT is_priced))"
)


def _expression(made: str) -> TextClause:
    return text(f"({made.format('')})")


# The aspects of an ad that a column decides. The others only show where the ad is shown.
OF_STATUS = {"aspect": AdAspect.STATUS}
OF_WORDS = {"aspect": AdAspect.WORDS}
OF_PRICE = {"aspect": AdAspect.PRICE}
OF_CLASSIFICATION = {"aspect": AdAspect.CLASSIFICATION}
OF_LOCATION = {"aspect": AdAspect.LOCATION}


class Ad(Base):
    __tablename__ = "ads"
    invalidates = frozenset({InvalidationKind.AD, InvalidationKind.IMAGE})
    __table_args__ = (
        # One author's ads, newest first; and the orders by price and by time.
        Index(None, "author_id", "id"),
        Index(None, "price", "id"),
        Index(None, "created_at", "id"),
        Index(None, "category_id", "id"),
        Index("ix_ads_search", "search", postgresql_using="gin", postgresql_with=WORDS),
        Index("ix_ads_title_search", "title_search", postgresql_using="gin", postgresql_with=WORDS),
        # Places of shown ads, by bands of latitude (`repositories.ads.places`).
        Index(
            "ix_ads_public_point",
            text("(floor(public_latitude * 20)::int)"),
            "public_longitude",
            "id",
            postgresql_include=["public_latitude", "expires_at"],
            postgresql_where=text(f"{IS_SHOWN.text} AND public_latitude IS NOT NULL"),
        ),
        _of_shown("ix_ads_shown_id", "id"),
        _of_shown("ix_ads_shown_price_or_highest_id", _expression(PRICE_OR_HIGHEST), "id"),
        _of_shown("ix_ads_shown_price_or_lowest_id", _expression(PRICE_OR_LOWEST), "id"),
        _of_shown("ix_ads_shown_created_at_id", "created_at", "id"),
        # With all that an author's ads are counted by.
        Index(
            "ix_ads_shown_author_id_counted",
            "author_id",
            "id",
            postgresql_where=IS_SHOWN,
            postgresql_include=["status", "expires_at"],
        ),
        Index(
            "ix_ads_hidden_author_id_status",
            "author_id",
            "status",
            postgresql_where=text(IS_HIDDEN_SQL),
        ),
        Index("ix_ads_expires_at", "expires_at", postgresql_where=IS_SHOWN),
        Index(
            "ix_ads_unfinished_author_id_id",
            "author_id",
            "id",
            postgresql_where=text(UNFINISHED_SQL),
        ),
        Index("ix_ads_removed", "id", postgresql_where=text("status = 'removed'")),
        # Names that authors give their ads. Most ads have none.
        Index(
            "ix_ads_author_id_external_id",
            "author_id",
            "external_id",
            unique=True,
            postgresql_where=text("external_id IS NOT NULL"),
        ),
        # For the console. Of ads that are active a page is found without.
        Index("ix_ads_status_id", "status", "id", postgresql_where=text("status <> 'active'")),
        CheckConstraint(f"status IN ({_listed(AdStatus)})", name="status"),
        CheckConstraint(f"price_type IN ({_listed(PriceType)})", name="price_type"),
        # An ad with only a place has the place's centre as its public point.
        CheckConstraint(
            f"num_nulls({', '.join(POINT[:2])}) IN (0, 2)"
            f" AND num_nulls({', '.join(POINT[2:])}) IN (0, 2)"
            " AND (latitude IS NULL OR public_latitude IS NOT NULL)",
            name="location",
        ),
        # With the words of categories many rows have more than 2 kB. A search compares the words of
        # thousands, and would have to fetch each from another table.
        {"postgresql_with": {"toast_tuple_target": 4080}},
    )

    id: Mapped[BigId]
    author_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(User.id, ondelete="CASCADE"))
    # The ad's id in its author's own system.
    external_id: Mapped[str | None] = mapped_column(Text)
    title: Mapped[str] = mapped_column(Text, info=OF_WORDS)
    description: Mapped[str] = mapped_column(Text, info=OF_WORDS)
    price: Mapped[int] = mapped_column(info=OF_PRICE)
    # Of a draft whose price is still missing, the price is 0, and this false.
    is_priced: Mapped[bool] = mapped_column(server_default=true(), default=True)
    # The lowest of its prices of 30 days before this one, and since when it has this one. A trigger
    # writes both; null if the price has not changed since the ad was a draft.
    price_before: Mapped[int | None]
    priced_at: Mapped[datetime | None] = mapped_column(MOMENT)
    # Its first picture, that one's smallest variant if it has any, and the number of pictures. Both
    # names are empty if a draft has no picture.
    # `ad_images` has the same, but would have to be read too.
    image: Mapped[str] = mapped_column(Text, index=True)
    thumbnail: Mapped[str | None] = mapped_column(Text)
    image_count: Mapped[int] = mapped_column(server_default="1", default=1)
    created_at: Mapped[CreatedAt] = mapped_column(info=OF_STATUS)
    updated_at: Mapped[UpdatedAt]
    # After `expires_at` an ad is expired, whatever this column has: see
    # `repositories.ads.projection`.
    status: Mapped[str] = mapped_column(
        Text, server_default=AdStatus.ACTIVE, default=AdStatus.ACTIVE, info=OF_STATUS
    )
    expires_at: Mapped[datetime | None] = mapped_column(MOMENT, info=OF_STATUS)
    current_status: Mapped[str] = column_property(
        literal_column(CURRENT_STATUS.format("ads.status", "ads.expires_at"), Text)
    )
    sold_at: Mapped[datetime | None] = mapped_column(MOMENT)
    # The status before `suspended` or `removed`, which it gets again if that is undone.
    hidden_from: Mapped[str | None] = mapped_column(Text)
    # Hidden only because its author's account is suspended.
    hidden_with_author: Mapped[bool] = mapped_column(server_default=false(), default=False)
    price_type: Mapped[str] = mapped_column(
        Text, server_default=PriceType.FIXED, default=PriceType.FIXED, info=OF_PRICE
    )
    place: Mapped[str | None] = mapped_column(Text)
    # No foreign key: places are replaced as a whole.
    place_id: Mapped[int | None] = mapped_column(BigInteger)
    # Only the author sees the exact point. Others see the public one, which is computed from it.
    latitude: Mapped[float | None] = mapped_column(Double)
    longitude: Mapped[float | None] = mapped_column(Double)
    public_latitude: Mapped[float | None] = mapped_column(Double, info=OF_LOCATION)
    public_longitude: Mapped[float | None] = mapped_column(Double, info=OF_LOCATION)
    category_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(Category.id), info=OF_CLASSIFICATION
    )
    attributes: Mapped[dict[str, Any]] = mapped_column(
        JSONB, server_default=text("'{}'"), info=OF_CLASSIFICATION
    )
    # Words of the attributes for the search: texts, and the labels of options in all languages.
    attribute_words: Mapped[str] = mapped_column(
        Text, server_default="", deferred=True, info=OF_WORDS
    )

    # Every word unchanged and as its stem, because searches may have either. A trigger writes both,
    # with the terms of `repositories.ads.search.planner`. Both are empty for ads that are not
    # shown.
    title_search: Mapped[str] = mapped_column(
        TSVECTOR, server_default=FetchedValue(), deferred=True
    )
    search: Mapped[str] = mapped_column(TSVECTOR, server_default=FetchedValue(), deferred=True)

    # Never loaded implicitly: queries that need the author join it.
    author: Mapped[User] = relationship(lazy="raise")


ASPECTS: Mapping[str, AdAspect] = {
    column.name: column.info["aspect"] for column in Ad.__table__.columns if "aspect" in column.info
}


class AdEvent(Base):
    """A change of an ad's status, written in its transaction."""

    __tablename__ = "ad_events"
    __table_args__ = (
        Index(None, "ad_id", "id"),
        Index(None, "actor_id", postgresql_where=text("actor_id IS NOT NULL")),
    )

    id: Mapped[BigId]
    ad_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(Ad.id, ondelete="CASCADE"))
    # Null for expiry, and for a deleted account.
    actor_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="SET NULL")
    )
    event: Mapped[str] = mapped_column(Text)
    # Null for a new ad.
    from_status: Mapped[str | None] = mapped_column(Text)
    to_status: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())


class AdImage(Base):
    """One picture of an ad. The lowest position comes first; positions may have gaps.

    Triggers queue the files of a deleted row, and add the row of an ad that an older version has
    written, which knows one picture an ad.
    """

    __tablename__ = "ad_images"
    invalidates = frozenset({InvalidationKind.AD})
    __table_args__ = (
        UniqueConstraint("ad_id", "position", deferrable=True, initially="IMMEDIATE"),
        # The pictures that `adsvc images rebuild` will process.
        Index("ix_ad_images_without_share", "id", postgresql_where=text("NOT has_share")),
    )

    id: Mapped[BigId]
    ad_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(Ad.id, ondelete="CASCADE"))
    position: Mapped[int]
    name: Mapped[str] = mapped_column(Text, index=True)
    # Of the stored picture; null if it is older than this column, and was not rebuilt since.
    width: Mapped[int | None]
    height: Mapped[int | None]
    # Its average colour, `#rrggbb`.
    placeholder: Mapped[str | None] = mapped_column(Text)
    # SHA-256 of the stored picture; null if it is older than this column.
    digest: Mapped[bytes | None] = mapped_column(LargeBinary)
    # `thumb` and `card`; `share` is newer.
    has_variants: Mapped[bool] = mapped_column(server_default=false(), default=False)
    has_share: Mapped[bool] = mapped_column(server_default=false(), default=False)


class AdTotal(Base):
    """The number of ads, as a sum over all slots.

    Each connection writes to its own slot, so that concurrent writers do not wait for one row.
    """

    __tablename__ = "ad_totals"

    slot: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    ads: Mapped[int] = mapped_column(BigInteger)


class AuthorAdTotal(Base):
    __tablename__ = "author_ad_totals"

    author_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    # Shown ads, and all others: drafts, and those sold, withdrawn or expired.
    ads: Mapped[int] = mapped_column(BigInteger)
    hidden: Mapped[int] = mapped_column(BigInteger, server_default="0", default=0)


class AdCommentTotal(Base):
    __tablename__ = "ad_comment_totals"

    ad_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(Ad.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    comments: Mapped[int] = mapped_column(BigInteger)


class Comment(Base):
    __tablename__ = "comments"
    # One ad's comments, newest first.
    __table_args__ = (Index(None, "ad_id", "id"),)

    id: Mapped[BigId]
    ad_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(Ad.id, ondelete="CASCADE"))
    author_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    text: Mapped[str] = mapped_column(Text)
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    author: Mapped[User] = relationship(lazy="raise")


class Image(Base):
    """A picture that a row names, and the account that it counts for.

    That is the author of the ad, or the avatar's owner. A trigger removes the row when the picture
    is queued for deletion. Pictures that are older than this table are not in it, and count for no
    account.
    """

    __tablename__ = "images"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    owner_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    bytes: Mapped[int] = mapped_column(BigInteger)


class ImageTotal(Base):
    """The bytes of one account's pictures; triggers keep them."""

    __tablename__ = "image_totals"

    owner_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    bytes: Mapped[int] = mapped_column(BigInteger)


class PictureDeletion(Base):
    """A picture that no row names any more and that is still in the store.

    Triggers add it in the transaction that removes its last row. It is deleted when the file is
    certainly deleted.
    """

    __tablename__ = "picture_deletions"
    invalidates = frozenset({InvalidationKind.IMAGE})

    name: Mapped[str] = mapped_column(Text, primary_key=True)


class HiddenPicture(Base):
    """A picture of an ad or account that is removed, suspended, or deleted for now.

    Authors and moderators see it, unless it is deleted. Its files have `stem` in the image store
    instead of the first part of their names, so that no client can know their addresses. Triggers
    add the row, or the deletion. It is deleted when the picture is shown again.
    """

    __tablename__ = "hidden_pictures"
    invalidates = frozenset({InvalidationKind.IMAGE})
    __table_args__ = (
        UniqueConstraint("stem"),
        Index("ix_hidden_pictures_pending", "name", postgresql_where=text("is_pending")),
    )

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    stem: Mapped[str] = mapped_column(
        Text, server_default=text("replace((gen_random_uuid())::text, '-'::text, ''::text)")
    )
    # Of the ad or account that it went with, until the deletion is final.
    deletion_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(Deletion.id, ondelete="SET NULL"), index=True
    )
    # Whether the files have been renamed.
    is_hidden: Mapped[bool] = mapped_column(server_default=false())
    # Whether the files may have to be renamed.
    is_pending: Mapped[bool] = mapped_column(server_default=true())


class Place(Base):
    """A town or village, or an area with a postcode."""

    __tablename__ = "places"
    __table_args__ = (Index("ix_places_cell", "cell"), Index("ix_places_country", "country"))

    # GeoNames' own; of an area with a postcode a hash, which is larger than any of these.
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(Text)
    # ISO 3166-1, in capital letters.
    country: Mapped[str] = mapped_column(Text)
    region: Mapped[str | None] = mapped_column(Text)
    population: Mapped[int] = mapped_column(BigInteger)
    latitude: Mapped[float] = mapped_column(DOUBLE_PRECISION)
    longitude: Mapped[float] = mapped_column(DOUBLE_PRECISION)
    # A degree of latitude by a degree of longitude: `points.cell_of`.
    cell: Mapped[int]
    postcode: Mapped[str | None] = mapped_column(Text)
    # Language tag to name, where it differs from `name`.
    names: Mapped[dict[str, Any] | None] = mapped_column(JSONB)


class PlaceKey(Base):
    """A name of a place in the form that names are compared in: `normalisation.search_key`."""

    __tablename__ = "place_keys"
    __table_args__ = (
        # What begins with some text, everywhere and near a point. All that a search reads of a row
        # is in the index.
        Index(
            "ix_place_keys_key",
            "key",
            text("weight DESC"),
            postgresql_include=["place_id"],
        ),
        Index(
            "ix_place_keys_cell_key",
            "cell",
            "key",
            postgresql_include=["place_id", "weight"],
        ),
        # The largest places for the first letters.
        Index(
            "ix_place_keys_beginning",
            text("left(key, 2)"),
            text("weight DESC"),
            postgresql_include=["place_id", "key"],
        ),
    )

    place_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    key: Mapped[str] = mapped_column(Text(collation="C"), primary_key=True)
    cell: Mapped[int]
    # The inhabitants of the place, or a tenth of them where the name is not its usual one.
    weight: Mapped[int] = mapped_column(BigInteger)


class PlaceSource(Base):
    """Where the places of a country came from."""

    __tablename__ = "place_sources"

    country: Mapped[str] = mapped_column(Text, primary_key=True)
    # A digest of the shipped extract; `operator` for what `adsvc places load` replaced.
    source: Mapped[str] = mapped_column(Text)
