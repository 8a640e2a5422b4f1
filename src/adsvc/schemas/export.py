"""What `GET /users/me/export` holds, beyond the records that others see too."""

from typing import Annotated, Literal

from pydantic import Field

from adsvc.schemas.ads import (
    AdStatus,
    Attributes,
    CategorySlug,
    Image,
    Location,
    PlaceOrNone,
    PriceType,
    Status,
)
from adsvc.schemas.base import ImagePath, Milliseconds, Record
from adsvc.schemas.fields import StoredPrice
from adsvc.schemas.moderation import Decision, Report
from adsvc.schemas.users import OwnProfile


class ExportedUser(OwnProfile):
    created_at: Milliseconds


class ExportedSession(Record):
    id: Annotated[int, Field(examples=[3])]
    client: Annotated[
        str, Field(description="What the client called itself.", examples=["Mozilla/5.0"])
    ]
    began_at: Milliseconds
    last_used_at: Milliseconds
    expires_at: Milliseconds


class AdEvent(Record):
    """A step in an ad's life; the first has no status before it."""

    id: Annotated[int, Field(examples=[5])]
    event: Annotated[str, Field(description="What was done.", examples=["created"])]
    status_before: Annotated[
        Status | None, Field(alias="from", description="The status until then.", examples=[None])
    ]
    to: Annotated[Status, Field(description="The status since then.", examples=["active"])]
    by: Annotated[
        Literal["author", "administrator", "moderator", "clock"], Field(examples=["author"])
    ]
    at: Milliseconds


class ExportedAd(Record):
    id: Annotated[int, Field(examples=[42])]
    title: Annotated[str, Field(examples=["Oak table, seats six"])]
    price: StoredPrice
    description: Annotated[str, Field(examples=["Solid oak, oiled, 180 by 90 cm, one scratch."])]
    image: ImagePath
    images: list[Image]
    status: AdStatus
    expires_at: Annotated[Milliseconds | None, Field(examples=[None])]
    sold_at: Annotated[Milliseconds | None, Field(examples=[None])]
    category: CategorySlug
    attributes: Attributes
    price_type: PriceType
    place: PlaceOrNone
    location: Annotated[Location | None, Field(description="The exact point.")]
    created_at: Milliseconds
    updated_at: Milliseconds


class ExportedLife(ExportedAd):
    events: Annotated[list[AdEvent], Field(description="The ad's life, step by step.")]


class ExportedComment(Record):
    id: Annotated[int, Field(examples=[9])]
    ad_id: Annotated[int, Field(description="Whose comment it is: an ad's id.", examples=[42])]
    text: Annotated[str, Field(examples=["Is it still there?"])]
    status: Annotated[
        Literal["shown", "removed"],
        Field(
            description="`removed` by a moderator, and kept while that can be undone.",
            examples=["shown"],
        ),
    ]
    created_at: Milliseconds
    updated_at: Milliseconds


class ExportedReport(Report):
    kind: Annotated[
        Literal["ad", "comment"], Field(description="What was reported.", examples=["ad"])
    ]
    target: Annotated[
        int,
        Field(
            validation_alias="target_id",
            description="The id of the ad, or of the comment.",
            examples=[42],
        ),
    ]


class AccountExport(Record):
    """Everything held about an account, without the password's hash."""

    user: ExportedUser
    sessions: list[ExportedSession]
    ads: list[ExportedLife]
    comments: list[ExportedComment]
    decisions: Annotated[
        list[Decision], Field(description="What was decided about the account and its things.")
    ]
    reports: Annotated[list[ExportedReport], Field(description="What the account has reported.")]
