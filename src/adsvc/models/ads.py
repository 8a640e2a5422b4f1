"""Categories, ads and their pictures."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import BigInteger, Double, ForeignKey, Text, literal_column
from sqlalchemy.dialects.postgresql import JSONB, TSVECTOR
from sqlalchemy.orm import Mapped, column_property, mapped_column, relationship

from adsvc.enums import AdStatus, PriceType
from adsvc.invalidation import AdAspect
from adsvc.models.accounts import AccountId, User
from adsvc.models.base import IN_SCHEMA, Base, BigId, CreatedAt, UpdatedAt
from adsvc.models.operation import Deletion


class Category(Base):
    __tablename__ = "categories"

    id: Mapped[BigId]
    slug: Mapped[str]
    parent_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey("categories.id"))
    name: Mapped[str]
    names: Mapped[dict[str, str]] = mapped_column(JSONB, server_default=IN_SCHEMA)
    # Lists of words by language tag.
    synonyms: Mapped[dict[str, list[str]]] = mapped_column(JSONB, server_default=IN_SCHEMA)
    position: Mapped[int] = mapped_column(server_default=IN_SCHEMA)
    icon: Mapped[str | None]
    # `#rrggbb`.
    color: Mapped[str | None]
    # The category's own attributes, as `schemas.categories.Attribute`; those of its ancestors apply
    # too.
    attributes: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default=IN_SCHEMA)


POINT = ("latitude", "longitude", "public_latitude", "public_longitude")
SHOWN = (AdStatus.ACTIVE, AdStatus.RESERVED)

# As in the partial indexes.
SHOWN_SQL = ", ".join(f"'{status}'" for status in SHOWN)

IS_HIDDEN_SQL = f"status NOT IN ({SHOWN_SQL})"

# From the columns `status` and `expires_at`: the `status` in the interface. An ad is expired from
# `expires_at` on, whether it has been marked or not.
CURRENT_STATUS = (
    f"CASE WHEN {{0}} IN ({SHOWN_SQL}) AND {{1}} <= now() THEN '{AdStatus.EXPIRED}' ELSE {{0}} END"
)


# The price by which ads are sorted and filtered, with `{0}` before the names of columns. An ad on
# request has no price, whatever is stored: it is above the largest price, or below the smallest.
PRICE_MAX = 2**31 - 1
PRICE_OR_HIGHEST, PRICE_OR_LOWEST = (
    f"CASE WHEN {{0}}price_type = '{PriceType.ON_REQUEST}' THEN '{end}'::bigint ELSE {{0}}price END"
    for end in (PRICE_MAX + 1, -1)
)


# What was begun and never finished: all drafts, and those that were withdrawn incomplete. Any other
# ad is complete.
UNFINISHED_SQL = (
    "(status = 'draft' OR status = 'withdrawn'"
    " AND (title = '' OR description = '' OR image = '' OR NOT is_priced))"
)


# The aspects of an ad that a column decides. The others only show where the ad is shown.
OF_STATUS = {"aspect": AdAspect.STATUS}
OF_WORDS = {"aspect": AdAspect.WORDS}
OF_PRICE = {"aspect": AdAspect.PRICE}
OF_CLASSIFICATION = {"aspect": AdAspect.CLASSIFICATION}
OF_LOCATION = {"aspect": AdAspect.LOCATION}


class Ad(Base):
    __tablename__ = "ads"

    id: Mapped[BigId]
    author_id: Mapped[AccountId]
    # The ad's id in its author's own system.
    external_id: Mapped[str | None]
    title: Mapped[str] = mapped_column(info=OF_WORDS)
    description: Mapped[str] = mapped_column(info=OF_WORDS)
    price: Mapped[int] = mapped_column(info=OF_PRICE)
    # Of a draft whose price is still missing, the price is 0, and this false.
    is_priced: Mapped[bool] = mapped_column(default=True)
    # The lowest of its prices of 30 days before this one, and since when it has this one. A trigger
    # writes both; null if the price has not changed since the ad was a draft.
    price_before: Mapped[int | None]
    priced_at: Mapped[datetime | None]
    # Its first picture, that one's smallest variant if it has any, and the number of pictures. Both
    # names are empty if a draft has no picture.
    # `ad_images` has the same, but would have to be read too.
    image: Mapped[str]
    thumbnail: Mapped[str | None]
    image_count: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[CreatedAt] = mapped_column(info=OF_STATUS)
    updated_at: Mapped[UpdatedAt]
    # After `expires_at` an ad is expired, whatever this column has: see
    # `repositories.ads.projection`.
    status: Mapped[str] = mapped_column(default=AdStatus.ACTIVE, info=OF_STATUS)
    expires_at: Mapped[datetime | None] = mapped_column(info=OF_STATUS)
    current_status: Mapped[str] = column_property(
        literal_column(CURRENT_STATUS.format("ads.status", "ads.expires_at"), Text)
    )
    sold_at: Mapped[datetime | None]
    # The status before `suspended` or `removed`, which it gets again if that is undone.
    hidden_from: Mapped[str | None]
    # Hidden only because its author's account is suspended.
    hidden_with_author: Mapped[bool] = mapped_column(default=False)
    price_type: Mapped[str] = mapped_column(default=PriceType.FIXED, info=OF_PRICE)
    place: Mapped[str | None]
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
        JSONB, server_default=IN_SCHEMA, info=OF_CLASSIFICATION
    )
    # Words of the attributes for the search: texts, and the labels of options in all languages.
    attribute_words: Mapped[str] = mapped_column(
        server_default=IN_SCHEMA, deferred=True, info=OF_WORDS
    )

    # Every word unchanged and as its stem, because searches may have either. A trigger writes both,
    # with the terms of `repositories.ads.search.planner`. Both are empty for ads that are not
    # shown.
    title_search: Mapped[str] = mapped_column(TSVECTOR, server_default=IN_SCHEMA, deferred=True)
    search: Mapped[str] = mapped_column(TSVECTOR, server_default=IN_SCHEMA, deferred=True)

    # Never loaded implicitly: queries that need the author join it.
    author: Mapped[User] = relationship(lazy="raise")


ASPECTS: Mapping[str, AdAspect] = {
    column.name: column.info["aspect"] for column in Ad.__table__.columns if "aspect" in column.info
}


AdId = Annotated[int, mapped_column(BigInteger, ForeignKey(Ad.id, ondelete="CASCADE"))]


class AdImage(Base):
    """One picture of an ad. The lowest position comes first; positions may have gaps.

    Triggers queue the files of a deleted row, and add the row of an ad that an older version has
    written, which knows one picture an ad.
    """

    __tablename__ = "ad_images"

    id: Mapped[BigId]
    ad_id: Mapped[AdId]
    position: Mapped[int]
    name: Mapped[str]
    # Of the stored picture; null if it is older than this column, and was not rebuilt since.
    width: Mapped[int | None]
    height: Mapped[int | None]
    # Its average colour, `#rrggbb`.
    placeholder: Mapped[str | None]
    # SHA-256 of the stored picture; null if it is older than this column.
    digest: Mapped[bytes | None]
    # `thumb` and `card`; `share` is newer.
    has_variants: Mapped[bool] = mapped_column(default=False)
    has_share: Mapped[bool] = mapped_column(default=False)


class Image(Base):
    """A picture that a row names, and the account that it counts for.

    That is the author of the ad, or the avatar's owner. A trigger removes the row when the picture
    is queued for deletion. Pictures that are older than this table are not in it, and count for no
    account.
    """

    __tablename__ = "images"

    name: Mapped[str] = mapped_column(primary_key=True)
    owner_id: Mapped[AccountId]
    bytes: Mapped[int] = mapped_column(BigInteger)


class PictureDeletion(Base):
    """A picture that no row names any more and that is still in the store.

    Triggers add it in the transaction that removes its last row. It is deleted when the file is
    certainly deleted.
    """

    __tablename__ = "picture_deletions"

    name: Mapped[str] = mapped_column(primary_key=True)


class HiddenPicture(Base):
    """A picture of an ad or account that is removed, suspended, or deleted for now.

    Authors and moderators see it, unless it is deleted. Its files have `stem` in the image store
    instead of the first part of their names, so that no client can know their addresses. Triggers
    add the row, or the deletion. It is deleted when the picture is shown again.
    """

    __tablename__ = "hidden_pictures"

    name: Mapped[str] = mapped_column(primary_key=True)
    stem: Mapped[str]
    # Of the ad or account that it went with, until the deletion is final.
    deletion_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(Deletion.id, ondelete="SET NULL")
    )
    # Whether the files have been renamed.
    is_hidden: Mapped[bool]
    # Whether the files may have to be renamed.
    is_pending: Mapped[bool]
