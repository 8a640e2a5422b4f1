"""Reads GeoNames' own files, whose columns differ: places, postcodes and alternate names.

Their formats are described in the readme.txt of each directory of GeoNames' dumps.
"""

import hashlib
import json
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

from adsvc.errors import OperatorError
from adsvc.kit.db.database import Database
from adsvc.public_location import POLE
from adsvc.repositories import places as repository
from adsvc.services.places.loading import OPERATOR, GivenPlace, add, by_language, keys_of


class Kind(IntEnum):
    """What a file has, by the number of its columns."""

    ALTERNATE_NAMES = 10
    POSTCODES = 12
    PLACES = 19


# Alternate names had fewer columns once.
OLDER_COLUMNS = {8: Kind.ALTERNATE_NAMES}

# Of populated places: abandoned, historical and destroyed ones.
GONE = frozenset({"PPLQ", "PPLH", "PPLW"})
# Ids of areas with postcodes begin behind those of GeoNames, and are exact in JavaScript.
FIRST_OF_POSTCODES = 1 << 40
POSTCODE_BITS = 52
# Codes of languages have two or three letters; others are links, postcodes and the like.
LONGEST_LANGUAGE = 3
NOT_LANGUAGES = frozenset({"", "abbr", "link", "post", "wkdt"})
LONGEST_TEXT = 200
LONGEST_COUNTRY = 2
LARGEST_ID = (1 << 53) - 1


class FileRow(NamedTuple):
    number: int
    cells: list[str]


class Loaded(NamedTuple):
    kind: Kind
    places: int
    countries: Collection[str]


@contextmanager
def _lines(file: Path) -> Iterator[Iterable[bytes]]:
    try:
        if not zipfile.is_zipfile(file):
            with file.open("rb") as opened:
                yield opened
            return
        with zipfile.ZipFile(file) as archive:
            names = [
                name
                for name in archive.namelist()
                if name.endswith(".txt")
                and not name.endswith(("readme.txt", "iso-languagecodes.txt"))
            ]
            if len(names) != 1:
                raise OperatorError(f"{file} must have one .txt of GeoNames in it.")
            with archive.open(names[0]) as opened:
                yield opened
    except (OSError, zipfile.BadZipFile) as error:
        raise OperatorError(f"{file} cannot be read: {error}") from error


def _rows(lines: Iterable[bytes], kinds: set[Kind]) -> Iterator[FileRow]:
    """Adds the kind of the rows to `kinds`. Raises an `OperatorError` for a row of another kind."""
    for number, line in enumerate(lines, start=1):
        try:
            cells = line.decode().rstrip("\r\n").split("\t")
        except UnicodeDecodeError:
            raise _bad(number, "is not UTF-8") from None
        columns = len(cells)
        if columns not in {*Kind, *OLDER_COLUMNS}:
            raise _bad(number, f"has {columns} columns, which no file of GeoNames has")
        kinds.add(OLDER_COLUMNS.get(columns) or Kind(columns))
        if len(kinds) > 1:
            raise _bad(number, "has another number of columns than the rows before")
        yield FileRow(number, cells)


def _bad(number: int, reason: str) -> OperatorError:
    return OperatorError(f"Line {number} {reason}. Nothing was changed.")


def _number(row: FileRow, column: int, largest: int = LARGEST_ID) -> int:
    text = row.cells[column]
    if not (text.isascii() and text.isdigit()) or int(text) > largest:
        raise _bad(row.number, f"has no whole number in column {column + 1}")
    return int(text)


def _degrees(row: FileRow, column: int, most: float) -> float:
    try:
        found = float(row.cells[column])
    except ValueError:
        found = most + 1
    if not -most <= found <= most:
        raise _bad(row.number, f"has no degrees in column {column + 1}")
    return found


def _text(row: FileRow, column: int, longest: int = LONGEST_TEXT) -> str:
    text = row.cells[column]
    if not text or len(text) > longest or "\0" in text:
        raise _bad(row.number, f"has no usable text in column {column + 1}")
    return text


def _country(row: FileRow, column: int) -> str:
    code = _text(row, column, LONGEST_COUNTRY)
    if not (len(code) == LONGEST_COUNTRY and code.isascii() and code.isalpha() and code.isupper()):
        raise _bad(row.number, f"has no country in column {column + 1}")
    return code


def _places(rows: Iterable[FileRow]) -> tuple[list[GivenPlace], dict[int, str]]:
    """The populated places, and the regions that are among the rows by country and code."""
    places: list[GivenPlace] = []
    regions: dict[tuple[str, str], str] = {}
    codes: dict[int, tuple[str, str]] = {}
    for row in rows:
        cells = row.cells
        feature_class, feature = cells[6], cells[7]
        if feature_class == "A" and feature == "ADM1":
            regions[_country(row, 8), cells[10]] = _text(row, 1)
        if feature_class != "P" or feature in GONE:
            continue
        place_id, country, name = _number(row, 0), _country(row, 8), _text(row, 1)
        codes[place_id] = country, cells[10]
        names = (name, cells[2], *cells[3].split(","))
        places.append(
            GivenPlace(
                country,
                place_id,
                name,
                _degrees(row, 4, POLE),
                _degrees(row, 5, 180),
                population=_number(row, 14) if cells[14] else 0,
                keys=keys_of(one for one in names if 0 < len(one) <= LONGEST_TEXT),
            )
        )
    return places, {one: regions[code] for one, code in codes.items() if code in regions}


def _areas(rows: Iterable[FileRow]) -> list[GivenPlace]:
    """Areas with postcodes. A postcode of several towns has an area for each."""
    areas: dict[int, GivenPlace] = {}
    for row in rows:
        country, code, name = _country(row, 0), _text(row, 1), _text(row, 2)
        digest = hashlib.sha256(f"{country}\t{code}\t{name}".encode()).digest()
        place_id = FIRST_OF_POSTCODES + (int.from_bytes(digest[:8]) >> (64 - POSTCODE_BITS))
        spellings = {f"{code} {name}", f"{code.replace(' ', '')} {name}"}
        areas[place_id] = GivenPlace(
            country,
            place_id,
            name,
            _degrees(row, 9, POLE),
            _degrees(row, 10, 180),
            region=row.cells[3][:LONGEST_TEXT],
            postcode=code,
            keys=keys_of(sorted(spellings)),
        )
    return list(areas.values())


def _alternates(
    rows: Iterable[FileRow], known: Collection[int]
) -> dict[int, list[tuple[str, str]]]:
    """Pairs of language and name of known places, the preferred ones first."""
    found: dict[int, list[tuple[bool, str, str]]] = {}
    for row in rows:
        place_id, language = _number(row, 1), row.cells[2]
        if place_id not in known or language in NOT_LANGUAGES or len(language) > LONGEST_LANGUAGE:
            continue
        # Colloquial and historical names are found, too, but not shown.
        hidden = "1" in row.cells[6:8]
        preferred = row.cells[4] == "1"
        tag = "" if hidden else language
        found.setdefault(place_id, []).append((not preferred, tag, _text(row, 3)))
    return {one: [name[1:] for name in sorted(names)] for one, names in found.items()}


async def load(database: Database, file: Path) -> Loaded:
    """Replaces the places, or the areas with postcodes, of the countries that the file has; or the
    names of the places that it has.

    Raises an `OperatorError` that names the line for a row that cannot be read, and changes nothing
    then.
    """
    with _lines(file) as lines:
        kinds: set[Kind] = set()
        rows = _rows(lines, kinds)
        first = next(rows, None)
        if first is None:
            raise OperatorError(f"{file} is empty.")
        [kind] = kinds
        everything = _with(first, rows)
        if kind is Kind.ALTERNATE_NAMES:
            return await _rename(database, everything)
        regions: Mapping[int, str] = {}
        if kind is Kind.PLACES:
            places, regions = _places(everything)
        else:
            places = _areas(everything)
    countries = {place.country for place in places}
    async with database.transaction() as transaction:
        await repository.begin_replacing(transaction)
        if kind is Kind.PLACES:
            before = await repository.known(transaction, countries)
            places = [_completed(place, regions, before) for place in places]
            await repository.record(transaction, countries, OPERATOR)
        await repository.remove(transaction, countries, postcodes=kind is Kind.POSTCODES)
        return Loaded(kind, await add(transaction, places), countries)


def _with(first: FileRow, rows: Iterator[FileRow]) -> Iterator[FileRow]:
    yield first
    yield from rows


def _completed(
    place: GivenPlace,
    regions: Mapping[int, str],
    before: Mapping[int, tuple[str | None, str | None]],
) -> GivenPlace:
    """With what its row has not: the region's name, and names by language."""
    region, names = before.get(place.id, (None, None))
    return replace(
        place,
        region=regions.get(place.id) or region or "",
        names=json.loads(names) if names else {},
    )


async def _rename(database: Database, rows: Iterable[FileRow]) -> Loaded:
    known = await repository.known_ids(database.reader)
    found = _alternates(rows, known)
    names = {
        # The first of a language is the preferred one.
        place_id: by_language({tag: name for tag, name in reversed(pairs) if tag})
        for place_id, pairs in found.items()
    }
    keys = {one: keys_of(name for _, name in pairs) for one, pairs in found.items()}
    async with database.transaction() as transaction:
        await repository.begin_replacing(transaction)
        await repository.rename(transaction, names, keys)
    return Loaded(Kind.ALTERNATE_NAMES, len(found), ())
