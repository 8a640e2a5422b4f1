"""Generated ads as rows of the tables."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from adsvc.models.ads.ad import AdStatus
from adsvc.points import public_point
from adsvc.services.seeding.rows import Row
from adsvc.services.seeding.stock import StockedImage

AD_COLUMNS = (
    "id", "author_id", "category_id", "attributes", "attribute_words", "title", "description",
    "price", "price_type", "status", "sold_at", "expires_at", "place", "latitude", "longitude",
    "public_latitude", "public_longitude", "image", "thumbnail", "image_count", "created_at",
    "updated_at",
)  # fmt: skip

IMAGE_COLUMNS = ("ad_id", "position", "name", "width", "height", "placeholder", "has_variants")


@dataclass(frozen=True, slots=True)
class Seeded:
    row: Row
    author_id: int
    images: Sequence[StockedImage]


def ad_record(ad_id: int, ad: Seeded) -> Sequence[object]:
    row, first, place = ad.row, ad.images[0], ad.row.place
    exact = (place.latitude, place.longitude)
    return (
        ad_id, ad.author_id, row.leaf.id,
        json.dumps(row.attributes), row.leaf.rules.words(row.attributes),
        row.title, row.description, row.price, row.price_type.value, row.status.value,
        row.ended_at if row.status is AdStatus.SOLD else None,
        row.ended_at if row.status is AdStatus.EXPIRED else None,
        place.name, *exact, *public_point(*exact),
        first.name, first.thumbnail, len(ad.images), row.created_at, row.created_at,
    )  # fmt: skip
