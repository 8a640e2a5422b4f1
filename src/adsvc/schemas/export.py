"""What `GET /users/me/export` holds, beyond the records that others see too."""

from typing import Annotated, Literal

from pydantic import Field

from adsvc.schemas.ads.ad import Attributes, CategorySlug, PlaceOrNone, PriceType, Status
from adsvc.schemas.ads.images import Image
from adsvc.schemas.ads.locations import Location
from adsvc.schemas.base import ImagePath, Milliseconds, Record
from adsvc.schemas.users import Profile


class ExportedUser(Profile):
    created_at: Milliseconds


class ExportedSession(Record):
    id: int
    client: str
    began_at: Milliseconds
    last_used_at: Milliseconds
    expires_at: Milliseconds


class AdEvent(Record):
    """A step in an ad's life; the first has no status before it."""

    id: int
    event: str
    status_before: Annotated[Status | None, Field(alias="from")]
    to: Status
    by: Literal["author", "administrator", "clock"]
    at: Milliseconds


class ExportedAd(Record):
    id: int
    title: str
    price: int
    description: str
    image: ImagePath
    images: list[Image]
    status: Status
    expires_at: Milliseconds | None
    sold_at: Milliseconds | None
    category: CategorySlug
    attributes: Attributes
    price_type: PriceType
    place: PlaceOrNone
    # The exact point.
    location: Location | None
    created_at: Milliseconds
    updated_at: Milliseconds


class ExportedLife(ExportedAd):
    events: list[AdEvent]


class ExportedComment(Record):
    id: int
    ad_id: int
    text: str
    created_at: Milliseconds
    updated_at: Milliseconds
