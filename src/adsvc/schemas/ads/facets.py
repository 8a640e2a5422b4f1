"""How many ads there are, by what can be filtered next."""

from typing import Annotated, Any

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from adsvc.schemas.ads.attributes import Bound
from adsvc.schemas.base import Record
from adsvc.schemas.fields import StoredPrice


class PriceBand(Record):
    min: Annotated[StoredPrice, Field(description="The lowest price in the band.", examples=[100])]
    max: Annotated[
        StoredPrice | None, Field(description="The highest; null in the last band.", examples=[199])
    ]
    count: Annotated[int, Field(examples=[12])]


class Month(Record):
    month: Annotated[str, Field(description="In UTC.", examples=["2026-11"])]
    count: Annotated[int, Field(examples=[12])]


class CategoryCount(Record):
    slug: Annotated[str, Field(examples=["furniture"])]
    count: Annotated[int, Field(examples=[12])]


class AttributeCount(Record):
    """Of one value, or of a band of numbers, whose ends are numbers that ads have."""

    value: Annotated[Any, Field(description="Of attributes but numbers.", examples=["wood"])] = None
    min: Annotated[
        Bound | SkipJsonSchema[None],
        Field(description="Of numbers.", examples=[80]),
    ] = None
    max: Annotated[
        Bound | SkipJsonSchema[None],
        Field(description="Of numbers.", examples=[180]),
    ] = None
    count: Annotated[int, Field(examples=[12])]


class AdFacets(Record):
    count: Annotated[int, Field(description="How many ads were counted.", examples=[12])]
    count_exact: Annotated[
        bool,
        Field(
            description="False when more ads match: the newest of them were counted.",
            examples=[True],
        ),
    ]
    prices: Annotated[list[PriceBand], Field(description="Bands with ads, lowest first.")]
    months: Annotated[list[Month], Field(description="Months with new ads, earliest first.")]
    categories: Annotated[
        list[CategoryCount],
        Field(description="The children of the category asked for; the roots without one."),
    ]
    attributes: Annotated[
        dict[str, list[AttributeCount]],
        Field(
            description="The facetable ones of the category asked for, the first 20; each counted "
            "without the filter by itself. Only values that ads have.",
        ),
    ]
