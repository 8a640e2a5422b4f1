"""What `GET /users/me/export` holds, beyond the records that others see too."""

from adsvc.schemas.ads import Attributes, CategorySlug, PlaceOrNone, PriceType, Status
from adsvc.schemas.base import ImagePath, Milliseconds, Record
from adsvc.schemas.images import Image
from adsvc.schemas.locations import Location
from adsvc.schemas.users import Profile


class ExportedUser(Profile):
    created_at: Milliseconds


class ExportedSession(Record):
    id: int
    client: str
    began_at: Milliseconds
    last_used_at: Milliseconds
    expires_at: Milliseconds


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


class ExportedComment(Record):
    id: int
    ad_id: int
    text: str
    created_at: Milliseconds
    updated_at: Milliseconds
