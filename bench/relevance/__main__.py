"""`python -m bench.relevance`: precision at 5 and queries without a result, in two parts each.

The ranking is tuned by the part `tuning` alone. The other one shows what that is worth for queries
that were not looked at.
"""

import asyncio
import csv
import json
import os
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import asyncpg

from bench.floors import where
from bench.load import BenchError
from bench.servers import Client, Site

HERE = Path(__file__).parent
# Files of queries, and how many ads the site has that they are for.
SITES = {"demonstration.tsv": 200, "generated.tsv": 20_000}
FIRST = 5
WORST = 10
READY_SECONDS = 180
# The vocabulary of a process is read again after two minutes: the first query must find phrases.
SELECT_READY = """
    SELECT EXISTS (SELECT FROM search_phrases) AND EXISTS (SELECT FROM place_keys) AS ready
"""
SELECT_ADS = """
    SELECT ads.id, title, description, place, price, ads.attributes, slug
    FROM ads JOIN categories ON categories.id = category_id
"""


@dataclass(frozen=True, slots=True)
class Ad:
    text: str
    place: str
    price: int
    attributes: Mapping[str, object]
    # Its category and those above.
    categories: frozenset[str]

    def fits(self, alternatives: str) -> bool:
        """Whether it has all that one of the alternatives says, which are separated by commas.

        `cars` is a category, `+golf` a word, `@Berlin` a place, `make=bmw` an attribute.
        """
        return any(
            all(self._has(condition) for condition in alternative.split())
            for alternative in alternatives.split(",")
            if alternative
        )

    def _has(self, condition: str) -> bool:
        if condition.startswith("+"):
            return condition[1:].casefold() in self.text
        if condition.startswith("@"):
            return self.place == condition[1:]
        name, is_attribute, value = condition.partition("=")
        if is_attribute:
            return str(self.attributes.get(name)) == value
        return condition in self.categories


@dataclass(frozen=True, slots=True)
class Query:
    part: str
    language: str
    q: str
    good: str
    acceptable: str


@dataclass(frozen=True, slots=True)
class Judged:
    query: Query
    # For each of the first ads: 2 good, 1 acceptable, 0 wrong.
    marks: Sequence[int]
    relaxed: str
    first: str

    @property
    def precision(self) -> float:
        """The part of the first five, or of all if fewer match, that is not wrong."""
        return sum(map(bool, self.marks)) / len(self.marks) if self.marks else 0.0

    @property
    def good(self) -> float:
        return self.marks.count(2) / len(self.marks) if self.marks else 0.0


def queries_of(file: Path) -> list[Query]:
    with file.open(encoding="utf-8", newline="") as lines:
        return [
            Query(*row)
            for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            if not row[0].startswith("#")
        ]


async def _ads_of(url: str, parents: Mapping[str, str | None]) -> dict[int, Ad]:
    connection = await asyncpg.connect(**where(url))
    try:
        rows = await connection.fetch(SELECT_ADS)
    finally:
        await connection.close()
    return {
        row["id"]: Ad(
            f"{row['title']} {row['description']}".casefold(),
            row["place"],
            row["price"],
            json.loads(row["attributes"]),
            frozenset(_path(row["slug"], parents)),
        )
        for row in rows
    }


def _path(slug: str | None, parents: Mapping[str, str | None]) -> Iterable[str]:
    while slug is not None:
        yield slug
        slug = parents[slug]


async def _wait_until_ready(url: str) -> None:
    connection = await asyncpg.connect(**where(url))
    try:
        ends = time.monotonic() + READY_SECONDS
        while not await connection.fetchval(SELECT_READY):
            if time.monotonic() > ends:
                raise BenchError("The phrases and places are not there.")
            await asyncio.sleep(1)
    finally:
        await connection.close()


def judged(client: Client, query: Query, ads: Mapping[int, Ad]) -> Judged:
    page = client.ask(f"/ads?{urlencode({'q': query.q, 'limit': FIRST})}").json
    results = page["results"]
    assert isinstance(results, list)
    found = [ads[result["pk"]] for result in results]
    marks = [2 if ad.fits(query.good) else int(ad.fits(query.acceptable)) for ad in found]
    relaxed = json.dumps(page.get("relaxed", ""), ensure_ascii=False)
    first = results[0]["title"] if results else ""
    return Judged(query, marks, relaxed, first)


def reported(name: str, found: Sequence[Judged]) -> str:
    lines = [f"{name}: {len(found)} queries"]
    for part in ("tuning", "apart"):
        of_part = [one for one in found if one.query.part == part]
        empty = sum(not one.marks for one in of_part) / len(of_part)
        precision = sum(one.precision for one in of_part) / len(of_part)
        good = sum(one.good for one in of_part) / len(of_part)
        lines.append(
            f"  {part}: precision at {FIRST} {precision:.3f} (good {good:.3f}),"
            f" without a result {empty:.1%} of {len(of_part)}"
        )
        if part == "tuning":
            worst = sorted(of_part, key=lambda one: (one.precision, one.good))[:WORST]
            lines += [
                f"    {one.precision:.1f} {one.query.language} {one.query.q!r}:"
                f" {one.marks} {one.first!r} {one.relaxed}"
                for one in worst
            ]
    return "\n".join(lines)


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        for name, size in SITES.items():
            if os.environ.get("ONLY", "") not in name:
                continue
            site = Site(Path(directory) / f"ads-{size}", size)
            site.seed()
            with site.database() as url, site.serving() as server:
                asyncio.run(_wait_until_ready(url))
                client = server.client()
                categories = client.ask("/categories").json["results"]
                assert isinstance(categories, list)
                parents = {one["slug"]: one["parent"] for one in categories}
                ads = asyncio.run(_ads_of(url, parents))
                found = [judged(client, query, ads) for query in queries_of(HERE / name)]
            print(reported(name, found), flush=True)


if __name__ == "__main__":
    main()
