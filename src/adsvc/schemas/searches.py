"""Saved searches."""

from typing import Annotated

from pydantic import Field

from adsvc import enums
from adsvc.kit.records import (
    LINE,
    CreatedAt,
    MergePatch,
    NextCursor,
    OneOf,
    Record,
    absent,
    may_be_absent,
)
from adsvc.schemas.ads import Ad

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
