"""Towns and villages, by which ads and searches have a location."""

from typing import Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from adsvc.kit.records import Record


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
