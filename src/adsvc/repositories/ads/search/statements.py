"""The statements of searches, one for each access path."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

from adsvc.kit.db.statements import Row
from adsvc.repositories.ads.criteria import AdFilter, Key, Order, Sort, SortColumn, order_of
from adsvc.repositories.ads.facets import CellRequest, FacetRequest
from adsvc.repositories.ads.listing import (
    VALID_SECONDS,
    Listing,
    index_order,
    record_of,
    restrictions,
    shown_sql,
    table_sql,
)
from adsvc.repositories.ads.places import each_of, placed_sql
from adsvc.repositories.ads.projection import RecordKind, columns_sql, record_sql
from adsvc.repositories.ads.search.planner import IndexPlan, tsquery
from adsvc.repositories.ads.search.words import WordQuery
from adsvc.repositories.ads.search_words import Parameters


class Search(NamedTuple):
    """A search: its filter, its words, its order and its plan."""

    ads: AdFilter
    words: WordQuery | None
    sort: Sort
    plan: IndexPlan
    # Set if the matches are counted and not shown.
    counted: FacetRequest | CellRequest | None = None

    @property
    def order(self) -> Order:
        return order_of(self.ads, self.sort)

    @property
    def key(self) -> Order:
        """The order of all matches."""
        first = (SortColumn("rank"),) if self.by_relevance else ()
        return Order((*first, *self.order.columns))

    @property
    def record(self) -> RecordKind:
        return record_of(self.ads)

    @property
    def columns(self) -> str:
        shown = columns_sql(self.record)
        return shown if self.counted is None else f"id, {self.counted.columns}"

    @property
    def by_ids(self) -> bool:
        return self.order.names == ("id",)

    @property
    def by_relevance(self) -> bool:
        return self.sort is Sort.RELEVANCE

    @property
    def ranks(self) -> range:
        """Those that matches may have."""
        if not self.by_relevance or self.words is None or not self.words.words:
            # An excluded word that is missing everywhere is missing in titles too.
            return range(EXACT_TITLES, TITLES)
        return range(EXACT_TITLES, RANKS if self.words.has_beginning else BEGUN_TITLES)

    def of_rank(self, rank: int, parameters: Parameters) -> list[str]:
        """The conditions for that rank."""
        if self.words is None:
            return []
        complete = self.by_relevance and rank not in BEGUN
        query = query_sql(self.words.whole if complete else self.words.begun, parameters)
        found = [f"search @@ {query}"]
        if self.by_relevance and self.words.words:
            if rank != EXACT_TITLES:
                found.append(f"{'' if rank in IN_TITLES else 'NOT '}title_search @@ {query}")
            if rank in {EXACT_TITLES, TITLES}:
                exact = query_sql(self.words.exact, parameters)
                found.append(f"{'' if rank == EXACT_TITLES else 'NOT '}title_search @@ {exact}")
            if not complete:
                found.append(f"NOT search @@ {query_sql(self.words.whole, parameters)}")
        return found

    def rank_sql(self, parameters: Parameters) -> str:
        """The rank of a match."""
        if self.words is None or not self.words.words or not self.by_relevance:
            return str(EXACT_TITLES)
        whole = query_sql(self.words.whole, parameters)
        exact = query_sql(self.words.exact, parameters)
        complete = f"""
            CASE WHEN title_search @@ {exact} THEN {EXACT_TITLES}
            WHEN title_search @@ {whole} THEN {TITLES} ELSE {WORDS} END
        """
        if not self.words.has_beginning:
            return complete
        begun = query_sql(self.words.begun, parameters)
        return f"""
            CASE WHEN search @@ {whole} THEN {complete}
            WHEN title_search @@ {begun} THEN {BEGUN_TITLES} ELSE {BEGUN_WORDS} END
        """


def query_sql(query: str, parameters: Parameters) -> str:
    return f"{parameters.add(query)}::tsquery"


class Query(NamedTuple):
    sql: str
    values: Sequence[object]


@dataclass
class ResultPage:
    """What has been found of a page, and of the matches after its beginning."""

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
        """How many are missing: one more than the limit shows whether a page follows."""
        return self.room + 1 - len(self.records)

    def found(self, before: int, *, edge: Key | None, total: int | None) -> Listing:
        """The listing. Its next key ends with the number of matches so far, to go on counting."""
        next_key = edge
        if self.missing <= 0:
            next_key = self.keys[self.room - 1]
        records = self.records[: self.room]
        if next_key is not None:
            next_key = [*next_key, before + len(records)]
        count = before + self.matches if total is None else total
        exact = total is not None
        # The id is the last part of each key.
        ids = [int(key[-1]) for key in self.keys[: self.room]]
        return Listing(
            ids, records, next_key, count, count_exact=exact, valid_seconds=self.valid_seconds
        )


class AccessPath(StrEnum):
    """Where matches are read from."""

    # By price, time or author, which have their own indexes.
    FILTER = "filter"
    # By words and terms of attributes.
    INDEX = "index"
    TITLES = "titles"
    # By words of which the last one is complete.
    WHOLE = "whole"
    # A circle or a box.
    PLACE = "place"
    # The same, with more ads in it.
    WIDE_PLACE = "wide place"


# The most ads that one statement reads in order, by a filter, or by the index of words.
EXAMINED = 4000

# By place, if reading that many of the next in order did not suffice.
EXAMINED_BY_PLACE = 8000

# The ranks of `relevance`: a whole word goes before one that only begins so, then titles go before
# everything else, then titles in the spelling of the query.
RANKS = 5
EXACT_TITLES, TITLES, WORDS, BEGUN_TITLES, BEGUN_WORDS = range(RANKS)
BEGUN, IN_TITLES = (BEGUN_TITLES, BEGUN_WORDS), (EXACT_TITLES, TITLES, BEGUN_TITLES)


def _most(path: AccessPath) -> int:
    """How many ads of the path are read."""
    return EXAMINED_BY_PLACE if path is AccessPath.WIDE_PLACE else EXAMINED


def scan_sql(
    search: Search, rank: int, key: Key | None, rows: int, examined: int = EXAMINED
) -> Query:
    """The next matches of one rank, among the next `examined` ads in order.

    Also their number, and the key of the last ad read if more follow (`edge`).
    """
    parameters, order = Parameters(), search.order
    near = _near_sql(search, rank, key, parameters, examined)
    page = f"""
        SELECT {rank} AS rank, {search.columns}
        FROM near WHERE fits ORDER BY {order.by} LIMIT {rows}
    """
    edge = ", ".join(column.as_json for column in order.columns)
    return Query(
        f"""
        WITH near AS MATERIALIZED ({near})
        SELECT {arrays_sql(search)}, (SELECT count(*) FROM near WHERE fits) AS matches,
            (
                SELECT json_build_array({edge})::text
                FROM near ORDER BY {order.by} OFFSET {examined - 1}
            ) AS edge
        FROM ({record_sql(page, search.key.of_page, search.record)}) AS page
        """,
        parameters.values,
    )


def fetch_sql(search: Search, path: AccessPath, rank: int, key: Key | None, rows: int) -> Query:
    """The matches after a rank and key, of all that the path has (if `complete`)."""
    parameters, order = Parameters(), search.order
    far = _far_sql(search, path, parameters, rank)
    beyond = order.beyond(key, parameters) if key else "TRUE"
    if search.by_relevance:
        first = f"{parameters.add(rank)}::int"
        beyond = f"(rank > {first} OR rank = {first} AND {beyond})"
    page = f"""
        SELECT rank, {search.columns} FROM far WHERE fits AND {beyond}
        ORDER BY rank, {order.by} LIMIT {rows}
    """
    return Query(
        f"""
        WITH {far}
        SELECT {arrays_sql(search)}, (SELECT complete FROM known) AS complete,
            (SELECT count(*) FROM far WHERE fits) AS total,
            (SELECT count(*) FROM far WHERE fits AND {beyond}) AS matches
        FROM ({record_sql(page, search.key.of_page, search.record)}) AS page
        """,
        parameters.values,
    )


def counts_sql(
    search: Search, path: AccessPath | None, counted: FacetRequest | CellRequest, bound: int
) -> Query:
    """Facets of the newest matches of the path or, without one, of the next ads."""
    parameters = Parameters()
    search = search._replace(counted=counted)
    if path is None:
        near = _near_sql(search, EXACT_TITLES, None, parameters, EXAMINED)
        ctes = f"""
            far AS MATERIALIZED ({near}),
            known AS (SELECT count(*) < {EXAMINED} AS complete FROM far)
        """
    else:
        ctes = _far_sql(search, path, parameters)
    return Query(
        f"""
        WITH {ctes}, newest AS MATERIALIZED (
            SELECT id, {counted.columns} FROM far WHERE fits ORDER BY id DESC LIMIT {bound}
        )
        SELECT complete, (SELECT count(*) FROM far WHERE fits) > {bound} AS more,
            {counted.sql("newest", parameters)} AS counts
        FROM known
        """,
        parameters.values,
    )


def _near_sql(
    search: Search, rank: int, key: Key | None, parameters: Parameters, examined: int
) -> str:
    """The next ads in order, and whether each of them matches."""
    order = search.order
    bounds: list[str] = []
    fits: list[str] = []
    for column, condition, _ in restrictions(search.ads, parameters):
        # An author's ads have an index by id; prices and times are orders themselves.
        leads = column == order.values[0] or (column == "author_id" and order.names == ("id",))
        (bounds if leads else fits).append(condition)
    if key is not None:
        bounds.append(order.beyond(key, parameters))
    # The indexes of that order have only shown ads.
    bounds.append(shown_sql(search.ads, parameters))
    fits += search.of_rank(rank, parameters)
    return f"""
        SELECT {search.columns}, ({" AND ".join(fits) or "TRUE"}) AS fits
        FROM {table_sql(search.ads, parameters)} WHERE {" AND ".join(bounds)}
        ORDER BY {order.by} LIMIT {examined}
    """


class _Conditions(NamedTuple):
    """The conditions by which an index finds ads, and those to check for each ad found."""

    found: list[str]
    fits: list[str]


def _conditions(search: Search, path: AccessPath, parameters: Parameters, rank: int) -> _Conditions:
    if path in {AccessPath.PLACE, AccessPath.WIDE_PLACE}:
        return _Conditions(["TRUE"], [fits_sql(search, parameters)])
    everything = restrictions(search.ads, parameters)
    shown = shown_sql(search.ads, parameters)
    fits = [*(restriction.sql for restriction in everything), shown]
    searched = []
    query = "NULL"
    if search.words is not None:
        complete = path is AccessPath.WHOLE or (path is AccessPath.TITLES and rank not in BEGUN)
        query = query_sql(search.words.whole if complete else search.words.begun, parameters)
        searched = [f"search @@ {query}"]
    match path:
        case AccessPath.FILTER:
            found = [restriction.sql for restriction in everything if restriction.indexed]
            others = [restriction.sql for restriction in everything if not restriction.indexed]
            return _Conditions([*found, shown], [*others, *searched])
        case AccessPath.INDEX:
            # Each is its own key, which costs the index less than one key for all of them.
            found = [
                f"search @@ {query_sql(tsquery(group), parameters)}" for group in search.plan.groups
            ]
            if search.plan.with_words:
                return _Conditions([*found, *searched], fits)
            return _Conditions(found, [*fits, *searched])
        case AccessPath.WHOLE:
            return _Conditions(searched, fits)
        case AccessPath.TITLES:
            return _Conditions([f"title_search @@ {query}"], [*fits, *searched])
        case _:
            raise AssertionError


def _far_sql(
    search: Search,
    path: AccessPath,
    parameters: Parameters,
    rank: int = EXACT_TITLES,
) -> str:
    """The ads of the path, whether each matches, and whether these are all (`complete`).

    Only these are read, so that `LIMIT` bounds both steps.
    """
    conditions = _conditions(search, path, parameters, rank)
    found, fits = " AND ".join(conditions.found), " AND ".join(conditions.fits) or "TRUE"
    ctes, complete = "", f"(SELECT count(*) FROM far) <= {EXAMINED}"
    order = ""
    table = table_sql(search.ads, parameters)
    if path in {AccessPath.PLACE, AccessPath.WIDE_PLACE}:
        # The index alone has the answer.
        placed = placed_sql(search.ads.near, search.ads.box, _most(path) + 1, parameters)
        ctes = f"placed AS MATERIALIZED ({placed}),"
        complete = f"(SELECT count(*) FROM placed) <= {_most(path)}"
        table = each_of(f"(SELECT placed FROM placed WHERE {complete}) AS here", "placed", table)
    if path is AccessPath.FILTER:
        order = index_order(search.ads)
        # Counted first, by the filter's index alone.
        ctes = f"""
            few AS MATERIALIZED (
                SELECT count(*) <= {EXAMINED} AS complete
                FROM (
                    SELECT FROM ads WHERE {found} {order} LIMIT {EXAMINED + 1}
                ) AS counted
            ),
        """
        complete = "(SELECT complete FROM few)"
        found = f"{found} AND {complete}"
    return f"""
        {ctes} far AS MATERIALIZED (
            SELECT {search.columns}, ({fits}) AS fits, {search.rank_sql(parameters)} AS rank
            FROM {table} WHERE {found} {order} LIMIT {_most(path) + 1}
        ), known AS (SELECT {complete} AS complete)
    """


def arrays_sql(search: Search) -> str:
    """Arrays, because asyncpg makes an object for each row."""
    columns = ("record", *search.key.names)
    return ", ".join([*(f"array_agg({column}) AS {column}" for column in columns), VALID_SECONDS])


def fits_sql(search: Search, parameters: Parameters) -> str:
    """All conditions without the place."""
    others = replace(search.ads, near=None, box=None)
    found = [restriction.sql for restriction in restrictions(others, parameters)]
    if search.words is not None:
        found.append(f"search @@ {query_sql(search.words.begun, parameters)}")
    return " AND ".join(found) or "TRUE"
