"""Believable values for the attributes that a category defines."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from random import Random

from adsvc.schemas.ads.attributes import Attribute, AttributeType
from adsvc.services.seeding.catalogue import MODELS

# How often an attribute is given that need not be.
GIVEN = 0.7

SOON = 365


def _one_of(*values: float) -> Callable[[Random], float]:
    return lambda random: random.choice(values)


def _between(lowest: int, likely: int, highest: int) -> Callable[[Random], float]:
    return lambda random: round(random.triangular(lowest, highest, likely))


# What the bounds of the definition alone would make odd.
BY_NAME: dict[str, Callable[[Random], float]] = {
    "year": _between(1998, 2018, 2026),
    "mileage": _between(500, 80_000, 320_000),
    "power": _between(40, 85, 300),
    "displacement": _one_of(50, 125, 300, 500, 650, 750, 1000, 1250),
    "frameSize": _between(44, 54, 64),
    "area": _between(18, 70, 240),
    "rooms": _one_of(1, 1.5, 2, 2.5, 3, 3.5, 4, 5),
    "floor": _between(0, 2, 9),
    "built": _between(1890, 1975, 2026),
    "deposit": _between(500, 1_500, 5_000),
    "plot": _between(120, 500, 3_000),
    "flatmates": _between(1, 2, 5),
    "beds": _between(1, 4, 9),
    "storage": _one_of(64, 128, 256, 512, 1024),
    "memory": _one_of(4, 8, 16, 32, 64),
    "screen": _one_of(13.3, 14, 15.6, 24, 27, 32, 43, 55, 65),
    "width": _between(30, 90, 260),
    "height": _one_of(56, 68, 80, 92, 104, 116, 128, 140, 152, 164),
    "shoeSize": _between(34, 41, 47),
}


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
            return (today + timedelta(days=random.randrange(SOON))).isoformat()
        case AttributeType.STRING:
            models = MODELS.get(str(others.get("make")))
            if models is None:
                return "as in the pictures"[: attribute.max_length] if attribute.required else None
            return random.choice(models)[: attribute.max_length]
        case _:
            return _number(attribute, random)


def _option(attribute: Attribute, random: Random) -> str:
    values = [option.value for option in attribute.options]
    if attribute.name == "make":
        # Those of which the models are known.
        values = [value for value in values if value in MODELS] or values
    return random.choice(values)


def _number(attribute: Attribute, random: Random) -> float:
    made = BY_NAME.get(attribute.name, _between(1, 10, 100))(random)
    if attribute.minimum is not None:
        made = max(made, attribute.minimum)
    if attribute.maximum is not None:
        made = min(made, attribute.maximum)
    return int(made) if attribute.type is AttributeType.INTEGER else made
