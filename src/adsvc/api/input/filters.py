"""The query parameters by which ads are found."""

import re
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from adsvc.api.input.parameters import (
    LARGEST_SAFE_INTEGER,
    PageLimits,
    PageQuery,
    Pairs,
    QueryModel,
    WholeNumber,
)
from adsvc.enums import AdStatus, PriceType
from adsvc.errors import Gathering, InvalidRequestError
from adsvc.kit import faults
from adsvc.limits import LARGEST_PRICE
from adsvc.public_location import Point
from adsvc.repositories.ads import search_words
from adsvc.repositories.ads.criteria import (
    ALL_STATUSES,
    EPOCH,
    AdFilter,
    AttributeFilter,
    Branch,
    Sort,
    order_of,
)
from adsvc.repositories.ads.places import DEFAULT_RADIUS, LARGEST_RADIUS, Box, Circle
from adsvc.schemas.ads import Status
from adsvc.schemas.base import ExternalId
from adsvc.schemas.categories import SLUG
from adsvc.services.categories import reading
from adsvc.services.categories.reading import MOST_ATTRIBUTES, CategoryTree

# More decimals make no difference on the ground: the sixth is a tenth of a metre.
DECIMALS = 6

# Degrees in decimals: no exponents, no `+`, no leading zeros.
FRACTION = r"(?:\.[0-9]{1,15})?"
LATITUDE = rf"-?(?:90(?:\.0{{1,15}})?|[1-8]?[0-9]{FRACTION})"
LONGITUDE = rf"-?(?:180(?:\.0{{1,15}})?|(?:1[0-7]|[1-9])?[0-9]{FRACTION})"

# Maps and people write a space behind it.
COMMA = " *, *"
POINT = rf" *{LATITUDE}{COMMA}{LONGITUDE} *"
# A place instead of a point, in filters.
PLACE = r" *place:([1-9][0-9]{0,15}) *"
BOX = rf" *{LONGITUDE}{COMMA}{LATITUDE}{COMMA}{LONGITUDE}{COMMA}{LATITUDE} *"


def circle(near: str | None, radius: int | None) -> Circle | None:
    if near is None:
        if radius is not None:
            raise InvalidRequestError(faults.inconsistent("needs near").of("radius"))
        return None
    return Circle(*point(near), DEFAULT_RADIUS if radius is None else radius)


def point(near: str) -> Point:
    """The point of the parameter `near`. Raises its fault."""
    latitude, longitude = _degrees(near, POINT, "near", "a latitude and a longitude in degrees")
    # -180 and 180 are the same meridian.
    return Point(latitude, -180.0 if longitude == 180 else longitude)  # noqa: PLR2004


def box(bbox: str | None) -> Box | None:
    if bbox is None:
        return None
    found = Box(*_degrees(bbox, BOX, "bbox", "west, south, east and north in degrees"))
    if found.south > found.north:
        fault = faults.inconsistent("has its south above its north")
        raise InvalidRequestError(fault.of("bbox"))
    return found


def _degrees(value: str, pattern: str, name: str, meaning: str) -> list[float]:
    if not re.fullmatch(pattern, value):
        fault = faults.wrong_format(f"must be {meaning}, with commas", pattern=f"^{pattern}$")
        raise InvalidRequestError(fault.of(name))
    # Adding 0.0 makes -0.0 positive, so that a place has one text.
    return [round(float(part), DECIMALS) + 0.0 for part in value.split(",")]


def canonical_value(name: str, value: str) -> str | None:
    """The canonical form of a valid parameter; None to leave it out."""
    if name == "q":
        return search_words.normal_form(value)
    if name == "radius":
        return None if int(value) == DEFAULT_RADIUS else value
    if (near := circle(value, None) if name == "near" else None) is not None:
        return _text(near.latitude, near.longitude)
    if (found := box(value) if name == "bbox" else None) is not None:
        return _text(found.west, found.south, found.east, found.north)
    return value


def _text(*degrees: float) -> str:
    return ",".join(f"{at:.{DECIMALS}f}".rstrip("0").rstrip(".") for at in degrees)


LONGEST_SEARCH = 256

# The end of the year 9999, in milliseconds.
LAST_MOMENT = 253_402_300_799_999

Price = Annotated[int, WholeNumber(0, LARGEST_PRICE)]

UserId = Annotated[int, WholeNumber(1, LARGEST_SAFE_INTEGER)]

Moment = Annotated[int, WholeNumber(0, LAST_MOMENT)]

Radius = Annotated[int, WholeNumber(1, LARGEST_RADIUS)]


def moment_of(milliseconds: int | None) -> datetime | None:
    if milliseconds is None:
        return None
    return EPOCH + timedelta(milliseconds=milliseconds)


def _require_order(lower: str, least: int | None, upper: str, most: int | None) -> None:
    """`InvalidRequestError` for an empty range."""
    if least is not None and most is not None and least > most:
        raise InvalidRequestError(faults.inconsistent(f"must not be above {upper}").of(lower))


def typed(q: str) -> str:
    """Its normal form, to which the bound on its length applies."""
    normal = search_words.normal_form(q)
    if len(normal) > LONGEST_SEARCH:
        raise InvalidRequestError(faults.wrong_length(None, LONGEST_SEARCH).of("q"))
    if "\0" in q:
        raise InvalidRequestError(faults.wrong_format("must not contain NUL").of("q"))
    return normal


def terms_of(q: str, most_words: int) -> search_words.Terms:
    q = typed(q)
    if search_words.count_words(q) > most_words:
        raise InvalidRequestError(faults.wrong_count("words", upper=most_words).of("q"))
    return search_words.parse(q)


class FilterQuery(QueryModel):
    gathers = True

    q: Annotated[
        str | SkipJsonSchema[None],
        Field(examples=["oak table"], json_schema_extra={"maxLength": LONGEST_SEARCH}),
    ] = None
    """Words in title, description or attributes, or of the category (its names and synonyms, and
    those of the categories above), in any order; also `"a phrase"`, `-without` and `or`. The last
    word may be the beginning of one. Unless the site has set other limits, at most 12 words, and
    100 ads on a page; of more words, the rarest count."""
    min_price: Annotated[Price | SkipJsonSchema[None], Field(alias="minPrice", examples=[100])] = (
        None
    )
    """The lowest price, included. Ads on request have none, and do not match."""
    max_price: Annotated[Price | SkipJsonSchema[None], Field(alias="maxPrice", examples=[500])] = (
        None
    )
    """The highest price, included. Ads on request have none, and do not match."""
    author: Annotated[UserId | SkipJsonSchema[None], Field(examples=[7])] = None
    """Only ads of the account with this id."""
    created_after: Annotated[
        Moment | SkipJsonSchema[None], Field(alias="createdAfter", examples=[1767225600000])
    ] = None
    """Only ads created after this moment, in milliseconds since 1970-01-01T00:00Z."""
    created_before: Annotated[
        Moment | SkipJsonSchema[None], Field(alias="createdBefore", examples=[1798761600000])
    ] = None
    """Only ads created before this moment, in milliseconds since 1970-01-01T00:00Z."""

    category: Annotated[
        str | SkipJsonSchema[None],
        Field(examples=["furniture"], json_schema_extra={"pattern": f"^{SLUG}$"}),
    ] = None
    """A category's slug: only ads in it and in the categories below it."""
    attr: Annotated[
        list[str],
        Field(
            default_factory=list,
            examples=[["material:wood|metal", "width:..200"]],
            json_schema_extra={"maxItems": MOST_ATTRIBUTES},
        ),
    ]
    """A filter by an attribute that is `filterable`: `fuel:diesel`, `fuel:diesel|petrol` (any of
    them), `year:2015..2020` (both ends included), `mileage:..50000`, `parking:true`. Ads match if
    they pass every `attr`."""
    price_type: Annotated[
        PriceType | SkipJsonSchema[None], Field(alias="priceType", examples=["negotiable"])
    ] = None
    """Only ads with this price type."""
    near: Annotated[
        str | SkipJsonSchema[None],
        Field(
            examples=["52.52,13.405"],
            json_schema_extra={"pattern": f"^(?:{POINT}|{PLACE.replace('(', '(?:')})$"},
        ),
    ] = None
    """Latitude and longitude in degrees (WGS 84), or `place:` and the id of a place: only ads whose
    public location is at most `radius` away, each with its `distance`. It does not change the
    order."""
    radius: Annotated[
        Radius | SkipJsonSchema[None],
        Field(
            description=f"Distance from `near` in metres; {DEFAULT_RADIUS} without it.",
            examples=[10000],
        ),
    ] = None
    bbox: Annotated[
        str | SkipJsonSchema[None],
        Field(examples=["13.1,52.3,13.8,52.7"], json_schema_extra={"pattern": f"^{BOX}$"}),
    ] = None
    """West, south, east and north in degrees: only ads whose public location lies in between. A box
    with west above east crosses the 180th meridian."""

    @property
    def needs_tree(self) -> bool:
        return self.category is not None or bool(self.attr)

    def filter(self, tree: CategoryTree | None, *, most_words: int) -> AdFilter:
        """`tree` is needed for categories and attributes. Raises all faults at once."""
        gathering = Gathering(self.faults)
        attempt = gathering.attempt
        found = AdFilter(
            terms=attempt(lambda: None if self.q is None else terms_of(self.q, most_words)),
            min_price=self.min_price,
            max_price=self.max_price,
            author=self.author,
            created_after=moment_of(self.created_after),
            created_before=moment_of(self.created_before),
            category=attempt(lambda: self._branch(tree)),
            attributes=attempt(lambda: self._attributes(tree)),
            price_type=self.price_type,
            near=attempt(lambda: circle(self.near, self.radius)),
            box=attempt(lambda: box(self.bbox)),
        )
        attempt(lambda: _require_order("minPrice", self.min_price, "maxPrice", self.max_price))
        moments = self.created_after, self.created_before
        attempt(lambda: _require_order("createdAfter", moments[0], "createdBefore", moments[1]))
        gathering.refuse()
        return found

    def _branch(self, tree: CategoryTree | None) -> Branch | None:
        if self.category is None or tree is None:
            return None
        return reading.branch(tree, self.category)

    def _attributes(self, tree: CategoryTree | None) -> tuple[AttributeFilter, ...] | None:
        if not self.attr or tree is None:
            return None
        # If the category does not exist, its attributes are unknown: then accept those of all.
        slug = self.category if self.category in tree.nodes else None
        return reading.attribute_filters(tree, slug, self.attr)


class MapQuery(FilterQuery):
    bbox: Annotated[
        str, Field(examples=["13.1,52.3,13.8,52.7"], json_schema_extra={"pattern": f"^{BOX}$"})
    ]
    """The edges of the map: west, south, east and north in degrees. A box with west above east
    crosses the 180th meridian."""


class OwnListingQuery(PageQuery):
    status: Annotated[list[Status], Field(default_factory=list, examples=[["draft", "active"]])]
    """Only ads with one of these statuses; all without it."""
    external_id: Annotated[ExternalId | SkipJsonSchema[None], Field(alias="externalId")] = None
    """Only the ad with this id in its author's own system."""

    @property
    def statuses(self) -> tuple[AdStatus, ...]:
        chosen = tuple(status for status in AdStatus if status in self.status)
        return chosen or ALL_STATUSES


class ListingQuery(FilterQuery, PageQuery):
    sort: Annotated[Sort | SkipJsonSchema[None], Field(examples=["-price"])] = None
    """The order. `-created` (newest first) is the default without `q`, `relevance` with it: ads
    that have the words, then those with a word that begins like the last one; of each, those with
    matching titles, or names of their category, first, then the newest. `distance` needs `near`.
    Ties are in the order of ids."""

    def order(self) -> Sort:
        if self.sort is Sort.RELEVANCE and self.q is None:
            raise InvalidRequestError(faults.inconsistent("relevance needs q").of("sort"))
        if self.sort is Sort.DISTANCE and self.near is None:
            raise InvalidRequestError(faults.inconsistent("distance needs near").of("sort"))
        return self.sort or (Sort.NEWEST if self.q is None else Sort.RELEVANCE)

    def resolved(self, tree: CategoryTree | None, limits: PageLimits) -> tuple[AdFilter, Sort, int]:
        """The filter, the order and the page size. Raises all faults at once."""
        most = limits.page_size_max if self.q is None else limits.search_page_size_max
        words = limits.search_words_max
        try:
            return self.filter(tree, most_words=words), self.order(), self.size(limits, most)
        except InvalidRequestError as error:
            gathering = Gathering(error.faults)
        # The first refusal may not have all faults.
        gathering.attempt(self.order)
        gathering.attempt(lambda: self.size(limits, most))
        raise InvalidRequestError(*gathering.faults)


# In the order in which `Link` has them; the parameters of the page follow.
FILTERS = tuple(field.alias or name for name, field in FilterQuery.model_fields.items())

KNOWN = (*FILTERS, "sort", "limit", "cursor")

# A parameter that may be sent several times; ads have to match all of them.
REPEATABLE = "attr"


def known_pairs(pairs: Pairs) -> Pairs:
    """The known parameters in one order. The last one counts, except for `REPEATABLE`.

    They have to be valid. A place that can be written in several ways is written in one.
    """
    given = dict(pairs)
    attributes = {reading.canonical_filter(value) for name, value in pairs if name == REPEATABLE}
    known: Pairs = []
    for name in KNOWN:
        if name == REPEATABLE:
            known += [(name, value) for value in sorted(attributes)]
        elif name in given:
            known.append((name, given[name]))
    canonical = ((name, canonical_value(name, value)) for name, value in known)
    return [(name, value) for name, value in canonical if value is not None]


def filters_among(known: Pairs) -> Pairs:
    """The parameters that a page shares with the next one."""
    return [pair for pair in known if pair[0] not in PageQuery.model_fields]


# What a page has besides its filters.
NOT_SAVED = ("sort", *PageQuery.model_fields)


@lru_cache
def listing_name(ads: AdFilter, sort: Sort) -> str:
    """The listing that a cursor belongs to: the set filters, the order, and the order's columns.

    A filter that is not set is left out, so that a new filter invalidates no cursor. If the columns
    of an order change, its old cursors are refused and not misread.
    """
    kind = "ads" if ads.terms is None else "search"
    return f"{kind} {ads.given} {sort} {order_of(ads, sort).by}"
