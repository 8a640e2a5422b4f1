"""The query parameters by which ads are found."""

from dataclasses import asdict
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from adsvc import search
from adsvc.api.pages import PageQuery
from adsvc.api.parameters import LARGEST_ID, decimal
from adsvc.errors import Fault, InvalidRequestError
from adsvc.limits import LARGEST_PRICE
from adsvc.repositories import AdFilter, Sort
from adsvc.repositories.listing_sql import EPOCH

LONGEST_SEARCH = 256
# The end of the year 9999, in milliseconds.
LAST_MOMENT = 253_402_300_799_999


# The bounds stand next to `int`, or the document would not know them for bounds.
Decimal = BeforeValidator(decimal)
Price = Annotated[int, Field(ge=0, le=LARGEST_PRICE), Decimal]
UserId = Annotated[int, Field(ge=1, le=LARGEST_ID), Decimal]
Moment = Annotated[int, Field(ge=0, le=LAST_MOMENT), Decimal]


def _moment(milliseconds: int | None) -> datetime | None:
    if milliseconds is None:
        return None
    return EPOCH + timedelta(milliseconds=milliseconds)


class FilterQuery(BaseModel):
    q: Annotated[
        str | SkipJsonSchema[None],
        Field(
            description=(
                'Words in title or description; `"a phrase"`, `-without`, `or`. The last word '
                "may be the beginning of one."
            ),
            examples=["oak table"],
            json_schema_extra={"maxLength": LONGEST_SEARCH},
        ),
    ] = None
    min_price: Annotated[
        Price | SkipJsonSchema[None],
        Field(alias="minPrice", description="The lowest price.", examples=[100]),
    ] = None
    max_price: Annotated[
        Price | SkipJsonSchema[None],
        Field(alias="maxPrice", description="The highest price.", examples=[500]),
    ] = None
    author: Annotated[
        UserId | SkipJsonSchema[None], Field(description="A user's id.", examples=[7])
    ] = None
    created_after: Annotated[
        Moment | SkipJsonSchema[None],
        Field(
            alias="createdAfter",
            description="In milliseconds since 1970-01-01T00:00Z; that moment not included.",
            examples=[1767225600000],
        ),
    ] = None
    created_before: Annotated[
        Moment | SkipJsonSchema[None],
        Field(
            alias="createdBefore",
            description="In milliseconds since 1970-01-01T00:00Z; that moment not included.",
            examples=[1798761600000],
        ),
    ] = None

    def filter(self) -> AdFilter:
        q = self.q
        if q is not None and len(q) > LONGEST_SEARCH:
            raise InvalidRequestError(
                Fault(f"must have at most {LONGEST_SEARCH} characters", "q", "parameter")
            )
        if q is not None and "\0" in q:
            raise InvalidRequestError(Fault("must not contain NUL", "q", "parameter"))
        return AdFilter(
            terms=search.parse(q) if q is not None else None,
            min_price=self.min_price,
            max_price=self.max_price,
            author=self.author,
            created_after=_moment(self.created_after),
            created_before=_moment(self.created_before),
        )


class ListingQuery(FilterQuery, PageQuery):
    sort: Annotated[
        Sort | SkipJsonSchema[None],
        Field(
            description=(
                "`-created` is the default without `q`, `relevance` with it: ads whose titles "
                "match come first, the newest first among each. Ties are broken by id."
            ),
            examples=["-price"],
        ),
    ] = None

    def order(self, ads: AdFilter) -> Sort:
        if self.sort is Sort.RELEVANCE and ads.terms is None:
            raise InvalidRequestError(Fault("relevance needs q", "sort", "parameter"))
        return self.sort or (Sort.RELEVANCE if ads.terms else Sort.NEWEST)


@lru_cache
def listing_name(ads: AdFilter, sort: Sort) -> str:
    """What a cursor belongs to: the query without its place and page size."""
    return f"ads {asdict(ads)} {sort}"
