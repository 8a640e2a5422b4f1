"""Places as they are read from files, and their rows."""

import asyncio
import hashlib
import io
import json
import lzma
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from adsvc.kit.db.database import Database, DatabaseSession
from adsvc.kit.normalisation import search_key
from adsvc.kit.process.offload import in_thread
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
    added = await repository.add(session, io.BytesIO(b"\n".join(lines)), columns)
    return sum(added.values())


FILE = files("adsvc.services.places") / "places.tsv.xz"
OPERATOR = "operator"
# The job loads them at the start of a process, and looks again in case that failed.
PERIOD_SECONDS = 3600
PORTION_BYTES = 64 * 1024


@cache
def digest() -> str:
    return hashlib.sha256(FILE.read_bytes()).hexdigest()[:16]


def portions_of(countries: Collection[str] | None, without: Collection[str]) -> Iterator[bytes]:
    chosen = {code.encode() for code in countries or ()}
    left_out = {code.encode() for code in without}
    with FILE.open("rb") as compressed, lzma.open(compressed) as file:
        while lines := file.readlines(PORTION_BYTES):
            yield b"".join(
                line
                for line in lines
                if line[:2] not in left_out and (countries is None or line[:2] in chosen)
            )


async def _lines(
    countries: Collection[str] | None, without: Collection[str]
) -> AsyncIterator[bytes]:
    """The lines of the countries, or of all.

    In portions, because the event loop waits while a thread handles much at once.
    """
    portions = portions_of(countries, without)
    while (portion := await in_thread(next, portions, None)) is not None:
        yield portion


async def load(database: Database, countries: Collection[str] | None) -> int:
    """Replaces what is there of the extract if it is another one, or of other countries.

    Returns how many places were loaded. What an operator has loaded stays. None is for all
    countries.
    """
    chosen = "*" if countries is None else ",".join(sorted(countries))
    mark = f"{await asyncio.to_thread(digest)} {chosen}"
    if _is_loaded(await repository.sources(database.reader), mark, countries):
        return 0
    async with database.transaction() as transaction:
        await repository.begin_replacing(transaction)
        known = await repository.sources(transaction)
        if _is_loaded(known, mark, countries):
            # Another process was quicker.
            return 0
        of_operator = {country for country, source in known.items() if source == OPERATOR}
        shipped = known.keys() - of_operator
        await repository.remove(transaction, shipped, postcodes=False)
        await repository.record(transaction, shipped, None)
        lines = _lines(countries, of_operator)
        added = await repository.add(transaction, lines, repository.FILE_COLUMNS)
        await repository.record(transaction, added, mark)
        return sum(added.values())


def _is_loaded(known: Mapping[str, str], mark: str, countries: Collection[str] | None) -> bool:
    shipped = [source for source in known.values() if source != OPERATOR]
    if not shipped:
        return countries is not None and known.keys() >= set(countries)
    return all(source == mark for source in shipped)
