"""What a search has beside a page of ads: counts by filter, a map, similar ads, suggestions."""

from typing import Annotated, Any

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from adsvc.schemas.ads import Ad
from adsvc.schemas.base import Record, StoredPrice
from adsvc.schemas.categories import Bound

FacetCount = Annotated[int, Field(description="How many matching ads.", examples=[12])]


class PriceBand(Record):
    """How many matching ads have a price in a band."""

    min: Annotated[StoredPrice, Field(description="The lowest price in the band.", examples=[100])]
    max: Annotated[
        StoredPrice | None,
        Field(
            description="The highest price in the band. Null in the last band, which is open.",
            examples=[199],
        ),
    ]
    count: FacetCount


class Month(Record):
    """How many matching ads were created in a month."""

    month: Annotated[str, Field(description="Year and month in UTC.", examples=["2026-11"])]
    count: FacetCount


class CategoryCount(Record):
    """How many matching ads are in a category, or in one below it."""

    slug: Annotated[str, Field(description="The category's slug.", examples=["furniture"])]
    count: FacetCount


class AttributeCount(Record):
    """How many matching ads have a value of an attribute; for numbers, a value within a band.

    `attr=name:min..max` finds exactly the ads of a band.
    """

    value: Annotated[
        Any, Field(description="The value. Absent for numbers.", examples=["wood"])
    ] = None
    min: Annotated[
        Bound | SkipJsonSchema[None],
        Field(description="The lowest number in the band. Only for numbers.", examples=[80]),
    ] = None
    max: Annotated[
        Bound | SkipJsonSchema[None],
        Field(description="The highest number in the band. Only for numbers.", examples=[180]),
    ] = None
    count: FacetCount


class MapCell(Record):
    """How many matching ads are in a cell of a map."""

    latitude: Annotated[
        float,
        Field(
            description="Degrees north of the middle of the ads in the cell: of their public "
            "locations.",
            examples=[52.515],
        ),
    ]
    longitude: Annotated[float, Field(description="Degrees east of the same.", examples=[13.3757])]
    count: FacetCount
    pk: Annotated[
        int | SkipJsonSchema[None],
        Field(description="The ad's id. Only where `count` is 1.", examples=[42]),
    ] = None


class AdMap(Record):
    """The matching ads of a map, by cells."""

    results: Annotated[
        list[MapCell],
        Field(description="At most 400 cells, in no order. Cells without ads are left out."),
    ]
    count_exact: Annotated[
        bool,
        Field(
            description="False if more ads match. Then only the newest ones were counted.",
            examples=[True],
        ),
    ]


class SimilarAds(Record):
    """Ads that are like one ad."""

    results: Annotated[list[Ad], Field(description="At most 12 ads, the most similar first.")]


class AdFacets(Record):
    """Counts of the matching ads by price, month, category and attributes."""

    count: Annotated[int, Field(description="How many ads were counted.", examples=[12])]
    count_exact: Annotated[
        bool,
        Field(
            description="False if more ads match. Then only the newest ones were counted.",
            examples=[True],
        ),
    ]
    prices: Annotated[
        list[PriceBand],
        Field(description="Price bands, the lowest first. Bands without ads are left out."),
    ]
    months: Annotated[
        list[Month],
        Field(description="Months, the earliest first. Months without ads are left out."),
    ]
    categories: Annotated[
        list[CategoryCount],
        Field(
            description="The children of the category in the filter; the roots of the tree if the "
            "filter has no category."
        ),
    ]
    attributes: Annotated[
        dict[str, list[AttributeCount]],
        Field(
            description="Counts by attribute name, for the first 20 facetable attributes of the "
            "category in the filter. An attribute that is itself filtered by is counted without "
            "that filter. Values without ads are left out.",
        ),
    ]


class Suggestion(Record):
    """Something to search for."""

    text: Annotated[
        str,
        Field(
            description="A phrase to search for, or the name of the category.",
            examples=["oak table"],
        ),
    ]
    category: Annotated[
        str | None,
        Field(
            description="The slug of a category, to list its ads. Null for a phrase, which is `q`.",
            examples=[None],
        ),
    ]
    count: Annotated[
        int,
        Field(
            description="How many ads the category has; of a phrase, how many of the newest ads "
            "have it in their titles. Some minutes old.",
            examples=[12],
            ge=0,
        ),
    ]


class Suggestions(Record):
    """What to search for."""

    results: Annotated[
        list[Suggestion], Field(description="At most 10, the best first.", max_length=10)
    ]
