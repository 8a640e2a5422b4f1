"""Pages of ads that match words or attributes, at a bounded cost.

No access path suits all searches. If few ads have the words and attributes together, all matches
are fetched by their index. A price, a time or an author that few ads have has an index too. What is
common fills a page by a scan of the next few thousand ads in order. Other searches, such as those
for excluded words only, are answered in part: a page may be short and have a next one, and all
pages together have every match.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from math import inf

from adsvc.kit.db.statements import Row, Statements
from adsvc.repositories.ads.criteria import AdFilter, Key, KeyValue, Sort
from adsvc.repositories.ads.facets import CellRequest, FacetRequest, Facets
from adsvc.repositories.ads.listing import Listing, restrictions
from adsvc.repositories.ads.search import distance
from adsvc.repositories.ads.search.distance import MOST_MAPPED, cells_sql, count_sql, newest_sql
from adsvc.repositories.ads.search.planner import (
    ENTRIES,
    MOST_OF_RARE,
    Entries,
    TermEntries,
    entries_of,
    index_groups,
    plan_of,
    statistics_of,
)
from adsvc.repositories.ads.search.statements import (
    BEGUN,
    BEGUN_TITLES,
    BEGUN_WORDS,
    EXACT_TITLES,
    EXAMINED,
    IN_TITLES,
    TITLES,
    AccessPath,
    Query,
    ResultPage,
    Search,
    counts_sql,
    fetch_sql,
    scan_sql,
)
from adsvc.repositories.ads.search.words import queries_of
from adsvc.repositories.ads.search_words import Parameters

# A scan first reads this multiple of the ads that should suffice, and at least these. The next step
# goes on where it ends.
GENEROSITY = 2
FEWEST = 500


async def page(
    db: Statements, ads: AdFilter, sort: Sort, limit: int, after: Key | None, bound: int
) -> Listing:
    """The matches that follow the key `after` in that order, at most `limit`.

    Only matches of a place alone are counted, up to `bound`.
    """
    *key, before = after or [0]
    run = await _run_of(db, ads, sort)
    found = await run.page(limit, key, int(before))
    if found.count_exact or not ads.only_place:
        return found
    query = count_sql(ads, bound + 1)
    [row] = await db.fetch(query.sql, *query.values)
    return replace(found, count=row["total"], count_exact=True)


async def facets(db: Statements, ads: AdFilter, counted: FacetRequest, bound: int) -> Facets:
    """Counts of the newest matches, at most `bound`."""
    run = await _run_of(db, ads, Sort.NEWEST)
    row, exact = await run.counts(counted, bound)
    return Facets.of_row(row, exact=exact)


async def cells(db: Statements, ads: AdFilter, cells: CellRequest, bound: int) -> tuple[str, bool]:
    """The same as a list of `schemas.finding.MapCell` in JSON, and whether all were counted.

    Of a place alone many more are, because its index has all that is needed.
    """
    if ads.only_place:
        query = cells_sql(ads, cells)
        [row] = await db.fetch(query.sql, *query.values)
        if row["total"] <= MOST_MAPPED:
            return row["counts"], True
    run = await _run_of(db, ads, Sort.NEWEST)
    row, exact = await run.counts(cells, bound)
    return row["counts"], exact


async def _run_of(db: Statements, ads: AdFilter, sort: Sort) -> "_SearchRun":
    known = await statistics_of(db)
    entries = query = None
    if ads.terms is not None:
        query = (await queries_of(db, [ads.terms]))[ads.terms]
        entries = entries_of(query, known)
        if query.has_phrases and entries.words.rarest > EXAMINED:
            # A phrase is checked in every ad that has its words.
            entries = None
    words = entries and entries.words
    plan = plan_of(words, index_groups(ads), known.search, known.ads)
    expected = entries and entries.whole_titles if sort is Sort.RELEVANCE else words
    share = 0.0
    # If a statement may read all ads, it does, and the count is exact.
    many = known.ads > EXAMINED
    if expected is not None and many and ads == AdFilter(terms=ads.terms):
        share = min(1.0, expected.found / known.ads)
    search = Search(ads, query, sort, plan)
    return _SearchRun(db, search, entries, share, all_ads=known.ads)


class _SearchRun:
    """One search: its access paths are tried one after another until the page is full."""

    def __init__(
        self,
        reader: Statements,
        search: Search,
        entries: TermEntries | None,
        share: float,
        *,
        all_ads: float,
    ) -> None:
        self._reader = reader
        self._search = search
        self._entries = entries
        # The part of all ads that is expected to match, for relevance in titles; 0 if not known.
        self._share = share
        self._all_ads = all_ads
        # Whether all ads with the words in their titles are read, in whatever spelling.
        self._titles_are_read = False

    async def page(self, limit: int, key: list[KeyValue], before: int) -> Listing:
        rank = int(key.pop(0)) if key and self._search.by_relevance else EXACT_TITLES
        page = ResultPage(limit)
        for path in self._exhaustive_paths():
            row = await self._fetch_all(page, path, rank, key or None)
            if row is not None:
                return page.found(before, edge=None, total=row["total"])
        if self._search.sort is Sort.DISTANCE:
            return await self._scan_rings(page, key or None, before)
        return await self._scan_in_order(page, rank, key or None, before)

    async def counts(self, counted: FacetRequest | CellRequest, bound: int) -> tuple[Row, bool]:
        paths = [*self._exhaustive_paths(), *self._fallback_paths(BEGUN_WORDS)]
        if AccessPath.WIDE_PLACE in paths:
            # It has what the narrower one has. For a page that one is worth its try.
            paths.remove(AccessPath.PLACE)
        for path in (*paths, None):
            [row] = await self._fetch(counts_sql(self._search, path, counted, bound))
            if row["complete"] or path is None:
                return row, row["complete"] and not row["more"]
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
    def _may_exclude_each_other(self) -> bool:
        """Whether fewer may match than expected: words or attributes may exclude each other."""
        words = self._search.words
        return self._search.plan.combined or (words is not None and words.words > 1)

    def _exhaustive_paths(self) -> list[AccessPath]:
        """Access paths that may have few enough ads to read all of them."""
        paths = [AccessPath.INDEX] if self._index_has_few else []
        if self._by_place and not (self._search.sort is Sort.DISTANCE and self._ads.only_place):
            paths.append(AccessPath.PLACE)
        if any(found.indexed for found in restrictions(self._search.ads, Parameters())):
            paths.append(AccessPath.FILTER)
        return paths

    def _fallback_paths(self, rank: int) -> list[AccessPath]:
        """Access paths to try after a scan of the next ads in order has not filled the page."""
        paths = []
        plan = self._search.plan
        if plan.cost <= ENTRIES and not self._index_has_few and self._may_exclude_each_other:
            paths.append(AccessPath.INDEX)
        titles = self._titles(rank)
        if titles.read <= ENTRIES and titles.found <= EXAMINED:
            paths.append(AccessPath.TITLES)
        if self._by_place and self._search.sort is not Sort.DISTANCE:
            paths.append(AccessPath.WIDE_PLACE)
        return paths

    async def _scan_in_order(
        self, page: ResultPage, rank: int, key: Key | None, before: int
    ) -> Listing:
        """Scans rank by rank, until the page is full or more would cost too much."""
        from_the_start = rank == EXACT_TITLES and key is None
        if self._whole_words_are_few and rank not in BEGUN:
            row = await self._fetch_all(page, AccessPath.WHOLE, rank, key)
            if row is not None:
                if page.missing <= 0:
                    return page.found(before, edge=None, total=None)
                rank, key = BEGUN_TITLES, None
        for here in self._search.ranks[rank:]:
            if page.missing <= 0 and self._all_ads > EXAMINED:
                # To go on would only be to count.
                return page.found(before, edge=None, total=None)
            edge = await self._scan(page, here, key)
            if edge is not None:
                if page.missing == 0:
                    return page.found(before, edge=None, total=None)
                total, complete = await self._fall_back(page, here, edge)
                if total is not None:
                    return page.found(before, edge=None, total=total)
                if not complete:
                    rank_of_edge = [here] if self._search.by_relevance else []
                    return page.found(before, edge=[*rank_of_edge, *edge], total=None)
            key = None
        return page.found(before, edge=None, total=page.matches if from_the_start else None)

    async def _scan(self, page: ResultPage, rank: int, key: Key | None) -> list[KeyValue] | None:
        """Returns the key of the last ad that was read, if more follow."""
        if rank == TITLES and self._titles_are_read:
            return None
        steps = self._steps(rank, page.missing)
        if (
            steps == (EXAMINED,)
            and self._titles_are_few(rank)
            and await self._fetch_all(page, AccessPath.TITLES, rank, key) is not None
        ):
            return None
        for examined in steps:
            [row] = await self._fetch(scan_sql(self._search, rank, key, page.missing, examined))
            page.add(row, self._search)
            key = edge = json.loads(row["edge"]) if row["edge"] is not None else None
            if edge is None or page.missing == 0:
                break
        return edge

    def _steps(self, rank: int, missing: int) -> Sequence[int]:
        """How many ads to read in each step: at first as many as should suffice."""
        enough = GENEROSITY * missing / self._share if self._share and rank == EXACT_TITLES else inf
        return (EXAMINED,) if enough > EXAMINED else (max(FEWEST, int(enough)), EXAMINED)

    async def _scan_rings(self, page: ResultPage, key: Key | None, before: int) -> Listing:
        """The same, ring by ring around the place."""
        edge = await distance.scan(
            self._fetch, self._search, page, key, before, all_ads=self._all_ads
        )
        if edge is None:
            is_all = key is None and page.missing > 0
            return page.found(before, edge=None, total=page.matches if is_all else None)
        total, complete = await self._fall_back(page, BEGUN_WORDS, edge)
        return page.found(before, edge=None if complete else edge, total=total)

    async def _fall_back(self, page: ResultPage, rank: int, edge: Key) -> tuple[int | None, bool]:
        """Returns the total of matches, if it is known, and whether the rank is complete."""
        for path in self._fallback_paths(rank):
            row = await self._fetch_all(page, path, rank, edge)
            if row is not None:
                return None if path is AccessPath.TITLES else row["total"], True
        return None, False

    @property
    def _whole_words_are_few(self) -> bool:
        """Whether ads in which the last word is a whole one are read at once.

        Many fill a page.
        """
        words, entries = self._search.words, self._entries
        if not self._search.by_relevance or not (words and words.has_beginning) or entries is None:
            return False
        # What the statistics do not name has at most so many.
        return entries.whole.read <= MOST_OF_RARE

    def _titles_are_few(self, rank: int) -> bool:
        """Whether to read all ads with the words in their titles costs less than a scan.

        Where something else is searched for as well, a scan seldom fills the page.
        """
        most = EXAMINED / 2 if self._ads == AdFilter(terms=self._ads.terms) else EXAMINED
        return self._all_ads > EXAMINED and self._titles(rank).read <= most

    def _titles(self, rank: int) -> Entries:
        """What the index of titles has for the rank."""
        if rank not in IN_TITLES or not self._search.by_relevance or self._entries is None:
            return Entries(inf, inf)
        return self._entries.titles if rank in BEGUN else self._entries.whole_titles

    async def _fetch_all(
        self, page: ResultPage, path: AccessPath, rank: int, key: Key | None
    ) -> Row | None:
        """None if the path has too many ads; then nothing is added to the page."""
        if path is AccessPath.WIDE_PLACE and self._ads.only_place and self._search.by_ids:
            query = newest_sql(self._search, key, page.missing)
        else:
            query = fetch_sql(self._search, path, rank, key, page.missing)
        [row] = await self._fetch(query)
        if not row["complete"]:
            return None
        self._titles_are_read |= path is AccessPath.TITLES and rank == EXACT_TITLES
        page.add(row, self._search)
        return row

    async def _fetch(self, query: Query) -> Sequence[Row]:
        return await self._reader.fetch(query.sql, *query.values)
