"""Queries on which nothing matches are relaxed: by their spelling, a place, and fewer words.

Each step takes a bounded number of statements, whatever was typed.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from pydantic import JsonValue

from adsvc.errors import CursorExpiredError
from adsvc.kit.db.statements import Statements
from adsvc.kit.normalisation import search_key
from adsvc.repositories import places
from adsvc.repositories.ads import search_words
from adsvc.repositories.ads.criteria import AdFilter
from adsvc.repositories.ads.listing import Listing
from adsvc.repositories.ads.places import Circle
from adsvc.repositories.ads.search import planner
from adsvc.repositories.ads.search import relaxing as rows
from adsvc.repositories.ads.search.words import single_words
from adsvc.services.categories import reading
from adsvc.services.categories.reading import CategoryTree
from adsvc.services.suggestions import Vocabulary
from adsvc.word_forms import JOINERS, UNIFIED

JOINED_WORD = re.compile(rf"\w+(?:[{re.escape(JOINERS)}]\w+)*")
# Around a place in a query, in metres.
NEARBY = 50_000
# To look for a word that is near takes a millisecond.
MOST_CORRECTED = 4
# Words of the name of a place or of a category.
LONGEST_NAME = 3
SHORTEST_PLACE = 3
# Inhabitants. The names of smaller places are other words more often.
LARGE_PLACE = 50_000


class QueryChangeKind(StrEnum):
    SPELLING = "spelling"
    DROPPED = "dropped"
    PLACE = "place"
    CATEGORY = "category"


class QueryChange(NamedTuple):
    kind: QueryChangeKind
    # The first of its parts in the query, of those that `terms.WORDS` finds, and how many.
    at: int
    parts: int = 1
    # A word, the id of a place, or the slug of a category. Empty for what is left out.
    to: str = ""


QueryChanges = tuple[QueryChange, ...]


def encoded(changes: QueryChanges) -> str:
    """As a cursor has them."""
    return " ".join(
        f"{change.kind[0]}{change.at}.{change.parts}.{change.to.replace(' ', '+')}"
        for change in changes
    )


def decoded(text: str) -> QueryChanges:
    kinds = {kind[0]: kind for kind in QueryChangeKind}
    split = (change.split(".", 2) for change in text.split(" "))
    return tuple(
        QueryChange(kinds[at[0]], int(at[1:]), int(parts), to.replace("+", " "))
        for at, parts, to in split
    )


def changed(q: str, changes: QueryChanges) -> str:
    """The words that are searched for."""
    parts: list[str | None] = [*search_words.WORDS.findall(q)]
    last = len(parts) - 1
    is_whole = q[-1:].isspace()
    for change in changes:
        own = range(change.at, change.at + change.parts)
        # What replaces the last word is a whole one; so is the last one before what is left out.
        is_whole |= last in own
        for at in own:
            parts[at] = change.to if change.kind is QueryChangeKind.SPELLING else None
    return " ".join(part for part in parts if part is not None) + " " * is_whole


def described(q: str, changes: QueryChanges) -> list[JsonValue]:
    """As `schemas.ads.Relaxed`."""
    parts = search_words.WORDS.findall(q)
    return [
        {
            "kind": change.kind.value,
            "from": " ".join(parts[change.at : change.at + change.parts]),
            "to": change.to,
        }
        for change in sorted(changes, key=lambda change: change.at)
    ]


async def with_rarest_words(reader: Statements, q: str, most: int) -> QueryChanges:
    """Leaves the most common words out, so that so many stay."""
    words = await single_words(reader, search_words.plain_words(q).values())
    counts, _ = await planner.ads_with(reader, words)
    excess = search_words.excess_words(q, most, counts)
    return tuple(QueryChange(QueryChangeKind.DROPPED, at) for at in excess)


async def filter_of(
    reader: Statements, tree: CategoryTree, ads: AdFilter, q: str, changes: QueryChanges
) -> AdFilter:
    """What the changed query selects. `CursorExpiredError` if its place or category is gone."""
    text = changed(q, changes)
    ads = replace(ads, terms=search_words.parse(text) if text.strip() else None)
    return await _narrowed(reader, tree, ads, changes)


async def _narrowed(
    reader: Statements, tree: CategoryTree, ads: AdFilter, changes: QueryChanges
) -> AdFilter:
    """By the place and the category in the changes."""
    for change in changes:
        if change.kind is QueryChangeKind.PLACE:
            row = await places.get(reader, int(change.to))
            if row is None:
                raise CursorExpiredError
            ads = replace(ads, near=Circle(row["latitude"], row["longitude"], NEARBY))
        elif change.kind is QueryChangeKind.CATEGORY:
            if change.to not in tree.nodes:
                raise CursorExpiredError
            ads = replace(ads, category=reading.branch(tree, change.to))
    return ads


class RelaxedListing(NamedTuple):
    """A page of a listing, what it selects, and how that differs from the query."""

    found: Listing
    ads: AdFilter
    changes: QueryChanges = ()
    # The nearest query that has matches, if nothing may be relaxed.
    suggestion: str | None = None


class Relaxation:
    """The relaxation of one query on which nothing matches."""

    def __init__(
        self,
        reader: Statements,
        vocabulary: Vocabulary,
        ads: AdFilter,
        q: str,
        changes: QueryChanges,
        search: Callable[[AdFilter], Awaitable[Listing]],
    ) -> None:
        """`ads` is the filter of the query, `changes` are what was changed in it before."""
        self._reader = reader
        self._vocabulary = vocabulary
        self._ads = ads
        self._q = q
        self._before = changes
        self._search = search
        gone = {change.at for change in changes}
        self._words = {
            at: word for at, word in search_words.plain_words(q).items() if at not in gone
        }
        # The words of alternatives do not belong together.
        self._has_alternatives = any(part.lower() == "or" for part in search_words.WORDS.findall(q))

    async def corrected_listing(self) -> RelaxedListing | None:
        """With known words in place of those that no ad has, if these are near."""
        apart = {at: _apart(word) for at, word in self._words.items()}
        looked_up = {*self._words.values(), *filter(None, apart.values())}
        self._counts = await rows.ads_with(self._reader, list(looked_up))
        self._unknown = {at for at, word in self._words.items() if self._counts.get(word) == 0}
        self._place = await self._find_place()
        blocked = self._place.at if self._place and self._is_large else -1
        typed = {
            at: self._words[at]
            for at in sorted(self._unknown)
            if at != blocked and JOINED_WORD.fullmatch(self._words[at].translate(UNIFIED))
        }
        typed = dict([*typed.items()][:MOST_CORRECTED])
        nearest = await asyncio.to_thread(self._vocabulary.nearest, list(typed.values()))
        self._spelling = {at: near for at, near in zip(typed, nearest, strict=True) if near}
        self._spelling |= {at: apart[at] for at in typed if self._counts.get(apart[at])}
        return await self._try(self._spellings(())) if self._spelling else None

    async def relaxed(self) -> RelaxedListing | None:
        """The first of the relaxations that has matches."""
        found = await self.corrected_listing()
        if found is not None or self._has_alternatives:
            return found
        named = self._named()
        if named and (found := await self._try((*named, *self._spellings(named)))):
            return found
        for filters in dict.fromkeys((named, ())):
            if (dropped := await self._dropped(filters)) and (found := await self._try(dropped)):
                return found
        return None

    def _spellings(self, named: QueryChanges) -> QueryChanges:
        own = {at for change in named for at in range(change.at, change.at + change.parts)}
        return tuple(
            QueryChange(QueryChangeKind.SPELLING, at, 1, word)
            for at, word in self._spelling.items()
            if at not in own
        )

    def _named(self) -> QueryChanges:
        """A place and a category instead of their names."""
        found = () if self._place is None else (self._place,)
        if self._ads.category is not None:
            return found
        for at, parts in self._spans():
            own = range(at, at + parts)
            slug = self._vocabulary.category_named(" ".join(self._words[each] for each in own))
            if slug is not None and self._unknown.issuperset(own):
                return (*found, QueryChange(QueryChangeKind.CATEGORY, at, parts, slug))
        return found

    def _spans(self) -> Iterator[tuple[int, int]]:
        """Neighbouring words, the most first: the first place, and how many."""
        for parts in range(LONGEST_NAME, 0, -1):
            for at in self._words:
                if all(each in self._words for each in range(at, at + parts)):
                    yield at, parts

    async def _find_place(self) -> QueryChange | None:
        self._is_large = False
        if self._has_alternatives or self._ads.near is not None or self._ads.box is not None:
            return None
        keys = {
            span: key
            for span in self._spans()
            if len(key := search_key(" ".join(self._words[at] for at in _range(span))))
            >= SHORTEST_PLACE
        }
        known = await places.largest(self._reader, set(keys.values()))
        best = None
        for span, key in keys.items():
            row = known.get(key)
            if row is None:
                continue
            is_large = row["weight"] >= LARGE_PLACE
            if not is_large and not self._unknown.issuperset(_range(span)):
                continue
            # A longer name before a shorter one, then the larger place.
            rank = is_large, span[1], row["weight"]
            if best is None or rank > best[0]:
                best = rank, QueryChange(QueryChangeKind.PLACE, *span, str(row["place_id"]))
        if best is None:
            return None
        self._is_large = best[0][0]
        return best[1]

    async def _dropped(self, named: QueryChanges) -> QueryChanges:
        """With the fewest words left out. Empty if no ad has one of the words."""
        changes = (*named, *self._spellings(named))
        own = {at for change in named for at in _range((change.at, change.parts))}
        left = {at: self._spelling.get(at, word) for at, word in self._words.items()}
        # Stop words stay, because every ad matches them.
        candidates = {
            at: word
            for at, word in left.items()
            if at not in own and (at in self._spelling or self._counts.get(self._words[at], 0) > 0)
        }
        if not candidates:
            return ()
        corrected = [word for at, word in candidates.items() if at in self._spelling]
        known = await rows.ads_with(self._reader, corrected) if corrected else {}
        counts = {word: known.get(word, self._counts.get(word, 0)) for word in candidates.values()}
        fixed = _without_plain_words(self._q)
        ads = replace(self._ads, terms=search_words.parse(fixed + " ") if fixed else None)
        ads = await _narrowed(self._reader, self._vocabulary.tree, ads, named)
        found = await rows.combinations(self._reader, ads, counts)
        weight = {word: self._vocabulary.weight(word) for word in counts}
        place = {word: at for at, word in candidates.items()}

        def rank(combination: rows.Combination) -> tuple[int, ...]:
            remaining = _remaining(counts, combination)
            typed = len(remaining.difference(corrected))
            # The last word says what it is: a family car is a car.
            last = max((place[word] for word in remaining), default=-1)
            return (
                len(remaining),
                typed,
                sum(weight[word] for word in remaining),
                last,
                combination[1],
            )

        best = max(found, key=rank, default=None)
        remaining = set() if best is None else _remaining(counts, best)
        if not remaining:
            return ()
        gone = {at for at, word in candidates.items() if word not in remaining}
        gone |= self._unknown - candidates.keys() - own
        return (
            *(change for change in changes if change.at not in gone),
            *(QueryChange(QueryChangeKind.DROPPED, at) for at in sorted(gone)),
        )

    async def _try(self, changes: QueryChanges) -> RelaxedListing | None:
        changes = (*self._before, *changes)
        tree = self._vocabulary.tree
        ads = await filter_of(self._reader, tree, self._ads, self._q, changes)
        found = await self._search(ads)
        return RelaxedListing(found, ads, changes) if found.records else None


def _apart(word: str) -> str:
    """The parts of a joined word, which an ad may have in any order. Empty if it has none."""
    parts = search_words.SINGLE_WORDS.findall(word)
    return " ".join(parts) if len(parts) > 1 else ""


def _range(span: tuple[int, int]) -> range:
    return range(span[0], span[0] + span[1])


def _remaining(words: Mapping[str, float], combination: rows.Combination) -> set[str]:
    return {word for word, has in zip(words, combination[0], strict=True) if has}


def _without_plain_words(q: str) -> str:
    """Its phrases and excluded words."""
    plain = search_words.plain_words(q)
    return " ".join(
        part for at, part in enumerate(search_words.WORDS.findall(q)) if at not in plain
    )
