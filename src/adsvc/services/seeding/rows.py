"""Ads as they may stand on a site: of a category, somewhere, at some point of their lives."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import exp, log, sqrt
from random import Random

from adsvc.models.ads.ad import AdStatus, PriceType
from adsvc.schemas.ads.attributes import Attribute
from adsvc.services.categories.rules import Rules
from adsvc.services.categories.tree import CategoryTree
from adsvc.services.seeding.attributes import values_for
from adsvc.services.seeding.catalogue import DETAILS, GOODS, OCCASIONS, QUALITIES
from adsvc.services.seeding.places import Place, somewhere

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
class Leaf:
    """A category in which there are ads, and the one at the root above it."""

    id: int
    slug: str
    root: str
    attributes: Sequence[Attribute]
    rules: Rules


def leaves_of(tree: CategoryTree) -> list[Leaf]:
    """Of a tree that is stored."""
    return [
        Leaf(
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
    leaf: Leaf
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


def rows(count: int, leaves: Sequence[Leaf], *, hidden: bool = True) -> Iterator[Row]:
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


def _row(random: Random, leaf: Leaf, number: int, status: AdStatus, created_at: datetime) -> Row:
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
        somewhere(random),
        created_at,
        pictures,
    )


def _title(random: Random, leaf: Leaf, attributes: Mapping[str, object]) -> str:
    if "make" in attributes:
        make = str(attributes["make"]).replace("-", " ").title()
        return f"{make} {attributes.get('model', '')} {attributes.get('year', '')}".strip()
    goods = GOODS.get(leaf.slug)
    thing = random.choice(goods.things) if goods else leaf.slug.replace("-", " ")
    if leaf.root in UNUSED:
        return f"{random.choice(OCCASIONS)}: {thing}"
    return f"{random.choice(QUALITIES)} {thing}, {random.choice(DETAILS)}"


def _price(random: Random, leaf: Leaf) -> int:
    goods = GOODS.get(leaf.slug)
    lowest, highest = (goods.lowest, goods.highest) if goods else (10, 500)
    # Two thirds of a normal distribution lie within one deviation of its mean.
    middle, deviation = log(sqrt(lowest * highest)), log(highest / lowest) / 2
    price = exp(random.normalvariate(middle, deviation))
    step: int = 10 ** max(0, len(str(round(price))) - 2)
    return max(1, round(price / step) * step)
