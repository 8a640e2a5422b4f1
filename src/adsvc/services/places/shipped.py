"""The places that come with adsvc: those of GeoNames with 500 inhabitants and more (CC BY 4.0).

`tools/places_extract.py` makes the file. A line is a row of COPY's text format without the cell
and the postcode, and after it the keys of the place's own names and those of its others, separated
by bars.
"""

import asyncio
import hashlib
import lzma
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from adsvc.db.database import Database
from adsvc.points import cell_of
from adsvc.repositories import places as repository
from adsvc.services.places.rows import NULL, weights

FILE = files("adsvc.services.places") / "places.tsv.xz"
OPERATOR = "operator"


@cache
def digest() -> str:
    return hashlib.sha256(FILE.read_bytes()).hexdigest()[:16]


class Rows(NamedTuple):
    """Lines for `repository.copy`."""

    places: list[bytes]
    keys: list[bytes]


def read(countries: Collection[str] | None, without: Collection[str] = ()) -> Rows:
    """Those of the countries, or of all. It takes a few seconds."""
    rows = Rows([], [])
    for line in lzma.decompress(FILE.read_bytes()).decode().split("\n"):
        place, own, others = line.rsplit("\t", 2)
        country, place_id, _, _, population, latitude, longitude, _ = place.split("\t")
        if country in without or (countries is not None and country not in countries):
            continue
        cell = cell_of(float(latitude), float(longitude))
        rows.places.append(f"{place}\t{cell}\t{NULL}".encode())
        for keys, weight in zip((own, others), weights(int(population)), strict=True):
            if keys:
                end = f"\t{cell}\t{weight}"
                rows.keys.extend(f"{place_id}\t{key}{end}".encode() for key in keys.split("|"))
    return rows


async def load(database: Database, countries: Collection[str] | None) -> int:
    """Replaces what is there of the extract if it is another one, or of other countries.

    Returns how many places were loaded. What an operator has loaded stays. None is for all
    countries.
    """
    mark = f"{digest()} {'*' if countries is None else ','.join(sorted(countries))}"
    if _is_loaded(await repository.sources(database.reader), mark, countries):
        return 0
    async with database.transaction() as transaction:
        await repository.begin_replacing(transaction)
        known = await repository.sources(transaction)
        if _is_loaded(known, mark, countries):
            # Another process was quicker.
            return 0
        of_operator = {country for country, source in known.items() if source == OPERATOR}
        rows = await asyncio.to_thread(read, countries, of_operator)
        shipped = known.keys() - of_operator
        await repository.remove(transaction, shipped, postcodes=False)
        await repository.record(transaction, shipped, None)
        found = {row[: row.index(b"\t")].decode() for row in rows.places}
        await repository.record(transaction, found, mark)
        await repository.copy(transaction, *rows)
        return len(rows.places)


def _is_loaded(known: Mapping[str, str], mark: str, countries: Collection[str] | None) -> bool:
    shipped = [source for source in known.values() if source != OPERATOR]
    if not shipped:
        return countries is not None and known.keys() >= set(countries)
    return all(source == mark for source in shipped)
