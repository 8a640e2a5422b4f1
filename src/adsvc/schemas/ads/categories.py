from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from adsvc.schemas.ads.attributes import (
    MOST_ATTRIBUTES,
    Attribute,
    DisplayName,
    Names,
    require_distinct,
)
from adsvc.schemas.base import Record

SLUG = "[a-z0-9-]{1,64}"

MOST_CATEGORIES = 5000

LARGEST_POSITION = 2**31 - 1

Slug = Annotated[str, StringConstraints(pattern=f"^{SLUG}$"), Field(examples=["furniture"])]


def _own(attributes: object) -> object:
    """A record that was read and is sent back has the inherited ones too."""
    if not isinstance(attributes, list):
        return attributes
    return [
        attribute
        for attribute in attributes
        if not (isinstance(attribute, dict) and attribute.get("inherited") is True)
    ]


def _distinct_names(attributes: list[Attribute]) -> list[Attribute]:
    require_distinct("names", (attribute.name for attribute in attributes))
    return attributes


class CategoryDefinition(Record):
    """What `PUT` takes: whatever is left out is as if there had never been anything."""

    parent: Annotated[Slug | None, Field(description="Null for a root.", examples=["home"])] = None
    name: Annotated[
        DisplayName, Field(description="In the language of the site.", examples=["Furniture"])
    ]
    names: Names = Field(default_factory=dict)
    position: Annotated[
        int,
        Field(
            ge=-LARGEST_POSITION,
            le=LARGEST_POSITION,
            strict=True,
            description="Among its siblings, the lowest first.",
            examples=[10],
        ),
    ] = 0
    attributes: Annotated[
        list[Attribute],
        Field(
            default_factory=list,
            max_length=MOST_ATTRIBUTES,
            description="Its own; those of its ancestors, marked as `inherited`, are ignored.",
        ),
        BeforeValidator(_own),
        AfterValidator(_distinct_names),
    ]

    def stored(self) -> dict[str, Any]:
        """What the database keeps of it as it is."""
        return {
            "name": self.name,
            "names": self.names,
            "position": self.position,
            "attributes": [attribute.stored() for attribute in self.attributes],
        }


class NamedCategory(CategoryDefinition):
    """One of a file."""

    slug: Slug


def _distinct_slugs(categories: list[NamedCategory]) -> list[NamedCategory]:
    require_distinct("slugs", (category.slug for category in categories))
    return categories


class CategoryFile(Record):
    categories: Annotated[
        list[NamedCategory], Field(max_length=MOST_CATEGORIES), AfterValidator(_distinct_slugs)
    ]


class CategoryAttribute(Attribute):
    inherited: Annotated[
        bool, Field(description="Whether an ancestor defines it.", examples=[False])
    ]


class Category(Record):
    slug: Slug
    parent: Annotated[str | None, Field(description="A slug; null for a root.", examples=["home"])]
    name: Annotated[str, Field(examples=["Furniture"])]
    names: Names
    position: Annotated[int, Field(examples=[10])]
    attributes: Annotated[
        list[CategoryAttribute], Field(description="Those of its ancestors first.")
    ]
    count: Annotated[int, Field(description="Ads to be seen in it and below it.", examples=[12])]


class Categories(Record):
    results: Annotated[
        list[Category],
        Field(description="The whole tree in the order of display, parents before children."),
    ]
