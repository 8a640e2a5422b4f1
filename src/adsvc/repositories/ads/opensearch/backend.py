"""`SearchBackend` by OpenSearch, with PostgreSQL for the truth.

The index finds the ids of a page. PostgreSQL has their records, by a statement that checks all
conditions once more, so an index that is late shows nothing that must not be seen. Ads that have
changed since the index was written are not looked for in it but in PostgreSQL, so what was
committed is found at once.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum, auto
from typing import Any, NamedTuple, TypeVar

from adsvc.kit.counters import SearchCounts
from adsvc.kit.db.statements import Statements
from adsvc.kit.observability.logging import CountedWarning
from adsvc.repositories.ads.criteria import AdFilter, Key, Sort
from adsvc.repositories.ads.facets import CellRequest, FacetRequest, Facets
from adsvc.repositories.ads.listing import Listing, conditions_sql, table_sql
from adsvc.repositories.ads.opensearch import counting, index, queries
from adsvc.repositories.ads.opensearch.cluster import (
    ClusterRefusedError,
    ClusterUnavailableError,
    SearchCluster,
)
from adsvc.repositories.ads.opensearch.index import IndexState
from adsvc.repositories.ads.projection import record_sql
from adsvc.repositories.ads.search import repository as postgres
from adsvc.repositories.ads.search.planner import IndexPlan
from adsvc.repositories.ads.search.statements import (
    Query,
    ResultPage,
    Search,
    arrays_sql,
    query_sql,
)
from adsvc.repositories.ads.search.words import queries_of
from adsvc.repositories.ads.search_words import Parameters

refused = CountedWarning(logging.getLogger("adsvc.search"), "The search engine refused: %s")

# A node that is slow answers with what it has found by then, which is not enough.
NODE_SECONDS = "800ms"
# Of a search, with all nodes that it is sent to. Then PostgreSQL answers.
SEARCH_SECONDS = 1.0

Answer = TypeVar("Answer")


class Fallback(Enum):
    """Why PostgreSQL answers: the engine never does, or it should have."""

    CHOSEN = auto()
    FORCED = auto()


class OpenSearch:
    """What it cannot answer PostgreSQL does: other orders, phrases, and all while it is away."""

    def __init__(self, cluster: SearchCluster, counts: SearchCounts) -> None:
        self._cluster = cluster
        self._counts = counts

    async def page(
        self, db: Statements, ads: AdFilter, sort: Sort, limit: int, after: Key | None, bound: int
    ) -> Listing:
        async def find(run: "_Run") -> Listing:
            return await run.page(limit, after, bound)

        found = await self._answer(db, ads, sort, find)
        if isinstance(found, Listing):
            return found
        bounded = await postgres.page(db, ads, sort, limit, after, bound)
        return replace(bounded, is_partial=found is Fallback.FORCED)

    async def facets(
        self, db: Statements, ads: AdFilter, counted: FacetRequest, bound: int
    ) -> Facets:
        async def count(run: "_Run") -> Facets:
            return await run.facets(counted)

        found = await self._answer(db, ads, Sort.NEWEST, count)
        if isinstance(found, Facets):
            return found
        return await postgres.facets(db, ads, counted, bound)

    async def cells(
        self, db: Statements, ads: AdFilter, cells: CellRequest, bound: int
    ) -> tuple[str, bool]:
        return await postgres.cells(db, ads, cells, bound)

    async def _answer(
        self, db: Statements, ads: AdFilter, sort: Sort, find: Callable[["_Run"], Awaitable[Answer]]
    ) -> Answer | Fallback:
        if not queries.can_answer(ads, sort):
            return Fallback.CHOSEN
        words = None
        if ads.terms is not None:
            words = (await queries_of(db, [ads.terms]))[ads.terms]
        if not queries.can_find(words):
            return Fallback.CHOSEN
        try:
            if self._cluster.is_open:
                # For the one request that looks whether it is back.
                await self._cluster.request("GET", "/")
            state = await index.state(db)
            if not state.is_usable:
                self._counts.behind += 1
                return Fallback.FORCED
            answer = await find(_Run(db, self._cluster, state, Search(ads, words, sort, NO_PLAN)))
        except ClusterUnavailableError:
            self._counts.away += 1
            return Fallback.FORCED
        except ClusterRefusedError as error:
            refused.note(str(error))
            self._counts.away += 1
            return Fallback.FORCED
        self._counts.answered += 1
        return answer


NO_PLAN = IndexPlan()


@contextmanager
def _answer_expected() -> Iterator[None]:
    """Around the reading of an answer: what is no OpenSearch may send JSON too."""
    try:
        yield
    except (LookupError, TypeError, ValueError) as error:
        raise ClusterUnavailableError("the answer is none to a search") from error


class _Found(NamedTuple):
    """The keys of what the index has found, and how many matches it has."""

    keys: Sequence[Key]
    total: int
    exact: bool


class _Run:
    """One search: its filter without the ads that the index does not have as they are."""

    def __init__(
        self, db: Statements, cluster: SearchCluster, state: IndexState, search: Search
    ) -> None:
        self._db = db
        self._cluster = cluster
        self._state = state
        self._search = search
        self._words = None if search.words is None else queries.WordMatcher(search.words)

    async def page(self, limit: int, after: Key | None, bound: int) -> Listing:
        *key, before = after or [0]
        rank = int(key.pop(0)) if key and self._search.by_relevance else None
        found = await self._find(limit + 1, rank, key or None, bound + 1)
        # More may follow what was found: what has changed and comes after it is of the next page.
        until = found.keys[-1] if len(found.keys) > limit else None
        ids = [int(key[-1]) for key in found.keys]
        query = self._page_sql(ids, rank or 0, key or None, until, limit + 1)
        [row] = await self._db.fetch(query.sql, *query.values)
        page = ResultPage(limit)
        page.add(row, self._search)
        total = found.total + row["changed"]
        listing = page.found(int(before), edge=until, total=total)
        return listing if found.exact else replace(listing, count_exact=False)

    async def facets(self, counted: FacetRequest) -> Facets:
        parameters = Parameters()
        conditions = self._conditions(self._state.changed, parameters)
        rows = await self._db.fetch(
            f"SELECT {counting.COLUMNS} FROM ads WHERE {conditions}",
            *parameters.values,
        )
        found = await self._aggregate(counting.aggregations(counted))
        with _answer_expected():
            counts = counting.FacetCounts(counted, found, rows)
        bands = counts.aggregations_of_bands
        more = await self._aggregate(bands) if bands else {}
        with _answer_expected():
            return counts.facets(more)

    async def _find(self, size: int, rank: int | None, key: Key | None, most: int) -> _Found:
        by_rank = self._search.by_relevance
        body = {
            "query": self._query(by_rank=by_rank),
            "sort": queries.sort_of(self._search.order, by_rank=by_rank),
            "size": size,
            "track_total_hits": most,
        }
        if key is not None:
            body["search_after"] = queries.search_after(rank, key)
        found = await self._send(body)
        with _answer_expected():
            hits, total = found["hits"]["hits"], found["hits"]["total"]
            keys = [queries.key_of(hit["sort"], by_rank=by_rank) for hit in hits]
            return _Found(keys, int(total["value"]), total["relation"] == "eq")

    async def _aggregate(self, aggregations: dict[str, object]) -> counting.Aggregations:
        body = {"query": self._query(by_rank=False), "size": 0, "aggs": aggregations}
        found = await self._send(body)
        with _answer_expected():
            counted: counting.Aggregations = found["aggregations"]
        return counted

    async def _send(self, body: dict[str, object]) -> Any:  # noqa: ANN401 - JSON
        path = f"/{self._state.alias}/_search"
        found = await self._cluster.request(
            "POST", path, {**body, "_source": False, "timeout": NODE_SECONDS}
        )
        with _answer_expected():
            is_whole = not (found["timed_out"] or found["_shards"]["failed"])
        if not is_whole:
            raise ClusterUnavailableError("not all shards answered")
        return found

    def _query(self, *, by_rank: bool) -> queries.Query:
        query = queries.filter_query(self._search.ads, self._state.changed)
        if self._words is None:
            return query
        if by_rank:
            return {"bool": {"must": [self._words.by_rank], "filter": [query]}}
        return {"bool": {"filter": [self._words.matching, query]}}

    def _conditions(self, ids: Sequence[int], parameters: Parameters) -> str:
        """All conditions, of these ads."""
        conditions = [
            f"id = ANY({parameters.add(list(ids))}::bigint[])",
            conditions_sql(self._search.ads, parameters),
        ]
        if self._search.words is not None:
            conditions.append(f"search @@ {query_sql(self._search.words.begun, parameters)}")
        return " AND ".join(conditions)

    def _page_sql(
        self, ids: Sequence[int], rank: int, key: Key | None, until: Key | None, rows: int
    ) -> Query:
        """Those that match of these ads and of the changed ones, in order, from one to another."""
        parameters, search, changed = Parameters(), self._search, self._state.changed
        conditions = self._conditions([*ids, *changed], parameters)
        within = [] if key is None else [self._beyond(rank, key, parameters)]
        if until is not None:
            last = [*until]
            here = int(last.pop(0)) if search.by_relevance else 0
            within.append(f"NOT {self._beyond(here, last, parameters)}")
        page = f"""
            SELECT rank, {search.columns} FROM found WHERE {" AND ".join(within) or "TRUE"}
            ORDER BY rank, {search.order.by} LIMIT {rows}
        """
        return Query(
            f"""
            WITH found AS MATERIALIZED (
                SELECT {search.columns}, {search.rank_sql(parameters)} AS rank
                FROM {table_sql(search.ads, parameters)} WHERE {conditions}
            )
            SELECT {arrays_sql(search)}, 0 AS matches, (
                SELECT count(*) FROM found
                WHERE id = ANY({parameters.add(list(changed))}::bigint[])
            ) AS changed
            FROM ({record_sql(page, search.key.of_page, search.record)}) AS page
            """,
            parameters.values,
        )

    def _beyond(self, rank: int, key: Key, parameters: Parameters) -> str:
        beyond = self._search.order.beyond(key, parameters)
        if not self._search.by_relevance:
            return beyond
        here = f"{parameters.add(rank)}::int"
        return f"(rank > {here} OR rank = {here} AND {beyond})"
