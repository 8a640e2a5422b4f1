"""Ads, their pictures and their authors."""

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from adsvc import enums
from adsvc.errors import faults
from adsvc.schemas.base import (
    LINE,
    TEXT,
    CreatedAt,
    Description,
    DraftDescription,
    DraftTitle,
    ImagePath,
    MergePatch,
    Milliseconds,
    NextCursor,
    OneOf,
    Place,
    Price,
    Record,
    StoredDescription,
    StoredPrice,
    StoredTitle,
    Title,
    UpdatedAt,
    UpTo,
    absent,
    may_be_absent,
    moment,
    refused,
)
from adsvc.schemas.categories import Slug


def _degrees(most: int) -> Any:  # noqa: ANN401 - as pydantic's own Field
    return Field(strict=True, ge=-most, le=most, allow_inf_nan=False)


# `-0.0` becomes `0.0`.
_without_sign = AfterValidator(lambda degrees: degrees + 0.0)


class Location(Record):
    """A point on the globe, in degrees of WGS 84."""

    latitude: Annotated[
        float,
        _degrees(90),
        _without_sign,
        Field(description="Degrees north; negative in the south.", examples=[52.5163]),
    ]
    longitude: Annotated[
        float,
        _degrees(180),
        _without_sign,
        Field(description="Degrees east; negative in the west.", examples=[13.3777]),
    ]


Pixels = Annotated[int, Field(json_schema_extra={"format": "int32"})]

Width = Annotated[Pixels, Field(description="In pixels.", examples=[800])]

Height = Annotated[Pixels, Field(description="In pixels.", examples=[600])]


class Variant(Record):
    """A smaller copy of a picture, in WebP."""

    path: Annotated[
        str,
        Field(
            description="Path of the copy on this server. It can be fetched without credentials.",
            examples=["/images/0f8fad5bd9cb469fa16570867728950e-card.webp"],
        ),
    ]
    width: Width
    height: Height


class Variants(Record):
    """The smaller copies of a picture. Empty for an old picture that has none yet."""

    thumb: Annotated[Variant, Field(description="At most 320 pixels on the longer side.")] = (
        absent()
    )
    card: Annotated[Variant, Field(description="At most 800 pixels on the longer side.")] = absent()


class Image(Record):
    """A picture of an ad."""

    id: Annotated[int, Field(description="The picture's id.", examples=[17])]
    image: ImagePath
    width: Annotated[
        Pixels | None,
        Field(description="Width of `image` in pixels. Null for an old picture.", examples=[2048]),
    ]
    height: Annotated[
        Pixels | None,
        Field(description="Height of `image` in pixels. Null for an old picture.", examples=[1536]),
    ]
    variants: Annotated[Variants, Field(description="Smaller copies of the picture.")]
    placeholder: Annotated[
        str | None,
        Field(
            description="The average colour, to show while the picture loads. Null for an old "
            "picture.",
            pattern="^#[0-9a-f]{6}$",
            examples=["#7c6a54"],
        ),
    ]


class Images(Record):
    """The pictures of an ad."""

    results: Annotated[
        list[Image],
        Field(description="All pictures of the ad, in their order. Lists show the first one."),
    ]


def are_ids(value: object) -> object:
    """One fault for the whole list: it is right or wrong as such."""
    if not isinstance(value, list) or any(type(item) is not int for item in value):
        raise refused(faults.wrong_type("array", "must be a list of ids"))
    return value


class ImageOrder(Record):
    """A new order for the pictures of an ad."""

    order: Annotated[
        list[int],
        BeforeValidator(are_ids),
        Field(
            description="The ids of all pictures of the ad, each exactly once.",
            examples=[[18, 17]],
        ),
    ]


Status = Annotated[str, OneOf(*enums.AdStatus)]

AdStatus = Annotated[
    Status,
    Field(
        description="Where the ad is in its life. Everyone sees `active` and `reserved` ads; "
        "only its author and administrators see an ad with another status.",
        examples=["active"],
    ),
]


AdId = Annotated[int, Field(validation_alias="id", description="The ad's id.", examples=[42])]

Thumbnail = Annotated[
    ImagePath,
    Field(
        description="Path of the smallest copy of the first picture; of the picture itself if "
        "it has no copies yet.",
        examples=["/images/0f8fad5bd9cb469fa16570867728950e-thumb.webp"],
    ),
]

ImageCount = Annotated[int, Field(description="How many pictures the ad has.", examples=[3])]

AuthorId = Annotated[
    int,
    Field(
        validation_alias="author_id", description="The id of the author's account.", examples=[7]
    ),
]

PriceType = Annotated[
    str,
    OneOf(*enums.PriceType),
    Field(
        description="What the price means: fixed, negotiable, given away free, or on request. "
        "`free` and `onRequest` keep their `price`, which filters and orders use.",
        examples=["negotiable"],
    ),
]

PlaceOrNone = Annotated[
    str | None,
    Field(
        description="Where the thing is, in the author's words. Null if not given.",
        examples=["Berlin-Kreuzberg"],
    ),
]

PublicLocation = Annotated[
    Location | None,
    Field(
        description="Where the thing is, rounded to about a kilometre; always the same point for "
        "the same ad. Null if not given. Only the author sees the exact point."
    ),
]

CategorySlug = Annotated[
    str | None,
    Field(
        description="The slug of the ad's category. Null if it has none.", examples=["furniture"]
    ),
]

Attributes = Annotated[
    dict[str, Any],
    Field(
        description="Values of the attributes that the ad's category defines, by their names. "
        "Empty without a category.",
        examples=[{"material": "wood", "width": 180}],
    ),
]


class CreateOrUpdateAd(MergePatch):
    """Changes of an ad, as a JSON merge patch (RFC 7396): at least one member.

    Members that are left out stay as they are.
    """

    title: Annotated[DraftTitle, may_be_absent] = absent()
    price: Annotated[Price, may_be_absent] = absent()
    description: Annotated[DraftDescription, may_be_absent] = absent()
    category: Annotated[
        Slug | None,
        Field(
            description="The slug of a category; the ad's attributes must fit it. Null removes "
            "the category and all attributes."
        ),
    ] = absent()
    attributes: Annotated[
        dict[str, Any],
        may_be_absent,
        Field(
            description="Attributes to change, by name, as `GET /categories/{slug}/schema` "
            "describes them. Null removes an attribute; attributes that are left out stay.",
            examples=[{"material": "wood", "width": 180}],
        ),
    ] = absent()
    price_type: Annotated[PriceType, may_be_absent] = absent()
    place: Annotated[
        Place | None, Field(description="Where the thing is, in words. Null removes it.")
    ] = absent()
    location: Annotated[
        Location | None,
        Field(
            description="The exact point. Others see it rounded to about a kilometre. Null "
            "removes it."
        ),
    ] = absent()


class CreateAd(CreateOrUpdateAd):
    """A new ad."""

    model_config = ConfigDict(json_schema_extra={})

    title: Title
    price: Price
    description: Description
    category: Annotated[
        Slug | None,
        Field(
            description="The slug of a category. Null means no category, which some sites refuse."
        ),
    ] = absent()
    attributes: Annotated[
        dict[str, Any],
        may_be_absent,
        Field(
            description="Attributes by name, as `GET /categories/{slug}/schema` describes them. "
            "Only with a category.",
            examples=[{"material": "wood", "width": 180}],
        ),
    ] = absent()
    place: Annotated[
        Place | None, Field(description="Where the thing is, in words. Null means not given.")
    ] = absent()
    location: Annotated[
        Location | None,
        Field(
            description="The exact point. Others see it rounded to about a kilometre. Null means "
            "not given."
        ),
    ] = absent()
    status: Annotated[
        str,
        OneOf(enums.AdStatus.ACTIVE, enums.AdStatus.DRAFT),
        may_be_absent,
        Field(
            description="`active` (the default) shows the ad to everyone. Only the author and "
            "administrators see a `draft`, until it is published."
        ),
    ] = absent()


class CreateDraft(CreateOrUpdateAd):
    """A new draft. What is left out can be added until it is published."""

    model_config = ConfigDict(json_schema_extra={})

    title: Annotated[
        str,
        AfterValidator(str.strip),
        LINE,
        UpTo("title", 1),
        Field(
            description="Headline of the ad; it may be too short to be published.",
            examples=["Oak table, seats six"],
        ),
    ]
    description: Annotated[
        str,
        may_be_absent,
        TEXT,
        UpTo("description"),
        Field(
            description="Text of the ad; it may be too short to be published.",
            examples=["Solid oak, oiled, 180 by 90 cm, one scratch."],
        ),
    ] = absent()


class Sale(Record):
    """How an ad was sold."""

    price: Annotated[
        Price,
        may_be_absent,
        Field(
            description="What was paid, in whole units of the site's currency. It becomes the "
            "ad's price, which stays as it is if this is left out. A string of digits is "
            "accepted too, as forms send it."
        ),
    ] = absent()
    buyer: Annotated[
        int,
        Field(strict=True, ge=1, le=2**53 - 1),
        may_be_absent,
        Field(
            description="The id of the account that has bought it: one that has talked about this "
            "ad. It gets a notice in the conversation.",
            examples=[7],
        ),
    ] = absent()


ExpiresAt = Annotated[
    Milliseconds | None,
    Field(
        description="When the ad expires, in milliseconds since 1970-01-01T00:00Z. Null if it does "
        "not expire.",
        examples=[None],
    ),
]

FOR_AUTHORS = (
    "Only for its author, and in `GET /ads/{id}` for administrators. It is no part of the ad's "
    "`ETag`."
)
FavoriteCount = Annotated[
    int | SkipJsonSchema[None],
    Field(description=f"How many accounts keep the ad as a favorite. {FOR_AUTHORS}", examples=[3]),
]
PhoneCount = Annotated[
    int | SkipJsonSchema[None],
    Field(
        description=f"How many accounts have read its author's phone number by `POST "
        f"/ads/{{id}}/phone`. {FOR_AUTHORS}",
        examples=[2],
    ),
]


class Ad(Record):
    """An ad as lists show it. `GET /ads/{id}` and `GET /ads/{id}/details` return all of it."""

    pk: AdId
    author: AuthorId
    image: ImagePath
    thumbnail: Thumbnail
    image_count: ImageCount
    price: StoredPrice
    title: StoredTitle
    status: AdStatus
    category: CategorySlug
    price_type: PriceType
    place: PlaceOrNone
    location: PublicLocation
    created_at: CreatedAt
    updated_at: UpdatedAt
    distance: Annotated[
        int | SkipJsonSchema[None],
        Field(
            description="Metres from `near` to the ad's `location`. Absent without `near`.",
            examples=[1830],
        ),
    ] = None
    expires_at: Annotated[
        Milliseconds | None,
        Field(
            description="Only in `GET /ads/me`: when the ad expires, in milliseconds since "
            "1970-01-01T00:00Z. Null if it does not expire.",
            examples=[None],
        ),
    ] = None
    favorite_count: FavoriteCount = None
    phone_count: PhoneCount = None


class Ads(Record):
    """A page of ads."""

    count: Annotated[
        int,
        Field(
            description="How many ads match, on all pages together; at least so many where "
            "`countExact` is false.",
            examples=[1],
        ),
    ]
    count_exact: Annotated[
        bool,
        Field(
            description="False if there may be more than `count` matches: counting stops after "
            "a while. Without filters the count is always exact.",
            examples=[True],
        ),
    ]
    results: Annotated[
        list[Ad],
        Field(
            description="The ads of this page. A page of a search may have fewer than `limit`, "
            "even none, while `next` is not null."
        ),
    ]
    next: NextCursor
    suggestion: Annotated[
        str | SkipJsonSchema[None],
        Field(
            description="If nothing matches `q`: the nearest query that has matches. Absent "
            "otherwise.",
            examples=["volkswagen"],
        ),
    ] = None


class OwnAds(Ads):
    """A page of the caller's ads."""

    counts: Annotated[
        dict[str, int] | SkipJsonSchema[None],
        Field(
            description="How many of the caller's ads have each status, whatever the filter; a "
            "status without ads is absent. Only on the first page.",
            examples=[{"active": 3, "draft": 1}],
        ),
    ] = None


SoldAt = Annotated[
    Milliseconds | None,
    Field(
        description="When the ad was sold, in milliseconds since 1970-01-01T00:00Z. Null if it is "
        "not sold.",
        examples=[None],
    ),
]


class AdPage(Record):
    """What `ExtendedAd` and `AdDetails` have in common."""

    pk: AdId
    title: StoredTitle
    price: StoredPrice
    price_type: PriceType
    description: StoredDescription
    image: ImagePath
    thumbnail: Thumbnail
    image_count: ImageCount
    images: Annotated[list[Image], Field(description="All pictures of the ad, in their order.")]
    place: PlaceOrNone
    location: PublicLocation
    category: CategorySlug
    attributes: Attributes
    status: AdStatus
    expires_at: ExpiresAt
    sold_at: SoldAt
    created_at: CreatedAt
    updated_at: UpdatedAt


class ExtendedAd(AdPage):
    """An ad with its author's contact details. In the author's own copy `location` is exact.

    Where the site hides contacts (`GET /site`), `email` and `phone` are empty for other accounts.
    """

    author: AuthorId
    author_first_name: Annotated[
        str, Field(description="The author's first name; may be empty.", examples=["Anna"])
    ]
    author_last_name: Annotated[
        str, Field(description="The author's last name; may be empty.", examples=["Berg"])
    ]
    email: Annotated[
        str,
        Field(
            description="The author's user name, which need not be a mail address.",
            examples=["anna@example.com"],
        ),
    ]
    phone: Annotated[
        str,
        Field(description="The author's phone number; may be empty.", examples=["+49 30 1234567"]),
    ]
    favorite_count: FavoriteCount = None
    phone_count: PhoneCount = None


class AdAuthor(Record):
    """What everyone sees of an author."""

    id: Annotated[int, Field(description="The id of the author's account.", examples=[7])]
    first_name: Annotated[
        str, Field(description="The author's first name; may be empty.", examples=["Anna"])
    ]
    image: Annotated[
        ImagePath | None,
        Field(description="Path of the author's avatar. Null if there is none."),
    ]
    since: Annotated[Milliseconds, moment("When the account was created")]
    ad_count: Annotated[
        int,
        Field(description="How many ads of the author are active or reserved.", examples=[3]),
    ]


class AdDetails(AdPage):
    """An ad without its author's contact details, for a page that everyone may see."""

    author: Annotated[AdAuthor, Field(description="Who posted the ad.")]
    price_before: Annotated[
        int | SkipJsonSchema[None],
        Field(
            description="What the ad cost before its price fell: the lowest price of the 30 days "
            "before. Absent if the price has not fallen in the last 30 days.",
            examples=[1800],
            json_schema_extra={"format": "int32"},
        ),
    ] = None


class Seller(AdAuthor):
    """An account as everyone sees it who looks at its ads."""

    sold_count: Annotated[
        int, Field(description="How many ads of the account are marked as sold.", examples=[12])
    ]
    verified: Annotated[
        bool, Field(description="Whether the account's mail address is confirmed.", examples=[True])
    ]
