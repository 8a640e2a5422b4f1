"""Keys of saved queries: what an ad has in any case if it matches.

A group is a set of terms of which each matching ad has at least one. The rarest group of a query,
by PostgreSQL's statistics, is its key; where that is common, each of its terms along with one of
another group. An ad's own terms then find the queries that it may match, whose number depends
neither on how many queries there are nor on terms that everybody uses. Any group would do, so keys
stay right when statistics change, and the condition of the search is checked afterwards.

Terms are independent of the tree of categories: an ad has the slugs of all categories above it, and
a filter by an attribute counts as every type of attribute that it can be read as.
"""

import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import floor
from typing import NamedTuple

from adsvc.enums import PriceType
from adsvc.kit.db.statements import Statements
from adsvc.repositories.ads.criteria import AdFilter, AttributeFilter
from adsvc.repositories.ads.search.planner import (
    PRICE,
    Statistics,
    attribute_terms,
    covering,
    statistics_of,
)
from adsvc.repositories.ads.search.words import ESCAPED

# Of words: a prefix is cut to one of these lengths, and ads have their words' beginnings.
PREFIXES = (1, 2, 3, 5)

# Cells of the grid: 180 degrees, halved so many times. The finest are 1.2 km high.
LEVELS = range(1, 15)
MOST_CELLS = 16

# With more of them, one key has more entries than it saves.
MOST_PAIRS = 64
# A group that a larger part of all ads has is combined with another one.
COMMON = 0.002
# One that more ads have saves less than it costs.
HALF = 0.5
# What has no statistics.
RARE = 1e-6

# The first characters of terms; no word begins with one of them.
PREFIX, AUTHOR, CELL, CATEGORY, PRICE_TYPE = "*", "#", "^", "@", "%"

# The key of a query that matched some words, and has none in another language.
EVERYTHING = "!"

Group = frozenset[str]


class Wanted(NamedTuple):
    """A saved query as keys are made of it."""

    # Without category and attributes, which depend on the tree.
    ads: AdFilter
    category: str | None
    # Each read as every type.
    attributes: Sequence[AttributeFilter]
    # The words of it, as the index has them.
    tsquery: str | None


class KeyTerms(NamedTuple):
    term: str
    # Empty if `term` alone is the key.
    other: str = ""


# The terms of the rows `subject` of ads, each with its `branch`: slugs of categories.
AD_TERMS = f"""
    SELECT DISTINCT ads.id AS ad_id, term FROM subject AS ads CROSS JOIN LATERAL (
        SELECT term FROM unnest(tsvector_to_array(search)) AS term
        WHERE left(term, 1) NOT IN ('{CATEGORY}', '{PRICE_TYPE}', '{PRICE}')
        UNION ALL
        SELECT '{PREFIX}' || left(word, size) FROM unnest(tsvector_to_array(search)) AS word,
            unnest(ARRAY{list(PREFIXES)}) AS size
        WHERE left(word, 1) NOT IN ('=', '{CATEGORY}', '{PRICE_TYPE}', '{PRICE}')
            AND length(word) >= size
        UNION ALL
        SELECT '{CATEGORY}' || slug FROM unnest(branch) AS slug
        UNION ALL
        VALUES ('{EVERYTHING}')
        UNION ALL
        SELECT '{PRICE_TYPE}' || price_type
        UNION ALL
        SELECT number_terms('{PRICE}', price)
        UNION ALL
        SELECT '{AUTHOR}' || author_id
        UNION ALL
        SELECT concat('{CELL}', level, '.', floor((public_latitude + 90) / size), '.',
            floor((public_longitude + 180) / size))
        FROM generate_series({LEVELS[0]}, {LEVELS[-1]}) AS level,
            LATERAL (SELECT 180 / (1 << level)::float8) AS cell (size)
        WHERE public_latitude IS NOT NULL
    ) AS found
"""

# What terms of words say nothing about.
HISTOGRAMS = """
    SELECT attname AS name, histogram_bounds::text::float8[] AS bounds, null_frac AS missing
    FROM pg_stats
    WHERE schemaname = current_schema AND tablename = 'ads' AND histogram_bounds IS NOT NULL
        AND attname IN ('price', 'public_latitude', 'public_longitude')
"""

BRANCH_IDS = """
    WITH RECURSIVE branch AS (
        SELECT id FROM categories WHERE slug = $1
        UNION ALL
        SELECT categories.id FROM branch JOIN categories ON parent_id = branch.id
    )
    SELECT id FROM branch
"""


class Spread(NamedTuple):
    bounds: Sequence[float]
    missing: float

    def share(self, low: float, high: float) -> float:
        """The part of all ads in the range, roughly."""
        inside = sum(low <= bound <= high for bound in self.bounds)
        return (1 - self.missing) * (inside + 1) / len(self.bounds)


@dataclass(frozen=True, slots=True)
class Rarity:
    """How rare groups are: the part of all ads that has a term of each."""

    known: Statistics
    histograms: Mapping[str, Spread]
    # The terms of a category with all below it, by its slug.
    branches: dict[str, Group] = field(default_factory=dict)

    def of_words(self, group: Group) -> float:
        if not self.known.ads:
            return RARE
        part = self.known.search
        ads = sum(
            part.ads_beginning(term[1:], len(term) - 1)
            if term.startswith(PREFIX)
            else part.ads_with(term)
            for term in group
        )
        return min(1.0, ads / self.known.ads)

    def between(self, column: str, low: float, high: float) -> float:
        histogram = self.histograms.get(column)
        return 1.0 if histogram is None else min(1.0, histogram.share(low, high))


async def rarity_of(db: Statements) -> Rarity:
    rows = await db.fetch(HISTOGRAMS, keep_plan=True)
    histograms = {row["name"]: Spread(row["bounds"], row["missing"]) for row in rows}
    return Rarity(await statistics_of(db), histograms)


async def keys_of(db: Statements, wanted: Wanted, rarity: Rarity) -> Sequence[KeyTerms]:
    """The query's keys; empty if it has no group of its own: it would match almost any ad."""
    groups = [found async for found in _groups(db, wanted, rarity)]
    if not groups:
        return ()
    ads = wanted.ads
    if ads.min_price is not None or ads.max_price is not None:
        # Not enough by itself.
        ends = ads.min_price or 0, float("inf") if ads.max_price is None else ads.max_price
        covered = frozenset(covering(PRICE, ads.min_price, ads.max_price))
        groups.append((rarity.between("price", *ends), covered))
    if ads.price_type is PriceType.FIXED:
        groups.append((1.0, frozenset({f"{PRICE_TYPE}{ads.price_type}"})))
    (share, first), *others = sorted(groups, key=lambda group: (group[0], len(group[1])))
    if share > COMMON:
        for part, other in others:
            if part < HALF and first != other and len(first) * len(other) <= MOST_PAIRS:
                return [
                    KeyTerms(term, second) for term in sorted(first) for second in sorted(other)
                ]
    return [KeyTerms(term) for term in sorted(first)]


async def _groups(
    db: Statements, wanted: Wanted, rarity: Rarity
) -> AsyncIterator[tuple[float, Group]]:
    """Each with the part of all ads that has it."""
    ads = wanted.ads
    if wanted.tsquery is not None:
        for group in groups_of_words(wanted.tsquery, rarity):
            yield rarity.of_words(group), group
    for attribute in wanted.attributes:
        group = frozenset(attribute_terms(attribute))
        yield rarity.of_words(group), group
    if ads.author is not None:
        yield RARE, frozenset({f"{AUTHOR}{ads.author}"})
    for place in (ads.near, ads.box):
        if place is None:
            continue
        south, north = place.latitudes
        share = rarity.between("public_latitude", south, north) * min(
            1.0, sum(rarity.between("public_longitude", *span) for span in place.spans)
        )
        yield share, frozenset(cells(south, north, place.spans))
    if wanted.category is not None:
        if (below := rarity.branches.get(wanted.category)) is None:
            rows = await db.fetch(BRANCH_IDS, wanted.category, keep_plan=True)
            below = rarity.branches[wanted.category] = frozenset(f"@{row['id']}" for row in rows)
        yield rarity.of_words(below), frozenset({f"{CATEGORY}{wanted.category}"})
    if ads.price_type not in {None, PriceType.FIXED}:
        group = frozenset({f"{PRICE_TYPE}{ads.price_type}"})
        yield rarity.of_words(group), group


def cells(south: float, north: float, spans: Sequence[tuple[float, float]]) -> list[str]:
    """Cells of one size that cover the spans of longitude between two latitudes."""
    found: list[str] = []
    for level in LEVELS:
        size = 180 / (1 << level)
        rows = range(_cell(max(south, -90.0) + 90, size), _cell(min(north, 90.0) + 90, size) + 1)
        columns = {
            column
            for west, east in spans
            for column in range(_cell(west + 180, size), _cell(east + 180, size) + 1)
        }
        if found and len(rows) * len(columns) > MOST_CELLS:
            break
        found = [f"{CELL}{level}.{row}.{column}" for row in rows for column in sorted(columns)]
    return found


def _cell(degrees: float, size: float) -> int:
    return floor(degrees / size)


# In the text of a `tsquery`: a word with its weights and `*`, or an operator.
TOKEN = re.compile(r"\s*(?:'((?:[^'\\]|''|\\.)*)'(?::([A-D*]+))?|(<->|<\d+>|[&|!()]))")


def groups_of_words(query: str, rarity: Rarity) -> list[Group]:
    """The groups of a `tsquery`, from its text."""
    tokens = iter([*TOKEN.findall(query), ("", "", "")])
    reading = _Reading(tokens, rarity)
    return reading.alternatives() if query else []


class _Reading:
    """Reads operators by their precedence: `!`, `<->`, `&`, `|`. Neighbours count as both."""

    def __init__(self, tokens: Iterator[tuple[str, str, str]], rarity: Rarity) -> None:
        self._tokens = tokens
        self._rarity = rarity
        self._next = next(tokens)

    def _take(self) -> tuple[str, str, str]:
        token, self._next = self._next, next(self._tokens, ("", "", ""))
        return token

    def alternatives(self) -> list[Group]:
        parts = [self._all_of()]
        while self._next[2] == "|":
            self._take()
            parts.append(self._all_of())
        if len(parts) == 1:
            return parts[0]
        # Something that is only excluded may be missing everywhere.
        if not all(parts):
            return []
        rarest = (min(part, key=self._rarity.of_words) for part in parts)
        return [frozenset[str]().union(*rarest)]

    def _all_of(self) -> list[Group]:
        found = self._one()
        while self._next[2] == "&" or self._next[2].startswith("<"):
            self._take()
            found += self._one()
        return found

    def _one(self) -> list[Group]:
        word, marks, operator = self._take()
        if operator == "!":
            self._one()
            return []
        if operator == "(":
            found = self.alternatives()
            self._take()
            return found
        text = ESCAPED.sub(lambda match: match[1] or "'", word)
        if "*" not in marks:
            return [frozenset({text})]
        size = max((size for size in PREFIXES if size <= len(text)), default=0)
        return [frozenset({PREFIX + text[:size]})] if size else []
