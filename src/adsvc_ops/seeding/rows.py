"""Ads as they may stand on a site: of a category, random_place, at some point of their lives."""

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from math import ceil, exp, log, sqrt
from random import Random
from typing import TYPE_CHECKING

from adsvc.enums import AdStatus, PriceType
from adsvc.kit.pictures.containers import VARIANTS, variant_name
from adsvc.kit.storage import ImageStore, new_image_name
from adsvc.public_location import public_point
from adsvc.schemas.categories import Attribute
from adsvc.services.categories.reading import CategoryTree
from adsvc.services.categories.rules import Rules
from adsvc_ops.seeding.catalogue import (
    AGELESS,
    CATALOGUE,
    FRESH,
    SeededPlace,
    goods_of,
    random_place,
    scene_of,
    values_for,
)

if TYPE_CHECKING:
    from adsvc_ops.seeding.pictures import Drawing

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

# How many pictures an ad has, one to three.
PICTURES = (45, 30, 25)

# Of these categories nothing is red, or barely used.
UNUSED = frozenset({"property", "jobs", "services"})

# Of these roots people give things away.
GIVEN_AWAY = frozenset({"home", "clothing", "family", "leisure"})

NEGOTIABLE_DETAIL = "price negotiable"

# In deviations: no price is further from the middle of its range.
FARTHEST_PRICE = 1.2


@dataclass(frozen=True, slots=True)
class LeafCategory:
    """A category in which there are ads, and the one at the root above it."""

    id: int
    slug: str
    root: str
    attributes: Sequence[Attribute]
    rules: Rules

    @property
    def name(self) -> str:
        """What an ad says where the catalogue has no thing."""
        return self.slug.replace("-", " ")


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
    place: SeededPlace
    created_at: datetime
    scene: str
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
        # Most of what is on offer is young.
        age = 1 - (number + random.random()) / count
        created_at = now - SPAN * age**3
        [status] = random.choices(list(statuses), list(statuses.values()))
        yield _row(random, random.choice(leaves), status, created_at)


def _row(random: Random, leaf: LeafCategory, status: AdStatus, created_at: datetime) -> Row:
    things = goods_of(leaf.slug).things
    thing = random.choice(things) if things else leaf.name
    attributes = values_for(leaf.attributes, random, today=created_at.date())
    for name, value in CATALOGUE["implied"].get(thing, {}).items():
        if name in attributes and value is None:
            del attributes[name]
        elif name in attributes:
            attributes[name] = value
    [price_type] = random.choices(list(PRICE_TYPES), list(PRICE_TYPES.values()))
    if price_type is PriceType.FREE and leaf.root not in GIVEN_AWAY:
        price_type = PriceType.FIXED
    [pictures] = random.choices(range(1, len(PICTURES) + 1), PICTURES)
    place = random_place(random)
    if leaf.root in UNUSED:
        occasions = CATALOGUE["occasions"].get(leaf.slug) or CATALOGUE["occasions"][leaf.root]
        title = f"{random.choice(occasions)}: {thing}"
        description = f"{title}. {random.choice(CATALOGUE['offers'])} In {place.name}."
    else:
        title, description = _of_goods(random, leaf, attributes, thing, price_type)
        closings = list(CATALOGUE["closings"])
        if price_type is not PriceType.FREE:
            closings += CATALOGUE["sale_closings"]
        description = f"{description} To be seen in {place.name}.\n\n{random.choice(closings)}"
    return Row(
        leaf,
        title,
        description,
        0 if price_type is PriceType.FREE else _price(random, leaf, attributes, created_at),
        price_type,
        status,
        attributes,
        place,
        created_at,
        scene_of(leaf.slug, leaf.root, thing),
        pictures,
    )


def _said(kind: str, ages: Sequence[str]) -> list[str]:
    return [text for age in ("any", *ages) for text in CATALOGUE[kind][age]]


def _of_goods(
    random: Random,
    leaf: LeafCategory,
    attributes: Mapping[str, object],
    thing: str,
    price_type: PriceType,
) -> tuple[str, str]:
    """Title and description, of which nothing contradicts the attributes or the price."""
    condition = attributes.get("condition")
    is_young = condition in FRESH if condition else random.random() < 1 / 2
    ages = () if leaf.slug in AGELESS else ("young",) if is_young else ("old",)
    details = _said("details", ages)
    for place in (leaf.slug, leaf.root):
        details += CATALOGUE["details_of"].get(place, ())
    if price_type is PriceType.NEGOTIABLE:
        details.append(NEGOTIABLE_DETAIL)
    first, second, third = random.sample(details, 3)
    reason = random.choice(_said("reasons", ages))
    if "make" in attributes:
        make = _label(leaf, "make", attributes["make"])
        title = f"{make} {attributes.get('model', '')} {attributes.get('year', '')}"
        title = " ".join(title.split())
    else:
        quality = random.choice(_said("qualities", ages))
        brand = attributes.get("brand", "other")
        if brand != "other":
            thing = f"{_label(leaf, 'brand', brand)} {thing}"
        title = f"{quality} {thing}, {first}"
    return title, f"{title}. {reason} {second.capitalize()}, {third}."


def _label(leaf: LeafCategory, name: str, value: object) -> str:
    """How an option is shown: BMW for `bmw`."""
    return next(
        (
            option.label or option.value
            for attribute in leaf.attributes
            if attribute.name == name
            for option in attribute.options
            if option.value == value
        ),
        str(value).title(),
    )


def _price(
    random: Random, leaf: LeafCategory, attributes: Mapping[str, object], created_at: datetime
) -> int:
    lowest, highest = goods_of(leaf.slug).price
    year, driven = attributes.get("year"), attributes.get("mileage")
    if isinstance(year, int) and isinstance(driven, int):
        # A car loses a tenth of its price each year, and as much again by 60,000 kilometres.
        years = max(0, created_at.year - year)
        price: float = 1.6 * highest * 0.9 ** (years + driven / 60_000) * random.uniform(0.85, 1.2)
    else:
        # Two thirds of a normal distribution lie within one deviation of its mean.
        middle, deviation = log(sqrt(lowest * highest)), log(highest / lowest) / 2
        away = max(-FARTHEST_PRICE, min(FARTHEST_PRICE, random.normalvariate()))
        price = exp(middle + deviation * away)
    step: int = 10 ** max(0, len(str(round(price))) - 2)
    return max(1, round(price / step) * step)


# A file system allows some 65,000 names for one file; this stays well below.
ADS_PER_THING = 20_000

# Of each scene, so that neighbours in a list differ. Where there are many ads, making so many
# takes longer than it is worth.
FEWEST_THINGS = 6
MANY_ADS = 10_000
FEWEST_OF_MANY = 2


def most_things(leaves: Sequence[LeafCategory], ads: int) -> dict[str, int]:
    """How many things of each scene suffice for so many ads."""
    expected: defaultdict[str, float] = defaultdict(float)
    for leaf in leaves:
        things = goods_of(leaf.slug).things or [leaf.name]
        for thing in things:
            scene = scene_of(leaf.slug, leaf.root, thing)
            expected[scene] += ads / len(leaves) / len(things)
    fewest = FEWEST_OF_MANY if ads >= MANY_ADS else FEWEST_THINGS
    return {
        scene: max(fewest, ceil(of_scene / ADS_PER_THING)) for scene, of_scene in expected.items()
    }


@dataclass(frozen=True, slots=True)
class PooledPicture:
    name: str
    size: tuple[int, int]
    placeholder: str
    source: "PooledPicture | None" = None

    @property
    def thumbnail(self) -> str:
        return variant_name(self.name, "thumb")

    def files(self) -> list[str]:
        return [self.name, *(variant_name(self.name, variant) for variant in VARIANTS)]

    def copies(self) -> Iterator[tuple[str, str]]:
        """The files of its source, and its own."""
        return zip(self.source.files() if self.source else (), self.files(), strict=True)


class PicturePool:
    """Some things of each scene, each with several pictures. All ads share their contents."""

    def __init__(self, store: ImageStore, leaves: Sequence[LeafCategory], ads: int) -> None:
        """For at most so many ads of the categories."""
        self._store = store
        self._most = most_things(leaves, ads)
        self._drawn: defaultdict[str, list[list[PooledPicture]]] = defaultdict(list)
        self._taken: Counter[str] = Counter()

    async def draw(self, scenes: Iterable[str]) -> None:
        """Stores what the next ads need: `scenes` has the scene of each."""
        for scene, ads in Counter(scenes).items():
            things = self._drawn[scene]
            wanted = min(self._most[scene], len(things) + ads)
            things += await asyncio.gather(
                *(self._draw(scene, number) for number in range(len(things), wanted))
            )

    async def _draw(self, scene: str, number: int) -> list[PooledPicture]:
        # Pillow takes memory, and all commands know of this module.
        from adsvc_ops.seeding.pictures import drawn  # noqa: PLC0415

        # Pillow leaves the other threads the interpreter meanwhile.
        return [await self._put(one) for one in await asyncio.to_thread(drawn, scene, number)]

    async def _put(self, drawing: "Drawing") -> PooledPicture:
        image = PooledPicture(new_image_name("jpg"), drawing.size, drawing.placeholder)
        await self._store.put(image.name, drawing.jpeg)
        for variant, content in drawing.variants.items():
            await self._store.put(variant_name(image.name, variant), content)
        return image

    def take(self, row: Row) -> list[PooledPicture]:
        """As many pictures as the ad has; their files are there after `deliver`."""
        things = self._drawn[row.scene]
        thing = things[self._taken[row.scene] % len(things)]
        self._taken[row.scene] += 1
        return [
            PooledPicture(new_image_name("jpg"), source.size, source.placeholder, source)
            for source in thing[: row.pictures]
        ]

    async def deliver(self, ads: Sequence["Seeded"]) -> None:
        images = [image for ad in ads for image in ad.images]
        await self._store.duplicate([pair for image in images for pair in image.copies()])

    async def clear(self) -> None:
        """The drawings themselves belong to no ad."""
        for image in chain.from_iterable(chain.from_iterable(self._drawn.values())):
            for file in image.files():
                await self._store.delete(file)


@dataclass(frozen=True, slots=True)
class Seeded:
    row: Row
    author_id: int
    images: Sequence[PooledPicture]


def ad_row(ad_id: int, ad: Seeded) -> dict[str, object]:
    """The values by column."""
    row, first, place = ad.row, ad.images[0], ad.row.place
    public_latitude, public_longitude = public_point(place.latitude, place.longitude)
    return {
        "id": ad_id,
        "author_id": ad.author_id,
        "category_id": row.leaf.id,
        "attributes": json.dumps(row.attributes),
        "attribute_words": row.leaf.rules.words(row.attributes),
        "title": row.title,
        "description": row.description,
        "price": row.price,
        "price_type": row.price_type.value,
        "status": row.status.value,
        "sold_at": row.ended_at if row.status is AdStatus.SOLD else None,
        "expires_at": row.ended_at if row.status is AdStatus.EXPIRED else None,
        "place": place.name,
        "latitude": place.latitude,
        "longitude": place.longitude,
        "public_latitude": public_latitude,
        "public_longitude": public_longitude,
        "image": first.name,
        "thumbnail": first.thumbnail,
        "image_count": len(ad.images),
        "created_at": row.created_at,
        "updated_at": row.created_at,
    }


def image_rows(ad_id: int, ad: Seeded) -> list[dict[str, object]]:
    return [
        {
            "ad_id": ad_id,
            "position": position,
            "name": image.name,
            "width": image.size[0],
            "height": image.size[1],
            "placeholder": image.placeholder,
            "has_variants": True,
            "has_share": True,
        }
        for position, image in enumerate(ad.images)
    ]
