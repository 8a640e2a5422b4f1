"""Saved searches and favorites."""

from typing import Annotated

from pydantic import Field

from adsvc import enums
from adsvc.kit.records import (
    LINE,
    CreatedAt,
    MergePatch,
    Milliseconds,
    NextCursor,
    OneOf,
    Record,
    absent,
    may_be_absent,
    moment,
)
from adsvc.schemas.ads import Ad
from adsvc.schemas.base import StoredPrice

NAME_MAX_LENGTH = 100
QUERY_MAX_LENGTH = 4000

SearchName = Annotated[
    str,
    LINE,
    Field(
        min_length=1,
        max_length=NAME_MAX_LENGTH,
        description="What the account calls it.",
        examples=["Oak tables in Berlin"],
    ),
]

Notify = Annotated[
    str,
    OneOf(*enums.Notify),
    Field(
        description="When new matches are notified of: at once (but at most once in 15 minutes), "
        "once a day, once a week, or never.",
        examples=["daily"],
    ),
]

Query = Annotated[
    str,
    Field(
        max_length=QUERY_MAX_LENGTH,
        description="The query of `GET /ads`, without `?`. `limit`, `cursor` and `sort` do not "
        "count.",
        examples=["q=oak+table&maxPrice=500"],
    ),
]


class CreateSearch(Record):
    """A search to be saved."""

    query: Query
    name: SearchName
    notify: Annotated[Notify, may_be_absent] = enums.Notify.DAILY.value


class UpdateSearch(MergePatch):
    """Changes of a saved search. Its query stays."""

    name: Annotated[SearchName, may_be_absent] = absent()
    notify: Annotated[Notify, may_be_absent] = absent()


class SavedSearch(Record):
    """A saved search of the caller."""

    id: Annotated[int, Field(examples=[8])]
    """The search's id."""
    name: Annotated[str, Field(examples=["Oak tables in Berlin"])]
    """What the account calls it."""
    query: Annotated[str, Field(examples=["q=oak+table&maxPrice=500"])]
    """The query of `GET /ads` in its canonical spelling."""
    notify: Notify
    created_at: CreatedAt
    new_count: Annotated[int, Field(examples=[3], ge=0)]
    """How many ads have come to match since the search was saved or last seen, up to 100: without
    the caller's own, and those that are no longer shown."""


class SearchAds(Record):
    """Ads that came to match a saved search, in that order."""

    results: list[Ad]
    """Without the caller's own, those of blocked accounts, and those that are no longer shown."""
    next: Annotated[str, Field(examples=["dGhpcyBpcyBub3QgYSBjdXJzb3I"])]
    """Send this as `after` to go on. It is always there."""


class SavedSearches(Record):
    """The saved searches of the caller."""

    results: list[SavedSearch]
    """The saved searches of this page, the newest first."""
    next: NextCursor


class ExportedFavorite(Record):
    """A favorite of the account."""

    pk: Annotated[int, Field(examples=[42])]
    """The ad's id."""
    added_at: Annotated[Milliseconds, moment("When it was added")]
    price_then: Annotated[
        StoredPrice, Field(description="The ad's price when it was added.", examples=[1500])
    ]


class Favorite(ExportedFavorite):
    """An ad that the caller keeps."""

    ad: Ad | None
    """The ad as it is now, also if it is sold or expired. Null if it is no longer to be seen."""


class Favorites(Record):
    """A page of favorites."""

    count: Annotated[int, Field(examples=[1])]
    """How many there are, on all pages together."""
    results: list[Favorite]
    """The newest first."""
    next: NextCursor
