"""Ads, their pictures and their authors."""

import datetime as dt
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from adsvc import enums
from adsvc.kit import faults
from adsvc.kit.records import (
    LINE,
    TEXT,
    CreatedAt,
    MergePatch,
    Milliseconds,
    NextCursor,
    OneOf,
    Record,
    UpdatedAt,
    absent,
    may_be_absent,
    moment,
    refused,
)
from adsvc.schemas.base import (
    Description,
    DraftDescription,
    DraftTitle,
    ExternalId,
    ImagePath,
    Place,
    PlaceId,
    Price,
    StoredDescription,
    StoredPrice,
    StoredTitle,
    Title,
    UpTo,
)
from adsvc.schemas.categories import Slug


def _degrees(most: int) -> Any:  # noqa: ANN401 - as pydantic's own Field
    return Field(strict=True, ge=-most, le=most, allow_inf_nan=False)


# `-0.0` becomes `0.0`.
_without_sign = AfterValidator(lambda degrees: degrees + 0.0)


class Location(Record):
    """A point on the globe, in degrees of WGS 84."""

    latitude: Annotated[float, _degrees(90), _without_sign, Field(examples=[52.5163])]
    """Degrees north; negative in the south."""
    longitude: Annotated[float, _degrees(180), _without_sign, Field(examples=[13.3777])]
    """Degrees east; negative in the west."""


Pixels = Annotated[int, Field(json_schema_extra={"format": "int32"})]

Width = Annotated[Pixels, Field(description="In pixels.", examples=[800])]

Height = Annotated[Pixels, Field(description="In pixels.", examples=[600])]


class Variant(Record):
    """A smaller copy of a picture, in WebP or JPEG."""

    path: Annotated[str, Field(examples=["/images/0f8fad5bd9cb469fa16570867728950e-card.webp"])]
    """Path of the copy on this server. It can be fetched without credentials."""
    width: Width
    height: Height


class Variants(Record):
    """The smaller copies of a picture. An old picture may lack some or all of them."""

    thumb: Variant = absent()
    """At most 320 pixels on the longer side."""
    card: Variant = absent()
    """At most 800 pixels on the longer side."""
    share: Variant = absent()
    """For previews of links: a JPEG of at most 300 kB and 1,200 pixels on the longer side."""


class Image(Record):
    """A picture of an ad."""

    id: Annotated[int, Field(examples=[17])]
    """The picture's id."""
    image: ImagePath
    width: Annotated[Pixels | None, Field(examples=[2048])]
    """Width of `image` in pixels. Null for an old picture."""
    height: Annotated[Pixels | None, Field(examples=[1536])]
    """Height of `image` in pixels. Null for an old picture."""
    variants: Variants
    """Smaller copies of the picture."""
    placeholder: Annotated[str | None, Field(pattern="^#[0-9a-f]{6}$", examples=["#7c6a54"])]
    """The average colour, to show while the picture loads. Null for an old picture."""


class Images(Record):
    """The pictures of an ad."""

    results: list[Image]
    """All pictures of the ad, in their order. Lists show the first one."""


def are_ids(value: object) -> object:
    """One fault for the whole list: it is right or wrong as such."""
    if not isinstance(value, list) or any(type(item) is not int for item in value):
        raise refused(faults.wrong_type("array", "must be a list of ids"))
    return value


class ImageOrder(Record):
    """A new order for the pictures of an ad."""

    order: Annotated[list[int], BeforeValidator(are_ids), Field(examples=[[18, 17]])]
    """The ids of all pictures of the ad, each exactly once."""


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

ExternalIdOrNone = Annotated[
    str | None,
    Field(
        description="The ad's id in its author's own system. Null if it has none, and for others "
        "than its author.",
        examples=["SKU-1047"],
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
        "`free` and `onRequest` keep their `price`. Ads on request come last in orders by price, "
        "and filters by price leave them out.",
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

PlaceIdOrNone = Annotated[
    int | None,
    Field(
        description="The id of the ad's place (`GET /places`). Null if not given.",
        examples=[2875115],
        json_schema_extra={"format": "int64"},
    ),
]

LocationKind = Annotated[
    Annotated[str, OneOf(*enums.LocationKind)] | None,
    Field(
        description="`exact`: the author gave a location. `place`: `location` is the centre of the"
        " ad's place. Null if there is neither.",
        examples=["exact"],
    ),
]

PublicLocation = Annotated[
    Location | None,
    Field(
        description="Where the thing is, rounded to about a kilometre; always the same point for "
        "the same ad. Without a location the centre of its place. Null if neither is given. Only "
        "the author sees the exact point."
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
    category: Slug | None = absent()
    """The slug of a category; the ad's attributes must fit it. Null removes the category and all
    attributes."""
    attributes: Annotated[
        dict[str, Any], may_be_absent, Field(examples=[{"material": "wood", "width": 180}])
    ] = absent()
    """Attributes to change, by name, as `GET /categories/{slug}/schema` describes them. Null
    removes an attribute; attributes that are left out stay."""
    price_type: Annotated[PriceType, may_be_absent] = absent()
    place: Place | None = absent()
    """Where the thing is, in words. Null removes it."""
    place_id: PlaceId | None = absent()
    """The id of a place of `GET /places`. Its name becomes `place` unless that is sent too. Without
    a `location` the ad is found at the place's centre. Null removes it."""
    location: Location | None = absent()
    """The exact point. Others see it rounded to about a kilometre. Null removes it."""
    external_id: ExternalId | None = absent()
    """The ad's id in its author's own system, unique for the account. Null removes it."""


# What these ads cost is no number, so forms have no field for it.
UNPRICED = (enums.PriceType.FREE, enums.PriceType.ON_REQUEST)


class CreateAd(CreateOrUpdateAd):
    """A new ad. Its `price` may be left out if its `priceType` is `free` or `onRequest`."""

    model_config = ConfigDict(json_schema_extra=lambda schema: schema["required"].remove("price"))

    @model_validator(mode="before")
    @classmethod
    def _has_a_price(cls, sent: Any) -> Any:  # noqa: ANN401 - any JSON value
        if isinstance(sent, dict) and sent.get("priceType") in UNPRICED and "price" not in sent:
            return {**sent, "price": 0}
        return sent

    title: Title
    price: Price
    description: Description
    category: Slug | None = absent()
    """The slug of a category. Null means no category, which some sites refuse."""
    attributes: Annotated[
        dict[str, Any], may_be_absent, Field(examples=[{"material": "wood", "width": 180}])
    ] = absent()
    """Attributes by name, as `GET /categories/{slug}/schema` describes them. Only with a category.
    """
    place: Place | None = absent()
    """Where the thing is, in words. Null means not given."""
    place_id: PlaceId | None = absent()
    """The id of a place of `GET /places`. Its name becomes `place` unless that is sent too. Without
    a `location` the ad is found at the place's centre. Null means not given."""
    location: Location | None = absent()
    """The exact point. Others see it rounded to about a kilometre. Null means not given."""
    external_id: ExternalId | None = absent()
    """The ad's id in its author's own system, unique for the account. Null means not given."""
    status: Annotated[str, OneOf(enums.AdStatus.ACTIVE, enums.AdStatus.DRAFT), may_be_absent] = (
        absent()
    )
    """`active` (the default) shows the ad to everyone. Only the author and administrators see a
    `draft`, until it is published."""


class CreateDraft(CreateOrUpdateAd):
    """A new draft. What is left out can be added until it is published."""

    model_config = ConfigDict(json_schema_extra={})

    title: Annotated[
        str,
        LINE,
        UpTo("title", 1),
        Field(examples=["Oak table, seats six"]),
    ]
    """Headline of the ad; it may be too short to be published."""
    description: Annotated[
        str,
        may_be_absent,
        TEXT,
        UpTo("description"),
        Field(examples=["Solid oak, oiled, 180 by 90 cm, one scratch."]),
    ] = absent()
    """Text of the ad; it may be too short to be published."""


class Sale(Record):
    """How an ad was sold."""

    price: Annotated[
        Price,
        may_be_absent,
        Field(
            description="What was paid, in the smallest unit of the site. It becomes the "
            "ad's price, which stays as it is if this is left out. A string of digits is "
            "accepted too, as forms send it."
        ),
    ] = absent()
    buyer: Annotated[
        int, Field(strict=True, ge=1, le=2**53 - 1), may_be_absent, Field(examples=[7])
    ] = absent()
    """The id of the account that has bought it: one that has talked about this ad. It gets a notice
    in the conversation."""


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
    attributes: Attributes
    price_type: PriceType
    place: PlaceOrNone
    place_id: PlaceIdOrNone
    location: PublicLocation
    location_kind: LocationKind
    created_at: CreatedAt
    updated_at: UpdatedAt
    distance: Annotated[int | SkipJsonSchema[None], Field(examples=[1830])] = None
    """Metres from `near` to the ad's `location`. Absent without `near`."""
    expires_at: Annotated[Milliseconds | None, Field(examples=[None])] = None
    """Only in `GET /ads/me`: when the ad expires, in milliseconds since 1970-01-01T00:00Z. Null if
    it does not expire."""
    favorite_count: FavoriteCount = None
    phone_count: PhoneCount = None
    view_count: Annotated[int | SkipJsonSchema[None], Field(examples=[17])] = None
    """Only in `GET /ads/me`: how often the ad was seen, as `GET /ads/{id}/stats` counts."""
    conversation_count: Annotated[int | SkipJsonSchema[None], Field(examples=[2])] = None
    """Only in `GET /ads/me`: how many have written to the author about the ad."""
    author_name: Annotated[str | SkipJsonSchema[None], Field(examples=["anna@example.com"])] = None
    """Only in `GET /admin/ads`: the user name of the author."""
    external_id: Annotated[str | None, Field(examples=["SKU-1047"])] = None
    """In `GET /ads/me`, `GET /admin/ads` and the responses to its author's changes: the ad's id in
    its author's own system. Null or absent if it has none."""


class Relaxed(Record):
    """One change of a query."""

    kind: Annotated[
        Literal["spelling", "dropped", "place", "category"], Field(examples=["dropped"])
    ]
    """`spelling`: a known word in place of one that no ad has. `place`: the other words are
    searched for within 50 km of it. `category`: the other words are searched for in it. `dropped`:
    a word was left out. As few as possible are; of a query with more words than a site allows, the
    most common ones."""
    from_: Annotated[str, Field(alias="from", examples=["condition"])]
    """What was typed."""
    to: Annotated[str, Field(examples=[""])]
    """What it became: a word, the id of a place or the slug of a category; empty if it was left
    out."""


class Ads(Record):
    """A page of ads."""

    count: Annotated[int, Field(examples=[1])]
    """How many ads match, on all pages together; at least so many where `countExact` is false."""
    count_exact: Annotated[bool, Field(examples=[True])]
    """False if there may be more than `count` matches: counting stops after a while. Without
    filters the count is always exact."""
    results: list[Ad]
    """The ads of this page. A page of a search may have fewer than `limit`, even none, while `next`
    is not null."""
    next: NextCursor
    relaxed: list[Relaxed] | SkipJsonSchema[None] = None
    """What was changed in `q`, because nothing matches it with these filters, or because it has
    more words than are searched for. Each page has it. Absent if nothing was changed, and with
    `Prefer: handling=strict`."""
    understood: Annotated[str | SkipJsonSchema[None], Field(examples=["q=oak+table"])] = None
    """With `relaxed`: the query that has these ads without being relaxed, for facets, maps, feeds
    and saved searches."""
    suggestion: Annotated[str | SkipJsonSchema[None], Field(examples=["volkswagen"])] = None
    """If nothing matches `q` and nothing was relaxed: the nearest query that has matches. Absent
    otherwise."""


class OwnAds(Ads):
    """A page of the caller's ads."""

    counts: Annotated[
        dict[str, int] | SkipJsonSchema[None], Field(examples=[{"active": 3, "draft": 1}])
    ] = None
    """How many of the caller's ads have each status, whatever the filter; a status without ads is
    absent. Only on the first page."""


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
    images: list[Image]
    """All pictures of the ad, in their order."""
    place: PlaceOrNone
    place_id: PlaceIdOrNone
    location: PublicLocation
    location_kind: LocationKind
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
    author_first_name: Annotated[str, Field(examples=["Anna"])]
    """The author's first name; may be empty."""
    author_last_name: Annotated[str, Field(examples=["Berg"])]
    """The author's last name; may be empty."""
    email: Annotated[str, Field(examples=["anna@example.com"])]
    """The author's user name, which need not be a mail address."""
    phone: Annotated[str, Field(examples=["+49 30 1234567"])]
    """The author's phone number; may be empty."""
    external_id: ExternalIdOrNone
    favorite_count: FavoriteCount = None
    phone_count: PhoneCount = None


class ViewsOfDay(Record):
    """How many have seen an ad on a day."""

    date: Annotated[dt.date, Field(examples=["2026-11-28"])]
    """The day, in UTC."""
    views: Annotated[int, Field(ge=0, examples=[17])]
    """How many visitors have seen it, each once."""


class SimilarPrice(Record):
    """What similar ads cost."""

    low: Annotated[StoredPrice, Field(description="A quarter of them cost at most this.")]
    median: Annotated[StoredPrice, Field(description="Half of them cost at most this.")]
    high: Annotated[StoredPrice, Field(description="Three quarters of them cost at most this.")]
    count: Annotated[int, Field(ge=5, examples=[23])]
    """How many there are."""


class AdStats(Record):
    """What the author of an ad sees of its success."""

    views: Annotated[int, Field(ge=0, examples=[412])]
    """How often it was seen since it was posted: once for each visitor and day."""
    saves: Annotated[int, Field(ge=0, examples=[9])]
    """How many accounts keep it as a favorite."""
    conversations: Annotated[int, Field(ge=0, examples=[4])]
    """How many have written to the author about it."""
    days: list[ViewsOfDay]
    """The last 30 days, the oldest first."""
    similar_price: SimilarPrice | None
    """Of other ads of the category with a word of the title in common, active or sold within 90
    days, with a fixed or negotiable price. Null below five."""


class RatingSummary(Record):
    """What the ratings of an account say together."""

    average: Annotated[float, Field(ge=1, le=5, examples=[4.7])]
    """Average of the stars, to one decimal."""
    count: Annotated[int, Field(examples=[12])]
    """How many ratings there are."""


class AdAuthor(Record):
    """What everyone sees of an author."""

    id: Annotated[int, Field(examples=[7])]
    """The id of the author's account."""
    first_name: Annotated[str, Field(examples=["Anna"])]
    """The author's first name; may be empty."""
    image: ImagePath | None
    """Path of the author's avatar. Null if there is none."""
    since: Annotated[Milliseconds, moment("When the account was created")]
    ad_count: Annotated[int, Field(examples=[3])]
    """How many ads of the author are active or reserved."""
    rating: RatingSummary | None
    """What others have said after deals with the author. Null below three ratings."""
    answer_minutes: Annotated[int | None, Field(ge=0, examples=[25])]
    """Median of the minutes after which the author has answered the first message of a conversation
    of the last 90 days. Null below five answers."""
    answer_rate: Annotated[float | None, Field(ge=0, le=1, examples=[0.95])]
    """Part of the conversations of the last 90 days that the author has answered within 24 hours.
    Those that are younger do not count. Null below five conversations."""


class AdDetails(AdPage):
    """An ad without its author's contact details, for a page that everyone may see."""

    author: AdAuthor
    """Who posted the ad."""
    price_before: Annotated[
        int | SkipJsonSchema[None], Field(examples=[1800], json_schema_extra={"format": "int32"})
    ] = None
    """What the ad cost before its price fell: the lowest price of the 30 days before. Absent if the
    price has not fallen in the last 30 days."""


class Seller(AdAuthor):
    """An account as everyone sees it who looks at its ads."""

    sold_count: Annotated[int, Field(examples=[12])]
    """How many ads of the account are marked as sold."""
    verified: Annotated[bool, Field(examples=[True])]
    """Whether the account's mail address is confirmed."""
