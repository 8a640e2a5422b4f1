"""Points on the globe, in degrees of WGS 84."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from adsvc.errors import faults
from adsvc.schemas.base import (
    ImagePath,
    MergePatch,
    Milliseconds,
    Record,
    absent,
    may_be_absent,
    refused,
)
from adsvc.schemas.categories import Bound, Slug
from adsvc.schemas.fields import Description, Place, Price, StoredPrice, Title


def _degrees(most: int) -> Any:  # noqa: ANN401 - as pydantic's own Field
    return Field(strict=True, ge=-most, le=most, allow_inf_nan=False)


# There is one zero: `-0.0` is told as it.
_without_sign = AfterValidator(lambda degrees: degrees + 0.0)


class Location(Record):
    latitude: Annotated[float, _degrees(90), _without_sign, Field(examples=[52.5163])]
    longitude: Annotated[float, _degrees(180), _without_sign, Field(examples=[13.3777])]


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


# As `models.AdStatus`.
Status = Literal[
    "draft", "active", "reserved", "sold", "withdrawn", "expired", "suspended", "removed"
]

AdStatus = Annotated[
    Status,
    Field(
        description="Everybody sees active and reserved ads in lists; the others are their "
        "author's.",
        examples=["active"],
    ),
]


AdId = Annotated[int, Field(validation_alias="id", description="The ad's id.", examples=[42])]

Thumbnail = Annotated[
    ImagePath,
    Field(
        description="The first picture as its smallest variant, or as it is while it has none.",
        examples=["/images/0f8fad5bd9cb469fa16570867728950e-thumb.webp"],
    ),
]

ImageCount = Annotated[int, Field(description="How many pictures it has.", examples=[3])]

AuthorId = Annotated[
    int, Field(validation_alias="author_id", description="The author's user id.", examples=[7])
]

# As `models.PriceType`.
PriceType = Annotated[
    Literal["fixed", "negotiable", "free", "onRequest"],
    Field(description="What the price means; `fixed` unless it is said.", examples=["negotiable"]),
]

PlaceOrNone = Annotated[
    str | None, Field(description="Where it is, in words.", examples=["Berlin-Kreuzberg"])
]

PublicLocation = Annotated[
    Location | None,
    Field(
        description="Where it is to about a kilometre, the same each time. The exact point is "
        "for the author alone."
    ),
]

CategorySlug = Annotated[
    str | None, Field(description="The slug of its category, if any.", examples=["furniture"])
]

Attributes = Annotated[
    dict[str, Any],
    Field(
        description="What it tells of its thing, by the names that its category defines.",
        examples=[{"material": "wood", "width": 180}],
    ),
]


class CreateOrUpdateAd(MergePatch):
    title: Annotated[Title, may_be_absent] = absent()
    price: Annotated[Price, may_be_absent] = absent()
    description: Annotated[Description, may_be_absent] = absent()
    category: Annotated[
        Slug | None,
        Field(description="A slug. Null removes the category, and all attributes with it."),
    ] = absent()
    attributes: Annotated[
        dict[str, Any],
        may_be_absent,
        Field(
            description="As `GET /categories/{slug}/schema` says. Null removes one; those that are "
            "absent stay.",
            examples=[{"material": "wood", "width": 180}],
        ),
    ] = absent()
    price_type: Annotated[PriceType, may_be_absent] = absent()
    place: Annotated[Place | None, Field(description="Null removes it.")] = absent()
    location: Annotated[
        Location | None,
        Field(
            description="The exact point, which others are told to about a kilometre. Null "
            "removes it."
        ),
    ] = absent()


class CreateAd(CreateOrUpdateAd):
    """What is asked of a new ad."""

    model_config = ConfigDict(json_schema_extra={})

    title: Title
    price: Price
    description: Description
    category: Annotated[Slug | None, Field(description="A slug. Null is as if left out.")] = (
        absent()
    )
    attributes: Annotated[
        dict[str, Any],
        may_be_absent,
        Field(
            description="As `GET /categories/{slug}/schema` says.",
            examples=[{"material": "wood", "width": 180}],
        ),
    ] = absent()
    place: Annotated[
        Place | None, Field(description="Where it is, in words. Null is as if left out.")
    ] = absent()
    location: Annotated[
        Location | None,
        Field(
            description="The exact point, which others are told to about a kilometre. Null is as "
            "if left out."
        ),
    ] = absent()
    status: Annotated[
        Literal["active", "draft"],
        may_be_absent,
        Field(description="A draft is shown to its author only, until it is published."),
    ] = absent()


class Sale(Record):
    price: Annotated[Price, may_be_absent] = absent()


class Ad(Record):
    pk: AdId
    author: AuthorId
    image: ImagePath
    thumbnail: Thumbnail
    image_count: ImageCount
    price: StoredPrice
    title: Annotated[str, Field(examples=["Oak table, seats six"])]
    status: AdStatus
    category: CategorySlug
    price_type: PriceType
    place: PlaceOrNone
    location: PublicLocation
    created_at: Milliseconds
    updated_at: Milliseconds
    distance: Annotated[
        int | SkipJsonSchema[None],
        Field(
            description="Metres from `near` to the ad's public location; only with `near`.",
            examples=[1830],
        ),
    ] = None


class Ads(Record):
    count: Annotated[
        int, Field(description="How many ads match in all, not on this page.", examples=[1])
    ]
    count_exact: Annotated[
        bool,
        Field(
            description="False when more than `count` ads match; all ads are counted exactly.",
            examples=[True],
        ),
    ]
    results: list[Ad]
    next: Annotated[
        str | None,
        Field(description="The `cursor` of the next page; null on the last.", examples=[None]),
    ]


class AdPage(Record):
    """What a page about one ad shows of it, to whomever."""

    pk: AdId
    title: Annotated[str, Field(examples=["Oak table, seats six"])]
    price: StoredPrice
    price_type: PriceType
    description: Annotated[str, Field(examples=["Solid oak, oiled, 180 by 90 cm, one scratch."])]
    image: ImagePath
    thumbnail: Thumbnail
    image_count: ImageCount
    images: Annotated[list[Image], Field(description="All pictures, in their order.")]
    place: PlaceOrNone
    location: PublicLocation
    category: CategorySlug
    attributes: Attributes
    status: AdStatus
    expires_at: Annotated[
        Milliseconds | None,
        Field(description="From then on the ad is expired; null for never.", examples=[None]),
    ]
    sold_at: Annotated[Milliseconds | None, Field(description="When it was sold.", examples=[None])]
    created_at: Milliseconds
    updated_at: Milliseconds


class ExtendedAd(AdPage):
    """Its author gets the exact `location`."""

    author: AuthorId
    author_first_name: Annotated[str, Field(examples=["Anna"])]
    author_last_name: Annotated[str, Field(examples=["Berg"])]
    email: Annotated[
        str,
        Field(
            description="The author's user name.",
            examples=["anna@example.com"],
        ),
    ]
    phone: Annotated[str, Field(examples=["+49 30 1234567"])]


class AdAuthor(Record):
    """What everybody is told of an author."""

    id: Annotated[int, Field(examples=[7])]
    first_name: Annotated[str, Field(examples=["Anna"])]
    image: ImagePath | None
    since: Annotated[Milliseconds, Field(description="When the account was made.")]
    ad_count: Annotated[
        int, Field(description="How many of the author's ads everybody sees.", examples=[3])
    ]


class AdDetails(AdPage):
    """What `ExtendedAd` tells, but for the author's contact."""

    author: AdAuthor


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
