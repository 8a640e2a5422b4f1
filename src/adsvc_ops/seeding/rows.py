"""Ads as they may stand on a site: of a category, random_place, at some point of their lives."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import exp, log, sqrt
from random import Random

from adsvc.enums import AdStatus, PriceType
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

SPAN = timedelta(weeks=6)
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
