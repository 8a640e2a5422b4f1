"""Ads as they may stand on a site: of a category, random_place, at some point of their lives."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import exp, log, sqrt
from random import Random
from typing import Self

from adsvc.enums import AdStatus, PriceType
from adsvc.pictures.picture import VARIANTS, variant_name
from adsvc.points import public_point
from adsvc.schemas.categories import Attribute
from adsvc.services.categories.reading import CategoryTree
from adsvc.services.categories.rules import Rules
from adsvc.storage import ImageStore, new_image_name
from adsvc_ops.seeding.catalogue import (
    DETAILS,
    ITEMS,
    OCCASIONS,
    QUALITIES,
    Place,
    random_place,
    values_for,
)

SPAN = timedelta(days=730)
DAYS_OF_AN_AD = timedelta(days=30)

# In hundredths; most of what a site shows is active.
STATUSES = {
    AdStatus.ACTIVE: 82,
    AdStatus.RESERVED: 5,
    AdStatus.SOLD: 7,
    AdStatus.WITHDRAWN: 2,
    AdStatus.EXPIRED: 3,
    AdStatus.DRAFT: 1,
}

PRICE_TYPES = {
    PriceType.FIXED: 70,
    PriceType.NEGOTIABLE: 26,
    PriceType.FREE: 2,
    PriceType.ON_REQUEST: 2,
}

# How many pictures an ad has, one to five.
PICTURES = (45, 25, 15, 10, 5)

# Of these categories nothing is red, or barely used.
UNUSED = frozenset({"property", "jobs", "services"})


@dataclass(frozen=True, slots=True)
class LeafCategory:
    """A category in which there are ads, and the one at the root above it."""

    id: int
    slug: str
    root: str
    attributes: Sequence[Attribute]
    rules: Rules


def leaf_categories(tree: CategoryTree) -> list[LeafCategory]:
    """Of a tree that is stored."""
    return [
        LeafCategory(
            node.id,
            node.slug,
            tree.path(node.slug)[0].slug,
            [found.attribute for found in tree.attributes(node.slug)],
            tree.rules(node.slug),
        )
        for node in tree.below(None)
        if node.id is not None and node.slug not in tree.children
    ]


@dataclass(frozen=True, slots=True)
class Row:
    leaf: LeafCategory
    title: str
    description: str
    price: int
    price_type: PriceType
    status: AdStatus
    attributes: Mapping[str, object]
    place: Place
    created_at: datetime
    pictures: int

    @property
    def ended_at(self) -> datetime:
        """When it was sold or expired, if it was."""
        return min(self.created_at + DAYS_OF_AN_AD, datetime.now(UTC))


def rows(count: int, leaves: Sequence[LeafCategory], *, hidden: bool = True) -> Iterator[Row]:
    """The oldest first; the same for the same numbers, but for the time.

    With `hidden`, some are such as lists do not show.
    """
    random = Random(count)  # noqa: S311 - demonstration data
    now = datetime.now(UTC)
    statuses = STATUSES if hidden else {AdStatus.ACTIVE: 1}
    for number in range(count):
        created_at = now - SPAN + SPAN * (number + random.random()) / count
        [status] = random.choices(list(statuses), list(statuses.values()))
        yield _row(random, random.choice(leaves), number, status, created_at)


def _row(
    random: Random, leaf: LeafCategory, number: int, status: AdStatus, created_at: datetime
) -> Row:
    attributes = values_for(leaf.attributes, random, today=created_at.date())
    title = _title(random, leaf, attributes)
    details = random.sample(DETAILS, 3)
    [price_type] = random.choices(list(PRICE_TYPES), list(PRICE_TYPES.values()))
    [pictures] = random.choices(range(1, len(PICTURES) + 1), PICTURES)
    return Row(
        leaf,
        title,
        f"{title}: {details[0]}, {details[1]}, {details[2]}. Number {number} of its kind.",
        0 if price_type is PriceType.FREE else _price(random, leaf),
        price_type,
        status,
        attributes,
        random_place(random),
        created_at,
        pictures,
    )


def _title(random: Random, leaf: LeafCategory, attributes: Mapping[str, object]) -> str:
    if "make" in attributes:
        make = str(attributes["make"]).replace("-", " ").title()
        return f"{make} {attributes.get('model', '')} {attributes.get('year', '')}".strip()
    goods = ITEMS.get(leaf.slug)
    thing = random.choice(goods.things) if goods else leaf.slug.replace("-", " ")
    if leaf.root in UNUSED:
        return f"{random.choice(OCCASIONS)}: {thing}"
    return f"{random.choice(QUALITIES)} {thing}, {random.choice(DETAILS)}"


def _price(random: Random, leaf: LeafCategory) -> int:
    goods = ITEMS.get(leaf.slug)
    lowest, highest = (goods.lowest, goods.highest) if goods else (10, 500)
    # Two thirds of a normal distribution lie within one deviation of its mean.
    middle, deviation = log(sqrt(lowest * highest)), log(highest / lowest) / 2
    price = exp(random.normalvariate(middle, deviation))
    step: int = 10 ** max(0, len(str(round(price))) - 2)
    return max(1, round(price / step) * step)


# A file system allows some 65,000 names for one file; this stays well below.
ADS_PER_PICTURE = 20_000

FEWEST_PICTURES = 12


@dataclass(frozen=True, slots=True)
class PooledPicture:
    name: str
    size: tuple[int, int]
    placeholder: str

    @property
    def thumbnail(self) -> str:
        return variant_name(self.name, "thumb")

    def files(self) -> list[str]:
        return [self.name, *(variant_name(self.name, variant) for variant in VARIANTS)]


class PicturePool:
    def __init__(self, store: ImageStore) -> None:
        self._store = store
        self._drawn: dict[str, list[PooledPicture]] = {}
        self._further: list[tuple[str, str]] = []
        self._taken = 0

    @classmethod
    async def made(cls, store: ImageStore, leaves: Sequence[LeafCategory], ads: int) -> Self:
        """Enough for so many ads, in the categories of that root each."""
        stock = cls(store)
        roots = sorted({leaf.root for leaf in leaves})
        each = max(FEWEST_PICTURES, ads * len(PICTURES) // ADS_PER_PICTURE + 1)
        random = Random(each)  # noqa: S311 - demonstration data
        for root in roots:
            stock._drawn[root] = [await stock._put(root, random) for _ in range(each)]
        return stock

    async def _put(self, root: str, random: Random) -> PooledPicture:
        # Pillow takes memory, and all commands know of this module.
        from adsvc_ops.seeding.pictures import drawn  # noqa: PLC0415

        drawing = drawn(root, random)
        image = PooledPicture(new_image_name("jpg"), drawing.size, drawing.placeholder)
        await self._store.put(image.name, drawing.jpeg)
        for variant, content in drawing.variants.items():
            await self._store.put(variant_name(image.name, variant), content)
        return image

    def take(self, row: Row) -> list[PooledPicture]:
        """As many pictures as the ad has; their files are there after `deliver`."""
        return [self._copy(row.leaf.root) for _ in range(row.pictures)]

    def _copy(self, root: str) -> PooledPicture:
        images = self._drawn[root]
        self._taken += 1
        source = images[self._taken % len(images)]
        copy = PooledPicture(new_image_name("jpg"), source.size, source.placeholder)
        self._further += zip(source.files(), copy.files(), strict=True)
        return copy

    async def deliver(self) -> None:
        further, self._further = self._further, []
        await self._store.duplicate(further)

    async def clear(self) -> None:
        """The drawings themselves belong to no ad."""
        for images in self._drawn.values():
            for image in images:
                for file in image.files():
                    await self._store.delete(file)


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
    images: Sequence[PooledPicture]


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
