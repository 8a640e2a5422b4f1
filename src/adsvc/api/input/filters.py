"""The query parameters by which ads are found."""

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from adsvc.api.app_state import AppState
from adsvc.api.input import places
from adsvc.api.input.paging import Page, PageQuery
from adsvc.api.input.parameters import LARGEST_SAFE_INTEGER, decimal
from adsvc.errors import Fault, InvalidRequestError
from adsvc.limits import LARGEST_PRICE
from adsvc.models import AdStatus, PriceType
from adsvc.repositories import AdFilter, Sort
from adsvc.repositories.ads import terms
from adsvc.repositories.ads.attributes import AttributeFilter, Branch
from adsvc.repositories.ads.filter import ALL_STATUSES
from adsvc.repositories.ads.order import EPOCH
from adsvc.repositories.ads.places.shapes import LARGEST_RADIUS
from adsvc.schemas.ads.ad import Status
from adsvc.schemas.ads.categories import SLUG
from adsvc.services.categories import filters as categories
from adsvc.services.categories.filters import MOST_ATTRIBUTES
from adsvc.services.categories.tree import CategoryTree

LONGEST_SEARCH = 256

# The end of the year 9999, in milliseconds.
LAST_MOMENT = 253_402_300_799_999

# The bounds stand next to `int`, or the document would not know them for bounds.
Decimal = BeforeValidator(decimal)

Price = Annotated[int, Field(ge=0, le=LARGEST_PRICE), Decimal]

UserId = Annotated[
    int,
    Field(ge=1, le=LARGEST_SAFE_INTEGER),
    Decimal,
]

Moment = Annotated[int, Field(ge=0, le=LAST_MOMENT), Decimal]

Radius = Annotated[int, Field(ge=1, le=LARGEST_RADIUS), Decimal]


def _moment(milliseconds: int | None) -> datetime | None:
    if milliseconds is None:
        return None
    return EPOCH + timedelta(milliseconds=milliseconds)


def _terms(q: str, most_words: int) -> terms.Terms:
    if len(q) > LONGEST_SEARCH:
        fault = f"must have at most {LONGEST_SEARCH} characters"
    elif "\0" in q:
        fault = "must not contain NUL"
    elif terms.count_words(q) > most_words:
        fault = f"must have at most {most_words} words"
    else:
        return terms.parse(q)
    raise InvalidRequestError(Fault(fault, "q", "parameter"))


class FilterQuery(BaseModel):
    q: Annotated[
        str | SkipJsonSchema[None],
        Field(
            description=(
                'Words in title or description; `"a phrase"`, `-without`, `or`. The last word '
                "may be the beginning of one. There may be a dozen words, and 100 ads on a page."
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

    category: Annotated[
        str | SkipJsonSchema[None],
        Field(
            description="A category's slug: ads of it and of all below it.",
            examples=["furniture"],
            json_schema_extra={"pattern": f"^{SLUG}$"},
        ),
    ] = None
    attr: Annotated[
        list[str],
        Field(
            default_factory=list,
            description=(
                "A filterable attribute: `fuel:diesel`, `fuel:diesel|petrol` for any of several,"
                " `year:2015..2020` for a range with both ends, `mileage:..50000`, `parking:true`."
                " There may be several, and all of them hold."
            ),
            examples=[["material:wood|metal", "width:..200"]],
            json_schema_extra={"maxItems": MOST_ATTRIBUTES},
        ),
    ]
    price_type: Annotated[
        PriceType | SkipJsonSchema[None],
        Field(alias="priceType", description="How the price is meant.", examples=["negotiable"]),
    ] = None
    near: Annotated[
        str | SkipJsonSchema[None],
        Field(
            description=(
                "Latitude and longitude (WGS 84, degrees): ads whose public location is at most "
                "`radius` away, each with its `distance`. The order stays what it is."
            ),
            examples=["52.52,13.405"],
            json_schema_extra={"pattern": f"^{places.POINT}$"},
        ),
    ] = None
    radius: Annotated[
        Radius | SkipJsonSchema[None],
        Field(
            description=f"In metres, {places.DEFAULT_RADIUS} if absent. Needs `near`.",
            examples=[10000],
        ),
    ] = None
    bbox: Annotated[
        str | SkipJsonSchema[None],
        Field(
            description=(
                "West, south, east, north (degrees): ads whose public location lies between. "
                "West beyond east crosses the 180th meridian."
            ),
            examples=["13.1,52.3,13.8,52.7"],
            json_schema_extra={"pattern": f"^{places.BOX}$"},
        ),
    ] = None

    @property
    def needs_tree(self) -> bool:
        return self.category is not None or bool(self.attr)

    def filter(self, tree: CategoryTree | None, *, most_words: int) -> AdFilter:
        """`tree` is needed for categories and attributes."""
        return AdFilter(
            terms=_terms(self.q, most_words) if self.q is not None else None,
            min_price=self.min_price,
            max_price=self.max_price,
            author=self.author,
            created_after=_moment(self.created_after),
            created_before=_moment(self.created_before),
            category=self._branch(tree),
            attributes=self._attributes(tree),
            price_type=self.price_type,
            near=places.circle(self.near, self.radius),
            box=places.box(self.bbox),
        )

    def _branch(self, tree: CategoryTree | None) -> Branch | None:
        if self.category is None or tree is None:
            return None
        return categories.branch(tree, self.category)

    def _attributes(self, tree: CategoryTree | None) -> tuple[AttributeFilter, ...] | None:
        if not self.attr or tree is None:
            return None
        return categories.attribute_filters(tree, self.category, self.attr)


class OwnListingQuery(PageQuery):
    status: Annotated[
        list[Status],
        Field(
            default_factory=list,
            description="Only ads with this status, or with one of several; else all.",
            examples=[["draft", "active"]],
        ),
    ]

    @property
    def statuses(self) -> tuple[AdStatus, ...]:
        chosen = tuple(status for status in AdStatus if status in self.status)
        return chosen or ALL_STATUSES

    def own_page(self, path: str, state: AppState) -> Page:
        chosen = self.statuses if self.status else ()
        return self.page(path, [("status", status) for status in chosen], state)


class ListingQuery(FilterQuery, PageQuery):
    sort: Annotated[
        Sort | SkipJsonSchema[None],
        Field(
            description=(
                "`-created` is the default without `q`, `relevance` with it: ads whose titles "
                "match come first, the newest first among each. `distance`, with `near`, has the "
                "newest first among those equally far. Ties are broken by id."
            ),
            examples=["-price"],
        ),
    ] = None

    def order(self, ads: AdFilter) -> Sort:
        if self.sort is Sort.RELEVANCE and ads.terms is None:
            raise InvalidRequestError(Fault("relevance needs q", "sort", "parameter"))
        if self.sort is Sort.DISTANCE and ads.near is None:
            raise InvalidRequestError(Fault("distance needs near", "sort", "parameter"))
        return self.sort or (Sort.RELEVANCE if ads.terms else Sort.NEWEST)
