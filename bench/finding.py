"""Searches as people make them: by category and attributes, by words and by place."""

from urllib.parse import quote

from .floors import PAGE
from .servers import Client

# Of the larger cities of the demonstration data: the middle, and somewhere in it.
PLACES = ("51.507,-0.128", "52.52,13.405", "48.857,2.352", "52.48,13.35", "50.088,14.421")

# Boxes around the same, and one with some of them: west, south, east, north.
CITIES = ("-0.4,51.3,0.2,51.7", "13.1,52.3,13.8,52.7", "2.1,48.7,2.6,49.0")
COUNTRY = "5.8,47.2,15.1,55.1"

# How far a deep page lies behind the first: pages of a thousand, as far as there are so many.
DEEP_PAGES = 50

BY_ATTRIBUTES = "category=cars&attr=fuel:diesel&attr=year:2012..2020&maxPrice=20000"

# As they are typed: the beginning of a word, a whole one, two, one with an error, and brands.
TYPED = ("t", "ta", "tabl", "table", "oak+ta", "volkswagn", "fahrz", "bmw", "volksw", "golf")
SUGGESTIONS = "suggestions for what is typed"
# Beginnings, whole names, a postcode that is not loaded, and names with errors.
TOWNS = (
    "lo", "ber", "new y", "Lüneburg", "München", "Москва", "10115", "Berlni", "Frankfrut",
    "Stutgart",
)  # fmt: skip
PLACES_TYPED = "places for what is typed"
# Nothing matches: a word with an error, joined words, and words of which no ad has all.
RELAXED = ("volkswagn+golf", "Smart-TV", "family+car+berlin", "cheap+oak+zzyzx+table")
# None of these is asked for twice.
UNKNOWN_QUERIES = 500
UNKNOWN_WORDS = 12

# Half the ads of all cities may be in it.
FAR = "radius=500000"


def paths(client: Client) -> dict[str, list[str]]:
    """What is asked for, by the kind of search."""
    page = f"/ads?limit={PAGE}"
    distance = [f"{page}&near={place}&{FAR}&sort=distance" for place in PLACES]
    return {
        "category, two attributes, price": [f"{page}&{BY_ATTRIBUTES}"],
        "the same within 50 km": [
            f"{page}&{BY_ATTRIBUTES}&near={place}&radius=50000" for place in PLACES
        ],
        "words within 25 km": [f"{page}&q=table&near={place}" for place in PLACES],
        "within 25 km, newest first": [f"{page}&near={place}" for place in PLACES],
        "by distance, first page": distance,
        "by distance, deep page": [_deep(client, place) for place in PLACES],
        "facets of a category within 25 km": [
            f"/ads/facets?category=cars&near={place}" for place in PLACES
        ],
        "map of a city": [f"/ads/map?bbox={box}" for box in CITIES],
        "map of a category in a country": [f"/ads/map?category=cars&bbox={COUNTRY}"],
        SUGGESTIONS: [f"/ads/suggest?q={typed}" for typed in TYPED],
        PLACES_TYPED: [f"/places?q={quote(town)}" for town in TOWNS],
        "a relaxed search": [f"{page}&q={words}" for words in RELAXED],
        "12 unknown words": [f"{page}&q={_unknown(number)}" for number in range(UNKNOWN_QUERIES)],
        "one known and 11 unknown words": [
            f"{page}&q=table+{_unknown(number, 1)}" for number in range(UNKNOWN_QUERIES)
        ],
        "similar ads": [f"/ads/{number}/similar" for number in _ids(client)],
    }


def _unknown(number: int, less: int = 0) -> str:
    """Words that are unlike each other and all others."""
    letters = "zyxwvuqkjh"
    digits = [letters[int(digit)] for digit in f"{number:03}"]
    return "+".join(
        f"{letters[word % 10]}x{''.join(digits)}q{letters[word // 10]}zz{letters[word % 10]}"
        for word in range(UNKNOWN_WORDS - less)
    )


def _ids(client: Client) -> list[int]:
    """Of more ads than are asked for in the minute that their similar ones are kept."""
    results = client.ask("/ads?limit=1000").json["results"]
    assert isinstance(results, list)
    return [ad["pk"] for ad in results]


def _deep(client: Client, place: str) -> str:
    query = f"near={place}&{FAR}&sort=distance"
    found = f"/ads?limit={PAGE}&{query}"
    cursor = ""
    for _ in range(DEEP_PAGES):
        answer = client.ask(f"/ads?limit=1000&{query}{cursor}").json
        if answer["next"] is None:
            break
        cursor = f"&cursor={quote(str(answer['next']))}"
    return found + cursor
