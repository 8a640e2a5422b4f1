"""Places as they are read from files, and their rows."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from adsvc.db.engine import DatabaseSession
from adsvc.normalisation import search_key
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


async def add(session: DatabaseSession, places: Iterable[GivenPlace]) -> int:
    """Returns how many places were added."""
    lines = []
    for place in places:
        own = {place.keys[0], *keys_of(place.names.values())}
        values = (
            place.country,
            place.id,
            place.name,
            place.region or None,
            place.population,
            place.latitude,
            place.longitude,
            by_language(place.names) or None,
            "|".join(key for key in place.keys if key in own),
            "|".join(key for key in place.keys if key not in own),
            place.postcode or None,
        )
        texts = (NULL if one is None else str(one).translate(ESCAPES) for one in values)
        lines.append("\t".join(texts).encode())
    columns = (*repository.FILE_COLUMNS, "postcode")
    added = await repository.add(session, b"\n".join(lines), columns)
    return sum(added.values())
