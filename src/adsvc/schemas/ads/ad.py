from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from adsvc.schemas.ads.categories import Slug
from adsvc.schemas.ads.images import Image
from adsvc.schemas.ads.locations import Location
from adsvc.schemas.base import ImagePath, MergePatch, Milliseconds, Record, absent, may_be_absent
from adsvc.schemas.fields import Description, Place, Price, StoredPrice, Title

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
