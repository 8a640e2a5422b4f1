"""The records of `GET /users/me/export`."""

from typing import Annotated, Literal

from pydantic import Field

from adsvc.schemas.ads import (
    AdStatus,
    Attributes,
    CategorySlug,
    ExpiresAt,
    Image,
    Location,
    PlaceOrNone,
    PriceType,
    SoldAt,
    Status,
)
from adsvc.schemas.base import (
    CreatedAt,
    ImagePath,
    Milliseconds,
    Record,
    StoredDescription,
    StoredPrice,
    StoredTitle,
    UpdatedAt,
    moment,
)
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

    id: Annotated[int, Field(description="Its id.", examples=[4])]
    network: Annotated[
        str, Field(description="A /24 of IPv4, or a /48 of IPv6.", examples=["203.0.113.0/24"])
    ]
    device: Annotated[
        str, Field(description="The browser and the system.", examples=["Firefox, Linux"])
    ]
    last_used_at: Annotated[Milliseconds, moment("When the account last logged in from there")]


class AdEvent(Record):
    """A change of an ad's status."""

    id: Annotated[int, Field(description="The event's id.", examples=[5])]
    event: Annotated[
        str,
        Field(
            description="What happened: `created`, `published`, `reserved`, `released`, `sold`, "
            "`withdrawn`, `renewed`, `expired`, `suspended`, `removed` or `restored`.",
            examples=["created"],
        ),
    ]
    status_before: Annotated[
        Status | None,
        Field(
            alias="from",
            description="The status before. Null for the first event.",
            examples=[None],
        ),
    ]
    to: Annotated[Status, Field(description="The status after.", examples=["active"])]
    by: Annotated[
        Literal["author", "administrator", "moderator", "clock"],
        Field(
            description="Who changed it; `clock` if it happened by itself, as when an ad expires.",
            examples=["author"],
        ),
    ]
    at: Annotated[Milliseconds, moment("When it happened")]


class ExportedAd(Record):
    """An ad of the account, as the interface shows it to the author."""

    id: Annotated[int, Field(description="The ad's id.", examples=[42])]
    title: StoredTitle
    price: StoredPrice
    description: StoredDescription
    image: Annotated[ImagePath, Field(description="Path of the first picture.")]
    images: Annotated[list[Image], Field(description="All pictures of the ad, in their order.")]
    status: AdStatus
    expires_at: ExpiresAt
    sold_at: SoldAt
    category: CategorySlug
    attributes: Attributes
    price_type: PriceType
    place: PlaceOrNone
    location: Annotated[
        Location | None,
        Field(description="The exact point where the thing is. Null if not given."),
    ]
    created_at: CreatedAt
    updated_at: UpdatedAt


class ExportedLife(ExportedAd):
    """An ad of the account with its history."""

    events: Annotated[
        list[AdEvent], Field(description="The changes of the ad's status, the earliest first.")
    ]


class ExportedComment(Record):
    """A comment that the account wrote."""

    id: Annotated[int, Field(description="The comment's id.", examples=[9])]
    ad_id: Annotated[int, Field(description="The id of the ad it is on.", examples=[42])]
    text: StoredComment
    status: Annotated[
        Literal["shown", "removed"],
        Field(
            description="`removed`: a moderator removed it, which can still be undone.",
            examples=["shown"],
        ),
    ]
    created_at: CreatedAt
    updated_at: UpdatedAt


class ExportedReport(Report):
    """A report that the account made."""

    kind: Kind
    target: Target
