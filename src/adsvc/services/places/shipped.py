"""The places that come with adsvc: those of GeoNames with 500 inhabitants and more (CC BY 4.0).

`tools/places_extract.py` makes the file. Its lines are `repository.FILE_COLUMNS` in COPY's text
format.
"""

import asyncio
import hashlib
import lzma
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files

from adsvc.db.database import Database
from adsvc.repositories import places as repository

FILE = files("adsvc.services.places") / "places.tsv.xz"
OPERATOR = "operator"
# The job loads them at the start of a process, and looks again in case that failed.
PERIOD_SECONDS = 3600


@cache
def digest() -> str:
    return hashlib.sha256(FILE.read_bytes()).hexdigest()[:16]


def read(countries: Collection[str] | None, without: Collection[str]) -> bytes:
    """The lines of the countries, or of all."""
    if countries is None and not without:
        return lzma.decompress(FILE.read_bytes())
    chosen = {code.encode() for code in countries or ()}
    left_out = {code.encode() for code in without}
    # Line by line, because the event loop waits while all are split at once.
    with FILE.open("rb") as compressed, lzma.open(compressed) as lines:
        return b"".join(
            line
            for line in lines
            if line[:2] not in left_out and (countries is None or line[:2] in chosen)
        )


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
        lines = await asyncio.to_thread(read, countries, of_operator)
        added = await repository.add(transaction, lines, repository.FILE_COLUMNS)
        await repository.record(transaction, added, mark)
        return sum(added.values())


def _is_loaded(known: Mapping[str, str], mark: str, countries: Collection[str] | None) -> bool:
    shipped = [source for source in known.values() if source != OPERATOR]
    if not shipped:
        return countries is not None and known.keys() >= set(countries)
    return all(source == mark for source in shipped)
