"""Pages of ads that match words or attributes, at a cost that has a bound.

No one way suits all searches. Words and attributes that few ads have together have few entries in
their index, and all matches are taken from it. A price, a time or an author that few ads have has
an index too. What is common fills a page within the next few thousand ads in order. What none of
these answers, words that are only excluded for example, is answered in part: a page may be short
and have a next one, and going on to the last meets every match.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf

from adsvc.db.pools import Reader, Row
from adsvc.repositories.ads.criteria import AdFilter, Key, KeyValue, Sort
from adsvc.repositories.ads.facets import Counted, Facets
from adsvc.repositories.ads.listing import Listing, restrictions
from adsvc.repositories.ads.search import distance
from adsvc.repositories.ads.search.distance import count_sql, newest_sql
from adsvc.repositories.ads.search.planner import (
    ENTRIES,
    Entries,
    entries_of,
    index_groups,
    plan_of,
    statistics_of,
)
from adsvc.repositories.ads.search.statements import (
    EXAMINED,
    OTHERS,
    TITLES,
    Search,
    Source,
    Statement,
    counts_sql,
    gather_sql,
    walk_sql,
)
from adsvc.repositories.ads.terms import Parameters


@dataclass
class Page:
    """What has been found of a page, and of all that lies beyond its beginning."""

    room: int
    records: list[str] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    matches: int = 0
    valid_seconds: float | None = None

    def add(self, row: Row, search: Search) -> None:
        self.records += row["record"] or ()
        found = zip(*(row[name] or () for name in search.key.names), strict=True)
        self.keys += [search.key.key_of(values) for values in found]
        self.matches += row["matches"]
        if row["valid_seconds"] is not None:
            self.valid_seconds = (
                row["valid_seconds"]
                if self.valid_seconds is None
                else min(row["valid_seconds"], self.valid_seconds)
            )

    @property
    def missing(self) -> int:
        """One more than there is room for tells that there is a next page."""
        return self.room + 1 - len(self.records)

    def found(self, before: int, *, edge: Key | None, total: int | None) -> Listing:
        """A key is followed by how many matches came before: it goes on counting from there."""
        next_key = edge
        if self.missing <= 0:
            next_key = self.keys[self.room - 1]
        records = self.records[: self.room]
        if next_key is not None:
            next_key = [*next_key, before + len(records)]
        count = before + self.matches if total is None else total
        exact = total is not None
        return Listing(
            records, next_key, count, count_exact=exact, valid_seconds=self.valid_seconds
        )


# A walk looks first at so many times the ads that should do, and not at fewer than these.
GENEROSITY = 4
FEWEST = 500


class SearchRepository:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def page(
        self, ads: AdFilter, sort: Sort, limit: int, after: Key | None, bound: int
    ) -> Listing:
        """The matches that follow the key `after` in that order, at most `limit`.

        Those of a place alone are counted, up to `bound`.
        """
        *key, before = after or [0]
        finder = await self._finder(ads, sort)
        found = await finder.page(limit, key, int(before))
        if found.count_exact or not ads.only_place:
            return found
        statement = count_sql(ads, bound + 1)
        [row] = await self._reader.fetch(statement.sql, *statement.values)
        return replace(found, count=row["total"], count_exact=True)

    async def facets(self, ads: AdFilter, counted: Counted, bound: int) -> Facets:
        """Counts of the newest matches, at most `bound`."""
        finder = await self._finder(ads, Sort.NEWEST)
        return await finder.facets(counted, bound)

    async def _finder(self, ads: AdFilter, sort: Sort) -> "_Finder":
        known = await statistics_of(self._reader)
        words = titles = None
        if ads.terms is not None:
            words, titles = await entries_of(self._reader, ads.terms, known)
            if ads.terms.has_phrases and words.read > EXAMINED:
                # A phrase is looked for in every ad that has its words.
                words = titles = None
        plan = plan_of(words, index_groups(ads), known.search, known.ads)
        expected = titles if sort is Sort.RELEVANCE else words
        share = 0.0
        if expected is not None and known.ads and ads == AdFilter(terms=ads.terms):
            share = min(1.0, expected.found / known.ads)
        search = Search(ads, sort, plan)
        return _Finder(self._reader, search, titles, share, all_ads=known.ads)


class _Finder:
    """One search, by the ways that suit it."""

    def __init__(
        self,
        reader: Reader,
        search: Search,
        titles: Entries | None,
        share: float,
        *,
        all_ads: float,
    ) -> None:
        self._reader = reader
        self._search = search
        self._titles = titles
        # The part of all ads that is expected to match, for relevance in titles; 0 if not known.
        self._share = share
        self._all_ads = all_ads

    async def page(self, limit: int, key: list[KeyValue], before: int) -> Listing:
        place = int(key.pop(0)) if key and self._search.by_relevance else TITLES
        page = Page(limit)
        for source in self._sources_of_all():
            row = await self._gather(page, source, place, key or None)
            if row is not None:
                return page.found(before, edge=None, total=row["total"])
        if self._search.sort is Sort.DISTANCE:
            return await self._walk_outward(page, key or None, before)
        return await self._walk_on(page, place, key or None, before)

    async def facets(self, counted: Counted, bound: int) -> Facets:
        sources = [*self._sources_of_all(), *self._sources_beyond(OTHERS)]
        for source in (*sources, None):
            [row] = await self._fetch(counts_sql(self._search, source, counted, bound))
            if row["complete"] or source is None:
                return Facets.of_row(row, exact=row["complete"] and not row["more"])
        raise AssertionError

    @property
    def _ads(self) -> AdFilter:
        return self._search.ads

    @property
    def _by_place(self) -> bool:
        return self._ads.near is not None or self._ads.box is not None

    @property
    def _index_has_few(self) -> bool:
        plan = self._search.plan
        return plan.found <= EXAMINED and plan.cost <= ENTRIES

    @property
    def _may_be_fewer(self) -> bool:
        """Whether there may be fewer than expected: words or attributes may exclude each other."""
        terms = self._ads.terms
        words = 0 if terms is None else sum(map(len, terms.wanted)) + bool(terms.prefix)
        return self._search.plan.combined or words > 1

    def _sources_of_all(self) -> list[Source]:
        """Those that may have few enough ads to look at all of them."""
        sources = [Source.INDEX] if self._index_has_few else []
        if self._by_place and not (self._search.sort is Sort.DISTANCE and self._ads.only_place):
            sources.append(Source.PLACE)
        if any(found.indexed for found in restrictions(self._search.ads, Parameters())):
            sources.append(Source.FILTER)
        return sources

    def _sources_beyond(self, place: int) -> list[Source]:
        """Those to be asked when the next ads in order have not filled the page."""
        sources = []
        plan = self._search.plan
        if plan.cost <= ENTRIES and not self._index_has_few and self._may_be_fewer:
            sources.append(Source.INDEX)
        titles = self._titles
        if place == TITLES and self._search.by_relevance and titles and titles.read <= ENTRIES:
            sources.append(Source.TITLES)
        if self._by_place and self._search.sort is not Sort.DISTANCE:
            sources.append(Source.WIDE_PLACE)
        return sources

    async def _walk_on(self, page: Page, place: int, key: Key | None, before: int) -> Listing:
        """From place to place, until the page is full or it would cost too much to go on."""
        from_the_start = place == TITLES and key is None
        for here in self._places(place):
            edge = await self._walk(page, here, key)
            if edge is not None:
                if page.missing == 0:
                    return page.found(before, edge=None, total=None)
                total, complete = await self._look_further(page, here, edge)
                if total is not None:
                    return page.found(before, edge=None, total=total)
                if not complete:
                    place_of_edge = [here] if self._search.by_relevance else []
                    return page.found(before, edge=[*place_of_edge, *edge], total=None)
            key = None
        return page.found(before, edge=None, total=page.matches if from_the_start else None)

    async def _walk(self, page: Page, place: int, key: Key | None) -> list[KeyValue] | None:
        """The key of the last ad looked at, if more follow."""
        for examined in self._steps(place, page.missing):
            [row] = await self._fetch(walk_sql(self._search, place, key, page.missing, examined))
            page.add(row, self._search)
            key = edge = json.loads(row["edge"]) if row["edge"] is not None else None
            if edge is None or page.missing == 0:
                break
        return edge

    def _steps(self, place: int, missing: int) -> Sequence[int]:
        """How many ads to look at: first as many as should do."""
        enough = GENEROSITY * missing / self._share if self._share and place == TITLES else inf
        return (EXAMINED,) if enough > EXAMINED / 2 else (max(FEWEST, int(enough)), EXAMINED)

    async def _walk_outward(self, page: Page, key: Key | None, before: int) -> Listing:
        """The same from ring to ring around the place."""
        edge = await distance.walk(
            self._fetch, self._search, page, key, before, all_ads=self._all_ads
        )
        if edge is None:
            is_all = key is None and page.missing > 0
            return page.found(before, edge=None, total=page.matches if is_all else None)
        total, complete = await self._look_further(page, OTHERS, edge)
        return page.found(before, edge=None if complete else edge, total=total)

    async def _look_further(self, page: Page, place: int, edge: Key) -> tuple[int | None, bool]:
        """How many matches there are in all, if that is known now; whether the place is done."""
        for source in self._sources_beyond(place):
            row = await self._gather(page, source, place, edge)
            if row is not None:
                return None if source is Source.TITLES else row["total"], True
        return None, False

    def _places(self, place: int) -> Sequence[int]:
        if not self._search.by_relevance:
            return (TITLES,)
        # A word that is only excluded is missing in titles too, wherever it is missing.
        terms = self._search.terms
        only_titles = terms is not None and terms.only_excludes
        return (TITLES,) if only_titles else range(place, OTHERS + 1)

    async def _gather(self, page: Page, source: Source, place: int, key: Key | None) -> Row | None:
        """None if the source has too much; nothing is added to the page then."""
        if source is Source.WIDE_PLACE and self._ads.only_place and self._search.by_ids:
            statement = newest_sql(self._search, key, page.missing)
        else:
            statement = gather_sql(self._search, source, place, key, page.missing)
        [row] = await self._fetch(statement)
        if not row["complete"]:
            return None
        page.add(row, self._search)
        return row

    async def _fetch(self, statement: Statement) -> Sequence[Row]:
        return await self._reader.fetch(statement.sql, *statement.values)
