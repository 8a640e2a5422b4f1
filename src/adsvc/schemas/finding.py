"""Records of places, and of what a search has beside a page of ads."""

from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from adsvc.kit.records import Record
from adsvc.schemas.ads import Ad
from adsvc.schemas.base import StoredPrice
from adsvc.schemas.categories import Bound

FacetCount = Annotated[int, Field(description="How many matching ads.", examples=[12])]


class PriceBand(Record):
    """How many matching ads have a price in a band."""

    min: Annotated[StoredPrice, Field(description="The lowest price in the band.", examples=[100])]
    max: Annotated[StoredPrice | None, Field(examples=[199])]
    """The highest price in the band. Null in the last band, which is open."""
    count: FacetCount


class Month(Record):
    """How many matching ads were created in a month."""

    month: Annotated[str, Field(examples=["2026-11"])]
    """Year and month in UTC."""
    count: FacetCount


class CategoryCount(Record):
    """How many matching ads are in a category, or in one below it."""

    slug: Annotated[str, Field(examples=["furniture"])]
    """The category's slug."""
    count: FacetCount


class AttributeCount(Record):
    """How many matching ads have a value of an attribute; for numbers, a value within a band.

    `attr=name:min..max` finds exactly the ads of a band.
    """

    value: Annotated[Any, Field(examples=["wood"])] = None
    """The value. Absent for numbers."""
    min: Annotated[Bound | SkipJsonSchema[None], Field(examples=[80])] = None
    """The lowest number in the band. Only for numbers."""
    max: Annotated[Bound | SkipJsonSchema[None], Field(examples=[180])] = None
    """The highest number in the band. Only for numbers."""
    count: FacetCount


class MapCell(Record):
    """How many matching ads are in a cell of a map."""

    latitude: Annotated[float, Field(examples=[52.515])]
    """Degrees north of the middle of the ads in the cell: of their public locations."""
    longitude: Annotated[float, Field(examples=[13.3757])]
    """Degrees east of the same."""
    count: FacetCount
    pk: Annotated[int | SkipJsonSchema[None], Field(examples=[42])] = None
    """The ad's id. Only where `count` is 1."""


class AdMap(Record):
    """The matching ads of a map, by cells."""

    results: list[MapCell]
    """At most 400 cells, in no order. Cells without ads are left out."""
    count_exact: Annotated[bool, Field(examples=[True])]
    """False if more ads match. Then only the newest ones were counted."""


class SimilarAds(Record):
    """Ads that are like one ad."""

    results: list[Ad]
    """At most 12 ads, the most similar first."""


class AdFacets(Record):
    """Counts of the matching ads by price, month, category and attributes."""

    count: Annotated[int, Field(examples=[12])]
    """How many ads were counted."""
    count_exact: Annotated[bool, Field(examples=[True])]
    """False if more ads match. Then only the newest ones were counted."""
    prices: list[PriceBand]
    """Price bands, the lowest first. Bands without ads are left out, and
    ads on request are in none."""
    months: list[Month]
    """Months, the earliest first. Months without ads are left out."""
    categories: list[CategoryCount]
    """The children of the category in the filter; the roots of the tree if the filter has no
    category."""
    attributes: dict[str, list[AttributeCount]]
    """Counts by attribute name, for the first 20 facetable attributes of the category in the
    filter. An attribute that is itself filtered by is counted without that filter. Values without
    ads are left out."""


class Suggestion(Record):
    """Something to search for."""

    kind: Annotated[Literal["category", "brand", "place", "phrase"], Field(examples=["phrase"])]
    """`brand` is an option without translations, such as a make of cars."""
    text: Annotated[str, Field(examples=["oak table"])]
    """A phrase to search for, or the name of the category or place."""
    category: Annotated[str | None, Field(examples=[None])]
    """The slug of a category, to list its ads. For the other kinds `text` is `q`: with a slug the
    words belong to that category (`golf` in Cars), and are searched for within it."""
    count: Annotated[int, Field(examples=[12], ge=0)]
    """How many ads the category has; of a place, how many of the newest ads are there; of the
    others, how many of the newest ads have it in their titles or attributes. Some minutes old."""


class Suggestions(Record):
    """What to search for."""

    results: Annotated[list[Suggestion], Field(max_length=10)]
    """At most 10, the best first."""


class Place(Record):
    """A town, a village, or an area with a postcode. From GeoNames (CC BY 4.0)."""

    id: Annotated[int, Field(examples=[2875115], json_schema_extra={"format": "int64"})]
    """The place's id, for `near=place:ID`."""
    name: Annotated[str, Field(examples=["Lüneburg"])]
    """Its name, in the caller's language where it is known."""
    region: Annotated[str | None, Field(examples=["Lower Saxony"])]
    """The state or province that it is in; null if it is unknown."""
    country: Annotated[str, Field(examples=["DE"])]
    """The country's code: two capital letters (ISO 3166-1)."""
    latitude: Annotated[float, Field(examples=[53.251])]
    """Degrees north of its centre (WGS 84)."""
    longitude: Annotated[float, Field(examples=[10.415])]
    """Degrees east of its centre (WGS 84)."""
    postcode: Annotated[str | SkipJsonSchema[None], Field(examples=["10115"])] = None
    """The postcode, if it was what matched. Absent otherwise."""


class Places(Record):
    """Places whose names begin with what was typed."""

    results: Annotated[list[Place], Field(description="The places, the best match first.")]
