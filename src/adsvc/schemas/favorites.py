"""Ads that an account keeps."""

from typing import Annotated

from pydantic import Field

from adsvc.kit.records import Milliseconds, NextCursor, Record, moment
from adsvc.schemas.ads import Ad
from adsvc.schemas.base import StoredPrice


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
