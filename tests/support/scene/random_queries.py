"""Random ads in the tree of categories, and random queries with a model that looks at every ad."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from support.scene.api import Api
from support.scene.category_tree import TREE, insert_ads_of_tree, insert_tree
from support.scene.places import Point, distance, towards

# 2026-03-01T00:00Z, from where on three ads appear at once every hour.
FIRST = 1_772_323_200_000
HOUR = 3_600_000
# None of them begins another, and none has another stem.
WORDS = ("oak", "lamp", "red", "zebra", "chair", "solid")
PRICES = (0, 1, 50, 99, 100, 101, 250, 500, 9_999, 2_147_483_647)
PRICE_TYPES = ("fixed", "negotiable", "free", "onRequest")
# Many ads are at one point, some at the other side of the 180th meridian or of the pole.
CENTRES: tuple[Point, ...] = ((52.52, 13.405), (0.0, 180.0), (89.9, 100.0))
POINTS = [
    towards(centre, metres, bearing)
    for centre in CENTRES
    for metres in (0, 400, 3000, 20_000, 24_900, 80_000)
    for bearing in (10, 130, 250)
]
SORTS = ("-created", "created", "price", "-price", "relevance")
SIZES = ("S", "M", "36", "it's: large")

Query = dict[str, Any]


@dataclass(frozen=True)
class Ad:
    id: int
    author: int
    title: str
    description: str
    price: int
    price_type: str
    created: int
    category: str | None
    attributes: dict[str, Any]
    words: str
    point: Point | None

    @property
    def everything(self) -> list[str]:
        return f"{self.title} {self.description} {self.words}".split()


def attributes_of(random: Random, category: str | None) -> dict[str, Any]:
    day = f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
    choices: dict[str, dict[str, Any]] = {
        "cars": {
            "fuel": random.choice(("diesel", "petrol", "electric")),
            "year": random.randint(1990, 2026), "mileage": random.choice((0, 1, 999, 50_000)),
            "damaged": random.random() < 0.2, "tested": day, "model": random.choice(WORDS),
        },
        "bikes": {"year": random.randint(1800, 2100), "frame": random.randint(-9, 600) / 10},
        "flats": {
            "area": random.randint(1, 3000) / 10, "rooms": random.randint(1, 6),
            "balcony": random.random() < 0.5,
        },
        "clothes": {"size": random.choice(SIZES)},
        "shoes": {"size": random.randint(34, 38)},
    }  # fmt: skip
    given = choices.get(category or "", {})
    return {name: value for name, value in given.items() if random.random() < 0.9}


async def make_ads(api: Api, random: Random, count: int) -> list[Ad]:
    await insert_tree(api)
    authors = [(await api.person()).id for _ in range(4)]
    rows: list[dict[str, Any]] = []
    for number in range(count):
        category = random.choice((None, *TREE))
        attributes = attributes_of(random, category)
        rows.append(
            {
                "author": random.choice(authors),
                "title": " ".join(random.sample(WORDS, 2)),
                "description": " ".join(random.sample(WORDS, 2)),
                "price": random.choice(PRICES),
                "price_type": random.choice(PRICE_TYPES),
                "created": FIRST + number // 3 * HOUR,
                "category": category,
                "attributes": attributes,
                "words": attributes.get("model", ""),
                "point": random.choice((None, *POINTS)),
            }
        )
    ids = await insert_ads_of_tree(api, 0, rows)
    return [Ad(ad_id, **row) for ad_id, row in zip(ids, rows, strict=True)]


Test = Callable[[Ad], bool]


def below(category: str) -> set[str]:
    found = {category}
    for slug, (parent, _) in TREE.items():
        if parent in found:
            found.add(slug)
    return found


def parameters(random: Random, ads: list[Ad]) -> Iterator[tuple[str, str | int, Test]]:
    """Each kind of filter once, with the test that an ad passes it."""
    low, high = sorted(random.sample(PRICES, 2))
    yield "minPrice", low, lambda ad: ad.price_type != "onRequest" and ad.price >= low
    yield "maxPrice", high, lambda ad: ad.price_type != "onRequest" and ad.price <= high
    author = random.choice(ads).author
    yield "author", author, lambda ad: ad.author == author
    after, before = sorted(random.choice(ads).created for _ in range(2))
    yield "createdAfter", after, lambda ad: ad.created > after
    yield "createdBefore", before, lambda ad: ad.created < before
    category = random.choice(tuple(TREE))
    branch = below(category)
    yield "category", category, lambda ad: ad.category in branch
    price_type = random.choice(PRICE_TYPES)
    yield "priceType", price_type, lambda ad: ad.price_type == price_type


def random_words(random: Random) -> tuple[str, Callable[[list[str]], bool]]:
    one, other = random.sample(WORDS, 2)
    kinds: list[tuple[str, Callable[[list[str]], bool]]] = [
        (one, lambda words: one in words),
        (f"{one} {other}", lambda words: one in words and other in words),
        (f"{one} -{other}", lambda words: one in words and other not in words),
        (f"{one} or {other}", lambda words: one in words or other in words),
        (f"-{one}", lambda words: one not in words),
        (f"-{one} {other}", lambda words: one not in words and other in words),
        (one[:2], lambda words: any(word.startswith(one[:2]) for word in words)),
    ]
    return random.choice(kinds)


def ends_of(random: Random, ads: list[Ad], name: str, kind: type) -> tuple[Any, Any]:
    """Values that there are: whether an end belongs to its range is seen at no other."""
    values = [ad.attributes[name] for ad in ads if isinstance(ad.attributes.get(name), kind)]
    low, high = sorted(random.choices(values, k=2))
    return low, high


def random_attribute(random: Random, ads: list[Ad]) -> tuple[str, Test]:
    def between(name: str, low: Any, high: Any) -> tuple[str, Test]:
        ends = random.choice(((low, high), (None, high), (low, None)))
        text = "..".join("" if end is None else str(end) for end in ends)

        def fits(ad: Ad) -> bool:
            value = ad.attributes.get(name)
            if value is None or isinstance(value, bool | str) is not isinstance(low, str):
                return False
            return (ends[0] is None or value >= ends[0]) and (ends[1] is None or value <= ends[1])

        return f"{name}:{text}", fits

    def is_it(name: str, *, value: bool) -> tuple[str, Test]:
        return f"{name}:{str(value).lower()}", lambda ad: ad.attributes.get(name) is value

    def any_of(name: str, *values: Any) -> tuple[str, Test]:
        text = "|".join(map(str, values))
        return f"{name}:{text}", lambda ad: any(
            ad.attributes.get(name) == value for value in values
        )

    def size(value: str) -> tuple[str, Test]:
        # What is an option of one branch may be a number of another.
        return f"size:{value}", lambda ad: str(ad.attributes.get("size")) == value

    year, days = ends_of(random, ads, "year", int), ends_of(random, ads, "tested", str)
    return random.choice(
        (
            any_of("fuel", "diesel"),
            any_of("fuel", "electric", "petrol"),
            is_it("damaged", value=True),
            is_it("balcony", value=False),
            any_of("year", *year),
            any_of("rooms", 2),
            between("year", *year),
            between("mileage", 1, 50_000),
            between("area", *ends_of(random, ads, "area", float)),
            between("frame", *ends_of(random, ads, "frame", float)),
            between("rooms", 3, 4),
            between("tested", *days),
            any_of("tested", days[0]),
            size(random.choice((*SIZES, "37"))),
            between("size", 35, 36),
        )
    )


def usable(text: str, category: str | None) -> bool:
    """Whether the attribute is defined in the category, above it or below it, with such values."""
    name, _, value = text.partition(":")
    if category in {"clothes", "shoes"} and name == "size":
        return (value in SIZES) if category == "clothes" else value[:2].isdecimal()
    if category is None:
        return True
    near = below(category) | {category}
    parent = TREE[category][0]
    if parent is not None:
        near.add(parent)
    return any(own["name"] == name for slug in near for own in TREE[slug][1])


def random_query(random: Random, ads: list[Ad]) -> tuple[Query, Callable[[Ad], bool], Any]:
    """Parameters, the test of an ad, and that of its title for the order."""
    query: Query = {}
    tests: list[Test] = []
    for name, value, test in parameters(random, ads):
        if random.random() < 0.25:
            query[name] = value
            tests.append(test)
    for _ in range(random.choice((0, 0, 1, 1, 2, 3))):
        text, fits = random_attribute(random, ads)
        if usable(text, query.get("category")):
            query.setdefault("attr", []).append(text)
            tests.append(fits)
    words: Callable[[list[str]], bool] | None = None
    if random.random() < 0.5:
        query["q"], words = random_words(random)
        tests.append(lambda ad: words(ad.everything))
    sort = random.choice(SORTS if words else SORTS[:-1])
    query["sort"] = sort
    for name, value, test in random_place(random):
        query[name] = value
        tests.append(test)
    if "near" in query and random.random() < 0.5:
        query["sort"] = "distance"
    return query, lambda ad: all(test(ad) for test in tests), words


def random_place(random: Random) -> Iterator[tuple[str, str | int, Test]]:
    if random.random() < 0.3:
        centre = random.choice(CENTRES)
        radius = random.choice((500, 5000, 25_000, 100_000))
        yield "near", f"{centre[0]},{centre[1]}", lambda ad: away(ad, centre) <= radius
        yield "radius", radius, lambda _: True
    if random.random() < 0.1:
        south, north = sorted(random.choices((-90, -0.1, 0, 52.52, 89.5, 90), k=2))
        west, east = random.choices((-180, -179.9, 13, 13.405, 100, 179.95, 180), k=2)

        def inside(ad: Ad) -> bool:
            if ad.point is None or not south <= ad.point[0] <= north:
                return False
            names = {180.0, -180.0} if abs(ad.point[1]) == 180 else {ad.point[1]}
            return any(
                west <= at <= east if west <= east else at >= west or at <= east for at in names
            )

        yield "bbox", f"{west},{south},{east},{north}", inside


def away(ad: Ad, centre: Point) -> float:
    return float("inf") if ad.point is None else round(distance(centre, ad.point))
