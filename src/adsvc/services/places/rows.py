"""Places as they are read from files, and their rows."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from adsvc.db.engine import DatabaseSession
from adsvc.normalisation import search_key
from adsvc.points import cell_of
from adsvc.repositories import places as repository

# PostgreSQL's text format of COPY.
NULL = "\\N"
ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})

# An index has no longer ones.
LONGEST_KEY = 200


@dataclass(frozen=True, slots=True)
class GivenPlace:
    country: str
    id: int
    name: str
    latitude: float
    longitude: float
    region: str = ""
    population: int = 0
    # By language.
    names: Mapping[str, str] = field(default_factory=dict)
    postcode: str = ""
    # That of the name first.
    keys: Sequence[str] = ()


def keys_of(names: Iterable[str]) -> list[str]:
    """The keys of the names, with ä, ö and ü as ae, oe and ue too."""
    keys: dict[str, None] = {}
    for name in names:
        for spelling in dict.fromkeys((name, name.translate(UMLAUTS))):
            if key := search_key(spelling)[:LONGEST_KEY].strip():
                keys.setdefault(key)
    return list(keys)


def by_language(names: Mapping[str, str]) -> str:
    return json.dumps(names, ensure_ascii=False) if names else ""


def weights(population: int) -> tuple[int, int]:
    """Those of the names that a place has at home or in a language, and of its others."""
    return population, population // 10


async def add(session: DatabaseSession, places: Iterable[GivenPlace]) -> int:
    """Adds them by COPY, and returns how many there are."""
    rows, keys = [], []
    for place in places:
        cell = cell_of(place.latitude, place.longitude)
        values = (
            place.country,
            place.id,
            place.name,
            place.region or None,
            place.population,
            place.latitude,
            place.longitude,
            by_language(place.names) or None,
            cell,
            place.postcode or None,
        )
        texts = (NULL if one is None else str(one).translate(ESCAPES) for one in values)
        rows.append("\t".join(texts).encode())
        own = {place.keys[0], *keys_of(place.names.values())}
        whole, tenth = (f"\t{cell}\t{weight}" for weight in weights(place.population))
        keys += [
            f"{place.id}\t{key}{whole if key in own else tenth}".encode() for key in place.keys
        ]
    await repository.copy(session, rows, keys)
    return len(rows)
