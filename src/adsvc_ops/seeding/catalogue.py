"""What demonstration ads say: titles, attributes, places."""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from random import Random
from typing import NamedTuple, cast

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


class SeededPlace(NamedTuple):
    name: str
    latitude: float
    longitude: float


def random_place(random: Random) -> SeededPlace:
    """A point near one of the cities, the larger ones more often."""
    [city] = random.choices(CITIES, PEOPLE)
    north = random.gauss(0, KILOMETRES) / KILOMETRES_PER_DEGREE
    east = random.gauss(0, KILOMETRES) / KILOMETRES_PER_DEGREE
    longitude = city.longitude + east / math.cos(math.radians(city.latitude))
    return SeededPlace(city.name, round(city.latitude + north, 6), round(longitude, 6))


class Items(NamedTuple):
    """Names of things, and the range in which two thirds of their prices lie."""

    # Separated by commas.
    names: str
    lowest: int
    highest: int
    # Of the illustrations.
    scene: str | None = None

    @property
    def things(self) -> Sequence[str]:
        return self.names.split(", ") if self.names else ()


# By the slug of a category that has no others below it.
ITEMS = {
    "cars": Items("", 3_000, 24_000, "car"),
    "motorcycles": Items(
        "Honda CB 500, Yamaha MT-07, BMW R 1250 GS, Kawasaki Z650, Suzuki SV 650",
        1_500,
        9_000,
        "motorcycle",
    ),
    "bicycles": Items(
        "city bicycle, touring bicycle, mountain bike, road bicycle, trekking bicycle, "
        "gravel bicycle",
        80,
        900,
        "bicycle",
    ),
    "commercial-vehicles": Items(
        "Ford Transit, Mercedes Sprinter, Iveco Daily, Volkswagen Crafter, Renault Master",
        2_500,
        25_000,
        "van",
    ),
    "vehicle-parts": Items(
        "winter tyres, summer tyres, set of rims, pair of wheels", 20, 300, "wheels"
    ),
    "flats-for-rent": Items(
        "flat in an old building, bright flat with a balcony, attic flat, flat near the park, "
        "flat near the station",
        550,
        1_800,
        "room",
    ),
    "flats-for-sale": Items(
        "flat with a garden, renovated flat, penthouse, flat in a quiet street",
        150_000,
        600_000,
        "room",
    ),
    "houses-for-rent": Items(
        "terraced house, house with a garden, semi-detached house", 1_200, 3_000
    ),
    "houses-for-sale": Items(
        "family house, farmhouse, terraced house, country house", 200_000, 900_000
    ),
    "rooms": Items(
        "room in a shared flat, sublet for the summer, large room with a balcony", 300, 700, "room"
    ),
    "holiday-homes": Items(
        "cottage by the lake, house near the beach, house in the hills", 60, 200
    ),
    "land": Items("building plot, allotment, orchard, piece of woodland", 5_000, 150_000, "meadow"),
    "commercial-property": Items(
        "office, shared office, house with a shop, house with a workshop", 500, 5_000, "house"
    ),
    "phones": Items("smartphone, mobile phone, phone", 60, 700, "phone"),
    "computers": Items("laptop, desktop computer, tablet, workstation", 120, 1_100, "screen"),
    "tv-audio": Items("television, smart television, flat-screen television", 60, 500, "screen"),
    "cameras": Items(
        "mirrorless camera, film camera, compact camera, reflex camera", 40, 900, "camera"
    ),
    "games": Items(
        "collection of games, box of games, bundle of games and controllers", 20, 300, "games"
    ),
    "furniture": Items(
        "oak table, dining table, bookshelf, sofa, desk, bookcase, kitchen table, "
        "two-seater sofa, side table",
        30,
        400,
    ),
    "appliances": Items(
        "washing machine, refrigerator, tumble dryer, fridge-freezer", 60, 350, "washer"
    ),
    "garden": Items(
        "young apple trees, hedge plants, shrubs, bundle of young trees", 15, 150, "meadow"
    ),
    "tools": Items("tool box, case of tools, set of tools", 15, 150, "tools"),
    "womens-clothing": Items("winter coat, rain jacket, wool jacket, denim jacket", 8, 80),
    "mens-clothing": Items("leather jacket, wool coat, rain jacket, linen jacket", 8, 90),
    "childrens-clothing": Items("rain jacket, winter jacket, jacket with a hood", 5, 40),
    "shoes": Items("hiking boots, running shoes, leather shoes, walking shoes", 10, 90, "shoes"),
    "toys": Items(
        "building bricks, wooden blocks, bundle of toys, bricks and a ball", 5, 70, "toys"
    ),
    "baby": Items("stroller, pram, buggy", 20, 250, "stroller"),
    "pets": Items("bundle of dog toys, cat toys, ball and blocks for puppies", 3, 30),
    "books": Items("set of novels, cookery books, atlases, comics", 3, 50, "books"),
    "sports": Items(
        "table tennis table, box of sports gear, box of balls and rackets", 20, 200, "sports"
    ),
    "instruments": Items(
        "guitar, acoustic guitar, classical guitar, steel-string guitar", 60, 600, "guitar"
    ),
    "collectables": Items(
        "stamp album, coin album, box of old postcards, old comics", 10, 300, "box"
    ),
    "jobs-offered": Items("carpenter, nurse, cook, accountant, gardener, driver", 1_900, 4_200),
    "jobs-wanted": Items(
        "experienced cook, gardener, student for the weekend, translator", 1_200, 3_500
    ),
    "craft": Items("painter, electrician, tiler, plumber, roofer", 35, 90, "tools"),
    "lessons": Items(
        "piano lessons, German lessons, help with mathematics, swimming lessons", 15, 50, "books"
    ),
    "transport": Items(
        "van with a driver, help with moving, transport of furniture", 30, 200, "box"
    ),
    "care": Items("babysitter, help in the household, dog walker, care for the elderly", 12, 30),
}

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

# What fits a thing of any age, and what fits only a young or an old one.
QUALITIES = ("Solid", "Small", "Large", "Sturdy", "Beautiful", "Simple")
YOUNG_QUALITIES = ("Barely used", "Almost new", "Modern", "Well-kept")
OLD_QUALITIES = ("Old", "Used")

# For what is neither old nor red: homes, jobs and services.
OCCASIONS = {
    "property": ("Available now", "From next month", "By owner", "No agent's fee"),
    "jobs-offered": ("Wanted", "Urgent", "From next month"),
    "jobs-wanted": ("Available now", "From next month", "Reliable"),
    "services": ("Available now", "Reliable", "At short notice", "Experienced"),
}

DETAILS = ("pick-up only", "well looked after", "more pictures on request")
YOUNG_DETAILS = ("as good as new", "hardly a trace of use")
OLD_DETAILS = ("some traces of use",)

# Said only of things of these roots or categories.
DETAILS_OF = {
    "motorcycles": ("with all papers", "serviced last year"),
    "commercial-vehicles": ("with all papers", "serviced last year"),
    "cars": ("with all papers", "serviced last year"),
    "bicycles": ("serviced last year", "to be tried out first"),
    "electronics": ("with original box", "to be tried out first"),
    "appliances": ("to be tried out first",),
    "instruments": ("to be tried out first",),
    "home": ("from a smoke-free home",),
    "clothing": ("from a smoke-free home",),
    "family": ("from a smoke-free home",),
}
NEGOTIABLE_DETAIL = "price negotiable"

REASONS = ("We are moving and cannot take everything along.", "We have bought something else.")
YOUNG_REASONS = ("It was a present that nobody needed.",)
OLD_REASONS = ("A faithful companion for some years.",)

# For homes, jobs and services.
OFFERS = (
    "More about it by message or by phone.",
    "An appointment is possible on weekdays, after six.",
    "Please write a few words about yourself.",
    "Questions are answered on the same day.",
)

CLOSINGS = ("Please write before you come.", "If you can read this, it is still available.")
# Of what is given away, nobody speaks of returns or cash.
SALE_CLOSINGS = ("Private sale, no returns.", "Cash on collection.")

# What a thing says of the ad's attributes; None for what it does not have.
IMPLIED: dict[str, Mapping[str, object]] = {
    "laptop": {"computerType": "laptop", "screen": 15.6},
    "tablet": {"computerType": "tablet", "screen": 10.9},
    "desktop computer": {"computerType": "desktop", "screen": 24},
    "workstation": {"computerType": "desktop", "screen": 27},
    "piano lessons": {"subject": "music"},
    "German lessons": {"subject": "languages"},
    "help with mathematics": {"subject": "mathematics"},
    "swimming lessons": {"subject": "sports"},
    "television": {"screen": 43},
    "smart television": {"screen": 55},
    "flat-screen television": {"screen": 32},
    "Honda CB 500": {"displacement": 500},
    "Yamaha MT-07": {"displacement": 690},
    "BMW R 1250 GS": {"displacement": 1250},
    "Kawasaki Z650": {"displacement": 650},
    "Suzuki SV 650": {"displacement": 650},
    "city bicycle": {"bicycleType": "city"},
    "touring bicycle": {"bicycleType": "touring"},
    "trekking bicycle": {"bicycleType": "touring"},
    "mountain bike": {"bicycleType": "mountain"},
    "road bicycle": {"bicycleType": "road"},
    "gravel bicycle": {"bicycleType": "road"},
    **{thing: {"remote": False} for thing in ("carpenter", "nurse", "cook", "gardener", "driver")},
    "experienced cook": {"remote": False},
    **{thing: {"floor": None} for thing in ("family house", "farmhouse", "terraced house")},
    **{thing: {"floor": None} for thing in ("country house", "house with a garden")},
    "semi-detached house": {"floor": None},
    **{thing: {"condition": None} for thing in ("young apple trees", "hedge plants", "shrubs")},
    "bundle of young trees": {"condition": None},
}

# Which scene of the illustrations shows a thing: by a word of its name, else by its category, else
# by the root of its branch.
SAME_WORDS = ("sofa", "table", "laptop", "office", "album", "van", "piano", "household")
SCENE_WORDS = {
    **{word: word for word in SAME_WORDS},
    "desk": "table",
    "bookshelf": "shelf",
    "bookcase": "shelf",
    "tablet": "phone",
    "refrigerator": "fridge",
    "fridge-freezer": "fridge",
    "comics": "books",
    "babysitter": "toys",
}
SCENE_ROOTS = {
    "vehicles": "car",
    "property": "house",
    "home": "table",
    "clothing": "jacket",
    "family": "toys",
    "jobs": "desk",
    "services": "desk",
}


def scene_of(slug: str, root: str, thing: str) -> str:
    words = (SCENE_WORDS.get(word) for word in thing.split())
    named = next(filter(None, words), None)
    goods = ITEMS.get(slug)
    return named or (goods and goods.scene) or SCENE_ROOTS.get(root, "box")


FIRST_NAMES = ("Anna", "Ben", "Clara", "David", "Elif", "Farid", "Greta", "Hugo", "Irina", "Jonas")
LAST_NAMES = ("Berg", "Costa", "Dietrich", "Engel", "Fischer", "Ivanova", "Kaya", "Lang", "Novak")


# How often an attribute is given that need not be.
GIVEN = 0.7

DAYS_AHEAD = 365

# Conditions of what is young.
FRESH = frozenset({"new", "like-new", "refurbished"})

# Nothing else in an ad speaks of them.
BROKEN = frozenset({"damaged", "for-parts"})

# What grows is neither old nor used.
AGELESS = frozenset({"garden"})


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
    if attribute.name == "condition":
        values = [value for value in values if value not in BROKEN] or values
    return random.choice(values)


def _number(attribute: Attribute, random: Random) -> float:
    made = BY_NAME.get(attribute.name, _between(1, 10, 100))(random)
    if attribute.minimum is not None:
        made = max(made, attribute.minimum)
    if attribute.maximum is not None:
        made = min(made, attribute.maximum)
    return int(made) if attribute.type is AttributeType.INTEGER else made
