"""What demonstration ads say: titles, attributes, places."""

import math
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, cast

from adsvc.enums import AttributeType
from adsvc.schemas.categories import Attribute
from adsvc.services.categories.changes import parsed

# Its texts and numbers.
CATALOGUE: Any = parsed(Path(__file__).with_name("catalogue.yaml").read_text("utf-8"), "catalogue")

KILOMETRES_PER_DEGREE = 111.2

# The spread of a city: two thirds of its ads lie within it.
KILOMETRES = 7.0

# Each with its latitude, its longitude, and its thousands of people.
CITIES: Mapping[str, tuple[float, float, int]] = CATALOGUE["cities"]


class SeededPlace(NamedTuple):
    name: str
    latitude: float
    longitude: float


def random_place(random: Random) -> SeededPlace:
    """A point near one of the cities, the larger ones more often."""
    [name] = random.choices(list(CITIES), [people for *_, people in CITIES.values()])
    latitude, longitude, _ = CITIES[name]
    north = random.gauss(0, KILOMETRES) / KILOMETRES_PER_DEGREE
    east = random.gauss(0, KILOMETRES) / KILOMETRES_PER_DEGREE
    longitude += east / math.cos(math.radians(latitude))
    return SeededPlace(name, round(latitude + north, 6), round(longitude, 6))


class Goods(NamedTuple):
    """Names of things, the range in which two thirds of their prices lie, and their scene."""

    things: Sequence[str]
    price: tuple[int, int] = (10, 500)
    scene: str | None = None


GOODS = {slug: Goods(**goods) for slug, goods in CATALOGUE["goods"].items()}


def goods_of(slug: str) -> Goods:
    return GOODS.get(slug) or Goods(())


def scene_of(slug: str, root: str, thing: str) -> str:
    words = (CATALOGUE["scene_words"].get(word) for word in thing.split())
    named = next(filter(None, words), None)
    return named or goods_of(slug).scene or CATALOGUE["scene_roots"].get(root, "box")


# How often an attribute is given that need not be.
GIVEN = 0.7

DAYS_AHEAD = 365

# Conditions of what is young.
FRESH = frozenset({"new", "like-new", "refurbished"})

# Nothing else in an ad speaks of them.
BROKEN = frozenset({"damaged", "for-parts"})

# What grows is neither old nor used.
AGELESS = frozenset({"garden"})


def values_for(
    attributes: Sequence[Attribute], random: Random, *, today: date
) -> dict[str, object]:
    """The `attributes` of an ad: all that are required, and most of the others."""
    values: dict[str, object] = {}
    for attribute in attributes:
        if attribute.required or random.random() < GIVEN:
            value = _value(attribute, random, values, today)
            if value is not None:
                values[attribute.name] = value
    if "mileage" in values and values.get("condition") in FRESH:
        # What has been driven is not new.
        values["condition"] = "used"
    if isinstance(values.get("year"), int):
        values["year"] = min(cast("int", values["year"]), today.year)
    return values


def _value(
    attribute: Attribute, random: Random, others: Mapping[str, object], today: date
) -> object:
    match attribute.type:
        case AttributeType.ENUM:
            return _option(attribute, random)
        case AttributeType.BOOLEAN:
            return random.random() < 1 / 2
        case AttributeType.DATE:
            return (today + timedelta(days=random.randrange(DAYS_AHEAD))).isoformat()
        case AttributeType.STRING:
            models = CATALOGUE["models"].get(str(others.get("make")))
            if models is None:
                return "as in the pictures"[: attribute.max_length] if attribute.required else None
            model: str = random.choice(models)
            return model[: attribute.max_length]
        case _:
            return _number(attribute, random)


def _option(attribute: Attribute, random: Random) -> str:
    values = [option.value for option in attribute.options]
    if attribute.name == "make":
        # Those with known models.
        values = [value for value in values if value in CATALOGUE["models"]] or values
    if attribute.name == "condition":
        values = [value for value in values if value not in BROKEN] or values
    return random.choice(values)


def _number(attribute: Attribute, random: Random) -> float:
    name = attribute.name
    if name in CATALOGUE["one_of"]:
        made: float = random.choice(CATALOGUE["one_of"][name])
    else:
        lowest, likeliest, highest = CATALOGUE["between"].get(name, (1, 10, 100))
        made = round(random.triangular(lowest, highest, likeliest))
    if attribute.minimum is not None:
        made = max(made, attribute.minimum)
    if attribute.maximum is not None:
        made = min(made, attribute.maximum)
    return int(made) if attribute.type is AttributeType.INTEGER else made
