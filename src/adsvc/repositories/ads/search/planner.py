"""The planner of searches: terms of the index, and costs by PostgreSQL's statistics."""

import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, prod
from typing import NamedTuple
from weakref import WeakKeyDictionary

from adsvc.enums import PriceType
from adsvc.kit.db.statements import Statements
from adsvc.repositories.ads.criteria import AdFilter, AttributeFilter, Dates, Numbers, Value
from adsvc.repositories.ads.search.words import Word, WordQuery, lexemes_of

# The lengths of a number's prefixes in bits: the sign and the highest bit of the exponent, the
# exponent in three steps, and the mantissa two bits at a time. The finest difference is a
# thousandth.
LEVELS = (2, 8, 10, 12, 14, 16, 18, 20, 22)

BITS = 64

# The most terms for one range. More would cost the index more than they save, so a range is then
# covered less finely.
MOST_TERMS = 16

# Options are shorter. Of a longer text the beginning is a term.
LONGEST_VALUE = 64

# With more alternatives only the exact condition is used: the index looks up each for each ad.
MOST_ALTERNATIVES = 48

PRICE = "$"


def index_groups(ads: AdFilter) -> list[Sequence[str]]:
    """Groups of terms: a matching ad has one term of each group."""
    groups = [attribute_terms(wanted) for wanted in ads.attributes or ()]
    if ads.category is not None:
        groups.append([f"@{category}" for category in ads.category.ids])
    if groups and (ads.min_price is not None or ads.max_price is not None):
        # Ads with other types may have no price.
        groups.append(covering(PRICE, ads.min_price, ads.max_price))
    if ads.price_type not in {None, PriceType.FIXED}:
        groups.append([f"%{ads.price_type}"])
    return [group for group in groups if len(group) <= MOST_ALTERNATIVES]


def attribute_terms(wanted: AttributeFilter) -> Sequence[str]:
    """Terms of an attribute: an ad without any of them does not match."""
    found = [_term_of(wanted.name, value) for value in wanted.values]
    for limits in wanted.ranges:
        found += covering(f"={wanted.name}", *_ends(limits))
    return list(dict.fromkeys(found))


def _term_of(name: str, value: Value) -> str:
    if isinstance(value, bool):
        return f"={name}={str(value).lower()}"
    if isinstance(value, str):
        return f"={name}={value[:LONGEST_VALUE]}"
    [term] = covering(f"={name}", value, value)
    return term


def _ends(limits: Numbers | Dates) -> tuple[float | None, float | None]:
    if isinstance(limits, Numbers):
        return limits.low, limits.high
    return _day(limits.low), _day(limits.high)


def _day(date: str | None) -> int | None:
    """A number that grows with the date, small today so that single days differ."""
    if date is None:
        return None
    year, month, day = (int(part) for part in date.split("-"))
    return (year - 2000) * 372 + month * 31 + day


def covering(name: str, low: float | None, high: float | None) -> list[str]:
    """Terms such that each number in the range has one. Others may have one too."""
    found: list[str] = []
    for finest in reversed(range(len(LEVELS))):
        first = 0 if low is None else _prefix(low, LEVELS[finest])
        last = (1 << LEVELS[finest]) - 1 if high is None else _prefix(high, LEVELS[finest])
        found = [_number_term(name, *part) for part in _parts(first, last, finest)]
        if len(found) <= MOST_TERMS:
            break
    return found


def _prefix(number: float, bits: int) -> int:
    """The first bits of a code that sorts like the numbers."""
    # Minus zero becomes zero.
    [code] = struct.unpack(">Q", struct.pack(">d", number + 0.0))
    ordered: int = code ^ (1 << BITS) - 1 if code >> BITS - 1 else code | 1 << BITS - 1
    return ordered >> BITS - bits


def _parts(first: int, last: int, level: int) -> Iterator[tuple[int, int]]:
    """The prefixes from first to last, with a coarser one wherever it covers them all."""
    while level:
        step = 1 << LEVELS[level] - LEVELS[level - 1]
        while first % step and first <= last:
            yield LEVELS[level], first
            first += 1
        while (last + 1) % step and first <= last:
            yield LEVELS[level], last
            last -= 1
        if first > last:
            return
        first, last, level = first // step, last // step, level - 1
    for prefix in range(first, last + 1):
        yield LEVELS[0], prefix


def _number_term(name: str, bits: int, prefix: int) -> str:
    return f"{name}#{chr(ord('a') + bits // 2)}{prefix:x}"


def tsquery(group: Sequence[str]) -> str:
    """The group as a `tsquery`: any of its terms."""
    return " | ".join(map(_quoted, group))


def _quoted(term: str) -> str:
    doubled = term.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"


SELECT_STATISTICS = """
    SELECT attname AS part,
        coalesce(most_common_elems::text, most_common_vals::text)::text[] AS words,
        coalesce(most_common_elem_freqs, most_common_freqs) AS frequencies,
        (SELECT greatest(reltuples, 0)::float FROM pg_class WHERE oid = 'ads'::regclass) AS ads
    FROM pg_stats
    WHERE schemaname = current_schema AND tablename = 'ads' AND (
        attname IN ('search', 'title_search') AND most_common_elems IS NOT NULL
        OR attname = 'category_id' AND most_common_vals IS NOT NULL
    )
"""
# PostgreSQL analyses a table when a tenth of it has changed, so statistics change slowly.
CACHE_SECONDS = 30
# The most ads that may have a word that is not in the statistics.
MOST_OF_RARE = 2000
# A prefix of two letters may also begin many rare words; this guesses how many.
RARE_WORDS = {2: 20, 3: 4}


@dataclass(frozen=True, slots=True)
class Part:
    """The statistics of one column of words: how many ads have each."""

    common: Mapping[str, float]
    rare: float

    def ads_with(self, word: str) -> float:
        return self.common.get(word, self.rare)

    def ads_beginning(self, word: str, letters: int) -> float:
        common = sum(ads for known, ads in self.common.items() if known.startswith(word))
        return common + RARE_WORDS.get(letters, 1) * self.rare


NOTHING_KNOWN = Part({}, 0)


@dataclass(frozen=True, slots=True)
class Statistics:
    ads: float
    search: Part
    titles: Part


class Entries(NamedTuple):
    """What one index reads for words, and how many ads are expected.

    Infinite if the index is of no use, as for excluded words. `whole` of it is read even if a rarer
    word is searched for as well. `rarest` is how many ads have the rarest word: no more match.
    """

    read: float
    found: float
    whole: float = 0
    rarest: float = 0


# By reader, because each database and each replica has its own statistics.
_cached: WeakKeyDictionary[Statements, tuple[float, Statistics]] = WeakKeyDictionary()


async def statistics_of(db: Statements) -> Statistics:
    """The statistics, cached for some seconds: to read them takes longer than most searches."""
    until, cached = _cached.get(db, (0.0, None))
    if cached is not None and time.monotonic() < until:
        return cached
    rows = await db.fetch(SELECT_STATISTICS, keep_plan=True)
    counts = {
        row["part"]: {
            word: frequency * row["ads"]
            for word, frequency in zip(row["words"], row["frequencies"], strict=False)
        }
        for row in rows
    }
    # The thousand most common words of a large table need not include the terms of its categories.
    categories = {f"@{key}": ads for key, ads in counts.pop("category_id", {}).items()}
    parts = {
        part: Part(common | categories, min(min(common.values()) / 2, MOST_OF_RARE))
        for part, common in counts.items()
    }
    ads = rows[0]["ads"] if rows else 0
    search, titles = (parts.get(part, NOTHING_KNOWN) for part in ("search", "title_search"))
    known = Statistics(ads, search, titles)
    if rows:
        _cached[db] = time.monotonic() + CACHE_SECONDS, known
    return known


class TermEntries(NamedTuple):
    """The entries of the index of all words, and of that of titles.

    `whole` and `whole_titles` are those if the last word is complete.
    """

    words: Entries
    titles: Entries
    whole: Entries
    whole_titles: Entries


def entries_of(query: WordQuery, statistics: Statistics) -> TermEntries:
    return TermEntries(
        *(
            _entries(part, query, statistics.ads, begun=begun)
            for begun in (True, False)
            for part in (statistics.search, statistics.titles)
        )
    )


async def ads_with(
    db: Statements,
    words: Mapping[str, WordQuery],
) -> tuple[dict[str, float], float]:
    """How many ads have each word, and how many a word that is not common. Stop words are absent.

    Estimated by statistics.
    """
    known = (await statistics_of(db)).search
    ads = {
        word: min(_ads_with(known, each) for each in query.groups[0])
        for word, query in words.items()
        if query.groups and not query.is_unchanged
    }
    return ads, known.rare


def _ads_with(part: Part, word: Word) -> float:
    """A spelling is as rare as its rarest word; others are taken to be rarer."""
    return max(min(map(part.ads_with, lexemes), default=0.0) for lexemes in word.alternatives)


def _ads_begun(part: Part, word: Word) -> float:
    """The same where the last word may be the beginning of one."""
    return max(
        _ads_with(part, word),
        *(
            min([part.ads_beginning(last, len(last)), *map(part.ads_with, before)])
            for *before, last in map(lexemes_of, word.begun)
        ),
    )


def _entries(part: Part, query: WordQuery, ads: float, *, begun: bool) -> Entries:
    """The entries of one index. An alternative is as rare as its rarest word."""
    read = found = beginning = rarest = 0.0
    for group in query.groups:
        wanted = [_ads_with(part, word) for word in group if not word.excluded]
        last = group[-1]
        if begun and last.begun:
            # All words with the prefix are read, no matter what else is searched for.
            beginning = max(
                wanted.pop(),
                *(part.ads_beginning(word, len(word)) for word in last.beginnings),
            )
            read += min(wanted, default=0)
            wanted.append(_ads_begun(part, last))
        elif wanted:
            read += min(wanted)
        if wanted:
            found += ads * prod(each / ads for each in wanted) if ads else 0
            rarest += min(wanted)
        else:
            return Entries(inf, inf)
    return Entries(read + beginning, found, beginning, rarest)


# The most that one lookup in the index may cost, in ads that it finds: some 20 ms among a million.
ENTRIES = 30_000

# What it costs to look up one term for an ad that another term has found, in the same measure.
LOOKUP_COST = 0.25

# So few ads that more terms are not worth their lookup.
FEW = 100


class _Key(NamedTuple):
    read: float
    found: float
    # None for the words.
    terms: Sequence[str] | None
    whole: float = 0

    @property
    def alternatives(self) -> int:
        return 1 if self.terms is None else len(self.terms)


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """How to use the index. Empty if the index is of no use."""

    with_words: bool = False
    groups: tuple[Sequence[str], ...] = ()
    cost: float = inf
    # How many ads are expected.
    found: float = inf
    # Whether several are combined: fewer ads than expected may have all of them.
    combined: bool = False


def plan_of(
    words: Entries | None, groups: Sequence[Sequence[str]], terms: Part, ads: float
) -> IndexPlan:
    """Takes the rarest key first, and others if they cost less than they save."""
    sums = [sum(terms.ads_with(term) for term in group) for group in groups]
    keys = [_Key(read, read, group) for read, group in zip(sums, groups, strict=True)]
    if words is not None and words.read < inf:
        keys.append(_Key(words.read, words.found, None, words.whole))
    if not keys:
        return IndexPlan()
    first, *others = sorted(keys, key=lambda key: key.found)
    found, chosen = first.found, [first]
    cost = max(first.read * LOOKUP_COST, first.whole)
    for key in others:
        more = max(min(found * key.alternatives * LOOKUP_COST, key.read), key.whole)
        if found <= FEW or cost + more > ENTRIES:
            continue
        chosen.append(key)
        cost += more
        # Attributes depend on each other: a rare one need not be rare among the ads of the others.
        found *= min(1, key.found / ads) ** (0.5 ** (len(chosen) - 1)) if ads else 1
    return IndexPlan(
        with_words=any(key.terms is None for key in chosen),
        groups=tuple(key.terms for key in chosen if key.terms is not None),
        cost=cost + found,
        found=found,
        combined=len(chosen) > 1,
    )
