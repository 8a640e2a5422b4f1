"""The records of `GET /users/me/export`."""

from typing import Annotated, Literal

from pydantic import Field

from adsvc.kit.records import CreatedAt, Milliseconds, Record, UpdatedAt, moment
from adsvc.schemas.ads import (
    AdStatus,
    Attributes,
    CategorySlug,
    ExpiresAt,
    ExternalIdOrNone,
    Image,
    Location,
    LocationKind,
    PlaceIdOrNone,
    PlaceOrNone,
    PriceType,
    SoldAt,
    Status,
)
from adsvc.schemas.base import ImagePath, StoredDescription, StoredPrice, StoredTitle
from adsvc.schemas.comments import StoredComment
from adsvc.schemas.moderation import Kind, Report, Target
from adsvc.schemas.users import OwnProfile, SessionRecord


class ExportedUser(OwnProfile):
    """The account itself."""

    created_at: Annotated[Milliseconds, moment("When the account was created")]


class ExportedSession(SessionRecord):
    """A session of the account."""


class ExportedSignIn(Record):
    """A network and a device that the account has logged in from, kept for 90 days."""

    id: Annotated[int, Field(examples=[4])]
    """Its id."""
    network: Annotated[str, Field(examples=["203.0.113.0/24"])]
    """A /24 of IPv4, or a /48 of IPv6."""
    device: Annotated[str, Field(examples=["Firefox, Linux"])]
    """The browser and the system."""
    last_used_at: Annotated[Milliseconds, moment("When the account last logged in from there")]


class ExportedTerms(Record):
    """A version of the site's terms that the account has accepted."""

    id: Annotated[int, Field(examples=[3])]
    """Its id."""
    page: Annotated[str, Field(examples=["terms"])]
    """The slug of their page."""
    version: Annotated[int, Field(examples=[2])]
    """The version."""
    at: Annotated[Milliseconds, moment("When the account accepted it")]


class AdEvent(Record):
    """A change of an ad's status."""

    id: Annotated[int, Field(examples=[5])]
    """The event's id."""
    event: Annotated[str, Field(examples=["created"])]
    """What happened: `created`, `published`, `reserved`, `released`, `sold`, `withdrawn`,
    `renewed`, `expired`, `suspended`, `removed` or `restored`."""
    status_before: Annotated[Status | None, Field(alias="from", examples=[None])]
    """The status before. Null for the first event."""
    to: Annotated[Status, Field(examples=["active"])]
    """The status after."""
    by: Annotated[
        Literal["author", "administrator", "moderator", "clock"], Field(examples=["author"])
    ]
    """Who changed it; `clock` if it happened by itself, as when an ad expires."""
    at: Annotated[Milliseconds, moment("When it happened")]


class ExportedAd(Record):
    """An ad of the account, as the interface shows it to the author."""

    id: Annotated[int, Field(examples=[42])]
    """The ad's id."""
    external_id: ExternalIdOrNone
    title: StoredTitle
    price: StoredPrice
    description: StoredDescription
    image: Annotated[ImagePath, Field(description="Path of the first picture.")]
    images: list[Image]
    """All pictures of the ad, in their order."""
    status: AdStatus
    expires_at: ExpiresAt
    sold_at: SoldAt
    category: CategorySlug
    attributes: Attributes
    price_type: PriceType
    place: PlaceOrNone
    place_id: PlaceIdOrNone
    location: Location | None
    """The exact point where the thing is, or the centre of its place. Null if neither is given."""
    location_kind: LocationKind
    created_at: CreatedAt
    updated_at: UpdatedAt


class ExportedLife(ExportedAd):
    """An ad of the account with its history."""

    events: list[AdEvent]
    """The changes of the ad's status, the earliest first."""


class ExportedComment(Record):
    """A comment that the account wrote."""

    id: Annotated[int, Field(examples=[9])]
    """The comment's id."""
    ad_id: Annotated[int, Field(examples=[42])]
    """The id of the ad it is on."""
    text: StoredComment
    status: Annotated[Literal["shown", "removed"], Field(examples=["shown"])]
    """`removed`: a moderator removed it, which can still be undone."""
    created_at: CreatedAt
    updated_at: UpdatedAt


class ExportedReport(Report):
    """A report that the account made."""

    kind: Kind
    target: Target
