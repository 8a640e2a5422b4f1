"""Finds places by what is typed, and the place nearest to a point."""

import asyncio
import json
from collections.abc import Sequence
from typing import NamedTuple

from adsvc.errors import InvalidRequestError, NotFoundError
from adsvc.kit import faults
from adsvc.kit.db.statements import Row, Statements
from adsvc.kit.normalisation import as_line, search_key
from adsvc.public_location import Point, cells_within, distance_between
from adsvc.repositories import places as repository
from adsvc.schemas.finding import Place
from adsvc.services.suggestions import near as similar

SHORTEST, LONGEST = 2, 60
# Decomposed letters make a key longer than its text.
LONGEST_KEY = 120
# Of a misspelt name.
SHORTEST_FORGIVEN = 4
LONG_NAME = 6
MOST_ALIKE = 20

# Around `near`, in kilometres.
NEARBY_KM = 60.0
# `nearest` looks nearby first: most places are there.
NEAREST_KM = 20.0, 100.0


class PlaceQuery(NamedTuple):
    key: str
    near: Point | None = None
    # ISO 3166-1; empty for all.
    country: str = ""
    limit: int = 10

    @property
    def cells(self) -> Sequence[int]:
        return cells_within(self.near, NEARBY_KM) if self.near else ()

    @property
    def may_be_misspelt(self) -> bool:
        return len(self.key) >= SHORTEST_FORGIVEN


def query_of(q: str, near: Point | None, country: str, limit: int) -> PlaceQuery:
    """Raises the faults of the text."""
    line = as_line(q)
    if not SHORTEST <= len(line) <= LONGEST:
        raise InvalidRequestError(faults.wrong_length(SHORTEST, LONGEST).of("q"))
    # People write a region behind a comma.
    key = search_key(line.partition(",")[0])[:LONGEST_KEY].strip()
    return PlaceQuery(key, near, country, limit)


async def find(reader: Statements, query: PlaceQuery, alike: Sequence[str] = ()) -> Sequence[Row]:
    """The places with the beginning that was typed, or with keys like it, the best match first."""
    return await repository.find(
        reader,
        query.key,
        country=query.country,
        near=query.near,
        cells=query.cells,
        limit=query.limit,
        alike=alike,
    )


async def find_misspelt(reader: Statements, query: PlaceQuery) -> Sequence[Row]:
    keys = await repository.keys(reader, query.key, query.cells)
    # It takes some milliseconds.
    alike = await asyncio.to_thread(alike_of, query.key, keys)
    return await find(reader, query, alike) if alike else ()


async def nearest(reader: Statements, point: Point) -> Row:
    """Raises `NotFoundError` if there is none within a hundred kilometres."""
    for kilometres in NEAREST_KM:
        row = await repository.nearest(reader, point, cells_within(point, kilometres))
        if row is None:
            continue
        metres = distance_between(point, Point(row["latitude"], row["longitude"]))
        if metres <= kilometres * 1000:
            return row
    raise NotFoundError("No known place is within 100 kilometres.")


def alike_of(key: str, keys: Sequence[str]) -> list[str]:
    """The keys that begin like a misspelt one: one letter may be wrong, two from six on."""
    errors = 1 if len(key) < LONG_NAME else 2
    beginnings: dict[str, list[str]] = {}
    for known in keys:
        for beginning in {known, known[: len(key)]}:
            beginnings.setdefault(beginning, []).append(known)
    found = sorted(similar(key, list(beginnings), errors))
    alike = dict.fromkeys(known for _, beginning in found for known in beginnings[beginning])
    return list(alike)[:MOST_ALIKE]


def place_of(row: Row, languages: Sequence[str]) -> Place:
    """`languages` are those of the caller, the preferred one first."""
    names = json.loads(row["names"]) if row["names"] else {}
    given = {"postcode": row["postcode"]} if row["postcode"] else {}
    return Place(
        id=row["id"],
        name=name_in(row["name"], names, languages),
        region=row["region"],
        country=row["country"],
        latitude=row["latitude"],
        longitude=row["longitude"],
        **given,
    )


def name_in(name: str, names: dict[str, str], languages: Sequence[str]) -> str:
    """The name in the first of the languages that it has one in. Names without one are English."""
    for language in languages:
        if language in names:
            return names[language]
        if language == "en":
            break
    return name
