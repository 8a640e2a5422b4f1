from typing import Annotated

from pydantic import BeforeValidator, Field

from adsvc.errors import faults
from adsvc.schemas.base import ImagePath, Record, absent, refused

Pixels = Annotated[int, Field(json_schema_extra={"format": "int32"})]

Width = Annotated[Pixels, Field(description="In pixels.", examples=[800])]

Height = Annotated[Pixels, Field(description="In pixels.", examples=[600])]


class Variant(Record):
    """The same picture as WebP, smaller."""

    path: Annotated[
        str,
        Field(
            description="Server-relative path, fetched without credentials.",
            examples=["/images/0f8fad5bd9cb469fa16570867728950e-card.webp"],
        ),
    ]
    width: Width
    height: Height


class Variants(Record):
    """Empty for a picture that was stored before there were variants."""

    thumb: Annotated[Variant, Field(description="At most 320 pixels on the long side.")] = absent()
    card: Annotated[Variant, Field(description="At most 800 pixels on the long side.")] = absent()


class Image(Record):
    id: Annotated[int, Field(examples=[17])]
    image: ImagePath
    width: Annotated[
        Pixels | None,
        Field(description="Of `image`; null where it is not known.", examples=[2048]),
    ]
    height: Annotated[
        Pixels | None,
        Field(description="Of `image`; null where it is not known.", examples=[1536]),
    ]
    variants: Variants
    placeholder: Annotated[
        str | None,
        Field(
            description="The average colour, to be shown until the picture has come.",
            pattern="^#[0-9a-f]{6}$",
            examples=["#7c6a54"],
        ),
    ]


class Images(Record):
    results: Annotated[list[Image], Field(description="In their order.")]


def _are_ids(value: object) -> object:
    """One fault for the whole list: it is right or wrong as such."""
    if not isinstance(value, list) or any(type(item) is not int for item in value):
        raise refused(faults.wrong_type("array", "must be a list of ids"))
    return value


class ImageOrder(Record):
    order: Annotated[
        list[int],
        BeforeValidator(_are_ids),
        Field(description="The ids of all pictures of the ad, each once.", examples=[[18, 17]]),
    ]
