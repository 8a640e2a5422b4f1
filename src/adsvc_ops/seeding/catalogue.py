"""What demonstration ads say: titles, attributes, places."""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from random import Random
from typing import NamedTuple

from adsvc.enums import AttributeType
from adsvc.schemas.categories import Attribute

KILOMETRES_PER_DEGREE = 111.2

# The spread of a city: two thirds of its ads lie within it.
KILOMETRES = 7.0


class City(NamedTuple):
    name: str
    latitude: float
    longitude: float
    # In thousands: how many ads come from there is in proportion.
    people: int


CITIES = (
    City("Berlin", 52.52, 13.405, 3700),
    City("Hamburg", 53.551, 9.994, 1900),
    City("München", 48.137, 11.575, 1500),
    City("Köln", 50.938, 6.96, 1090),
    City("Frankfurt am Main", 50.11, 8.682, 770),
    City("Stuttgart", 48.776, 9.183, 630),
    City("Leipzig", 51.34, 12.375, 620),
    City("Dresden", 51.05, 13.738, 560),
    City("Hannover", 52.374, 9.738, 540),
    City("Nürnberg", 49.454, 11.077, 520),
    City("Bremen", 53.079, 8.802, 570),
    City("Freiburg im Breisgau", 47.995, 7.85, 235),
    City("Rostock", 54.092, 12.141, 210),
    City("Erfurt", 50.978, 11.029, 215),
    City("Wien", 48.208, 16.373, 1980),
    City("Graz", 47.071, 15.439, 300),
    City("Salzburg", 47.8, 13.045, 155),
    City("Zürich", 47.377, 8.541, 430),
    City("Basel", 47.56, 7.588, 178),
    City("Luxembourg", 49.612, 6.13, 130),
    City("Amsterdam", 52.373, 4.893, 900),
    City("Bruxelles", 50.847, 4.352, 1200),
    City("Paris", 48.857, 2.352, 2100),
    City("Lyon", 45.764, 4.836, 520),
    City("London", 51.507, -0.128, 8900),
    City("Manchester", 53.48, -2.242, 560),
    City("Edinburgh", 55.953, -3.189, 510),
    City("Dublin", 53.35, -6.26, 590),
    City("København", 55.676, 12.568, 660),
    City("Stockholm", 59.329, 18.069, 980),
    City("Warszawa", 52.23, 21.012, 1860),
    City("Praha", 50.088, 14.421, 1300),
    City("Riga", 56.95, 24.105, 610),
    City("Tallinn", 59.437, 24.754, 450),
    City("Madrid", 40.417, -3.704, 3300),
    City("Milano", 45.464, 9.19, 1370),
)

PEOPLE = tuple(city.people for city in CITIES)


class Place(NamedTuple):
    name: str
    latitude: float
    longitude: float


def random_place(random: Random) -> Place:
    """A point near one of the cities, the larger ones more often."""
    [city] = random.choices(CITIES, PEOPLE)
    north = random.gauss(0, KILOMETRES) / KILOMETRES_PER_DEGREE
    east = random.gauss(0, KILOMETRES) / KILOMETRES_PER_DEGREE
    longitude = city.longitude + east / math.cos(math.radians(city.latitude))
    return Place(city.name, round(city.latitude + north, 6), round(longitude, 6))


class Items(NamedTuple):
    """Names of things, and the range in which two thirds of their prices lie."""

    things: tuple[str, ...]
    lowest: int
    highest: int


# By the slug of a category that has no others below it.
ITEMS = {
    "cars": Items((), 3_000, 24_000),
    "motorcycles": Items(("Honda CB 500", "Yamaha MT-07", "BMW R 1250 GS", "Vespa Primavera",
        "Kawasaki Z650", "Suzuki SV 650"), 1_500, 9_000),
    "bicycles": Items(("city bicycle", "touring bicycle", "mountain bike", "road bicycle",
        "cargo bicycle", "children's bicycle", "folding bicycle"), 80, 900),
    "commercial-vehicles": Items(("Ford Transit", "Mercedes Sprinter", "box trailer",
        "small tractor", "Iveco Daily"), 2_500, 25_000),
    "vehicle-parts": Items(("winter tyres", "roof box", "bicycle rack", "set of rims",
        "car battery", "child seat"), 20, 300),
    "flats-for-rent": Items(("flat in an old building", "bright flat with a balcony", "attic flat",
        "flat near the park", "flat near the station"), 550, 1_800),
    "flats-for-sale": Items(("flat with a garden", "renovated flat", "penthouse",
        "flat in a quiet street"), 150_000, 600_000),
    "houses-for-rent": Items(("terraced house", "house with a garden", "semi-detached house"),
        1_200, 3_000),
    "houses-for-sale": Items(("family house", "farmhouse", "terraced house", "old mill",
        "bungalow"), 200_000, 900_000),
    "rooms": Items(("room in a shared flat", "sublet for the summer", "large room with a balcony"),
        300, 700),
    "holiday-homes": Items(("cottage by the lake", "flat near the beach", "mountain hut"),
        60, 200),
    "land": Items(("building plot", "allotment", "orchard", "piece of woodland"), 5_000, 150_000),
    "commercial-property": Items(("office", "corner shop", "workshop", "warehouse"), 500, 5_000),
    "phones": Items(("smartphone", "phone with a cracked display", "phone in its box"), 60, 700),
    "computers": Items(("laptop", "desktop computer", "tablet", "mini computer", "workstation"),
        120, 1_100),
    "tv-audio": Items(("television", "record player", "pair of loudspeakers", "headphones",
        "amplifier", "radio"), 30, 500),
    "cameras": Items(("mirrorless camera", "zoom lens", "tripod", "film camera", "camera bag"),
        40, 900),
    "games": Items(("games console", "handheld console", "controller", "collection of games"),
        20, 300),
    "furniture": Items(("oak table", "dining table", "bookshelf", "sofa", "desk", "wardrobe",
        "garden table", "bed frame", "armchair", "mirror", "side table", "chest of drawers"),
        30, 400),
    "appliances": Items(("washing machine", "refrigerator", "coffee machine", "vacuum cleaner",
        "sewing machine", "coffee grinder"), 25, 350),
    "garden": Items(("lawn mower", "garden bench", "barbecue", "greenhouse", "plant pots"),
        15, 250),
    "tools": Items(("cordless drill", "circular saw", "workbench", "tool box", "ladder"), 15, 200),
    "womens-clothing": Items(("winter coat", "summer dress", "wool jumper", "rain jacket"), 8, 80),
    "mens-clothing": Items(("suit", "leather jacket", "jeans", "linen shirt", "wool coat"), 8, 90),
    "childrens-clothing": Items(("snow suit", "bundle of clothes", "rain trousers", "jacket"),
        5, 40),
    "shoes": Items(("hiking boots", "running shoes", "leather shoes", "sandals", "rain boots"),
        10, 90),
    "toys": Items(("wooden railway", "doll's house", "board game", "building bricks", "puzzle"),
        5, 70),
    "baby": Items(("stroller", "cot", "baby carrier", "high chair", "bicycle trailer"), 20, 250),
    "pets": Items(("aquarium", "dog basket", "cat tree", "rabbit hutch", "bird cage"), 10, 120),
    "books": Items(("set of novels", "cookery books", "box of records", "atlas", "comics"), 3, 50),
    "sports": Items(("tent", "skis", "rowing machine", "climbing rope", "table tennis table",
        "surfboard"), 20, 300),
    "instruments": Items(("guitar", "piano", "violin", "drum kit", "accordion", "keyboard"),
        60, 900),
    "collectables": Items(("stamp album", "oil painting", "model railway", "coins", "clock"),
        10, 400),
    "jobs-offered": Items(("carpenter", "nurse", "cook", "bicycle mechanic", "accountant",
        "gardener", "driver"), 1_900, 4_200),
    "jobs-wanted": Items(("experienced cook", "gardener", "student for the weekend",
        "translator"), 1_200, 3_500),
    "craft": Items(("painter", "electrician", "tiler", "plumber", "roofer"), 35, 90),
    "lessons": Items(("piano lessons", "German lessons", "help with mathematics",
        "swimming lessons"), 15, 50),
    "transport": Items(("van with a driver", "help with moving", "transport of furniture"),
        30, 200),
    "care": Items(("babysitter", "help in the household", "dog walker", "care for the elderly"),
        12, 30),
}  # fmt: skip

# Of the makes of the category `cars`.
MODELS = {
    "audi": ("A3", "A4 Avant", "Q5"),
    "bmw": ("118i", "320d Touring", "X3"),
    "citroen": ("C3", "Berlingo"),
    "dacia": ("Sandero", "Duster"),
    "fiat": ("500", "Panda"),
    "ford": ("Fiesta", "Focus", "Kuga"),
    "hyundai": ("i20", "Kona"),
    "kia": ("Ceed", "Niro"),
    "mazda": ("2", "CX-5"),
    "mercedes-benz": ("A 180", "C 200", "E 220"),
    "opel": ("Corsa", "Astra"),
    "peugeot": ("208", "308"),
    "renault": ("Clio", "Mégane", "Zoe"),
    "seat": ("Ibiza", "Leon"),
    "skoda": ("Fabia", "Octavia", "Enyaq"),
    "tesla": ("Model 3", "Model Y"),
    "toyota": ("Yaris", "Corolla", "Prius"),
    "volkswagen": ("Golf", "Polo", "Passat Variant", "ID.3"),
    "volvo": ("V60", "XC40"),
}

QUALITIES = (
    "Vintage", "Barely used", "Solid", "Small", "Large", "Well-kept", "Light", "Old", "Modern",
    "Sturdy", "Beautiful", "Simple", "Good", "Almost new",
)  # fmt: skip

# For what is neither old nor red: homes, jobs and services.
OCCASIONS = ("Available now", "Urgent", "From next month", "Reliable", "In the centre", "By owner")

DETAILS = (
    "pick-up only", "with original box", "from a smoke-free home", "one scratch", "moving sale",
    "as good as new", "serviced last year", "price negotiable", "a gift I never used",
    "in the family for decades", "shipping possible", "with all papers",
)  # fmt: skip

REASONS = (
    "We are moving and have no room for it.", "We have bought another one.",
    "It has served us well for some years.", "It was used for one season.",
    "The children have outgrown it.", "It comes from my parents' house.",
)  # fmt: skip

# For homes, jobs and services.
OFFERS = (
    "More about it by message or by phone.", "An appointment is possible on weekdays, after six.",
    "Please write a few words about yourself.", "Questions are answered on the same day.",
)  # fmt: skip

CLOSINGS = (
    "Private sale, no returns.", "Please write before you come.", "Cash on collection.",
    "If you can read this, it is still available.", "First come, first served.",
)  # fmt: skip

# Which scene of `pictures` shows a thing: by a word of its name, else by its category, else by the
# root of its branch.
SCENE_WORDS = {
    "sofa": "sofa", "armchair": "sofa", "bed": "sofa", "bench": "table", "table": "table",
    "desk": "table", "bookshelf": "shelf", "wardrobe": "shelf", "chest": "shelf",
    "tablet": "phone", "guitar": "guitar", "violin": "guitar", "bicycle": "bicycle",
    "loudspeakers": "box", "headphones": "box",
    "novels": "books", "atlas": "books", "comics": "books", "album": "books",
}  # fmt: skip
SCENE_SLUGS = {
    "cars": "car", "commercial-vehicles": "car", "motorcycles": "motorcycle", "bicycles": "bicycle",
    "vehicle-parts": "tools", "flats-for-rent": "room", "flats-for-sale": "room", "rooms": "room",
    "land": "meadow", "commercial-property": "house", "phones": "phone", "computers": "screen",
    "tv-audio": "screen", "cameras": "camera", "games": "box", "appliances": "box",
    "garden": "meadow", "tools": "tools", "shoes": "shoes", "toys": "toys", "books": "books",
    "instruments": "guitar", "craft": "tools", "lessons": "books", "transport": "box",
}  # fmt: skip
SCENE_ROOTS = {
    "vehicles": "car", "property": "house", "home": "table", "clothing": "jacket",
    "family": "toys", "jobs": "desk", "services": "desk",
}  # fmt: skip


def scene_of(slug: str, root: str, thing: str) -> str:
    words = (SCENE_WORDS.get(word) for word in thing.split())
    named = next(filter(None, words), None)
    return named or SCENE_SLUGS.get(slug) or SCENE_ROOTS.get(root, "box")


FIRST_NAMES = ("Anna", "Ben", "Clara", "David", "Elif", "Farid", "Greta", "Hugo", "Irina", "Jonas")
LAST_NAMES = ("Berg", "Costa", "Dietrich", "Engel", "Fischer", "Ivanova", "Kaya", "Lang", "Novak")


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
        # Those with known models.
        values = [value for value in values if value in MODELS] or values
    return random.choice(values)


def _number(attribute: Attribute, random: Random) -> float:
    made = BY_NAME.get(attribute.name, _between(1, 10, 100))(random)
    if attribute.minimum is not None:
        made = max(made, attribute.minimum)
    if attribute.maximum is not None:
        made = min(made, attribute.maximum)
    return int(made) if attribute.type is AttributeType.INTEGER else made
