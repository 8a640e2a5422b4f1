"""The statements of searches, one for each access path."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

from adsvc.db.pools import Row
from adsvc.repositories.ads.criteria import AdFilter, Key, Order, Sort, SortColumn, order_of
from adsvc.repositories.ads.facets import FacetRequest, facets_sql
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
from adsvc.repositories.ads.terms import Parameters, Terms, words


class Search(NamedTuple):
    """What is looked for, and in which order."""

    ads: AdFilter
    sort: Sort
    plan: IndexPlan
    # If the matches are to be counted, and not shown.
    counted: FacetRequest | None = None

    @property
    def terms(self) -> Terms | None:
        return self.ads.terms

    @property
    def order(self) -> Order:
        return order_of(self.ads, self.sort)

    @property
    def key(self) -> Order:
        """The order of all matches, wherever they are found."""
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


class Query(NamedTuple):
    sql: str
    values: Sequence[object]


@dataclass
class ResultPage:
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
        """One more than there is room for says that there is a next page."""
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


class AccessPath(StrEnum):
    """Where matches are read from."""

    # Prices, times and authors, which have indexes of their own.
    FILTER = "filter"
    # Words, and terms of attributes.
    INDEX = "index"
    TITLES = "titles"
    # A circle or a box.
    PLACE = "place"
    # The same, with more ads in it.
    WIDE_PLACE = "wide place"


# So many ads one statement looks at: in order, by a filter, or by the word index.
EXAMINED = 4000

# By place, where looking at so many of the next in order was not enough.
EXAMINED_AROUND = 8000

TITLES, OTHERS = 0, 1


def _most(path: AccessPath) -> int:
    """How many ads of it are read."""
    return EXAMINED_AROUND if path is AccessPath.WIDE_PLACE else EXAMINED


def scan_sql(
    search: Search, place: int, key: Key | None, rows: int, examined: int = EXAMINED
) -> Query:
    """The next matches, of one place of relevance, among the next `examined` ads in order.

    Also how many they are, and the key of the last ad looked at if more follow (`edge`).
    """
    parameters, order = Parameters(), search.order
    near = _near_sql(search, place, key, parameters, examined)
    page = f"""
        SELECT {place} AS rank, {search.columns}
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
        FROM ({record_sql(page, search.key.names, search.record)}) AS page
        """,
        parameters.values,
    )


def fetch_sql(search: Search, path: AccessPath, place: int, key: Key | None, rows: int) -> Query:
    """The matches beyond a place and key, of all that the source has (if `complete`)."""
    parameters, order = Parameters(), search.order
    far = _far_sql(search, path, parameters)
    beyond = order.beyond(key, parameters) if key else "TRUE"
    if search.by_relevance:
        first = f"{parameters.add(place)}::int"
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
        FROM ({record_sql(page, search.key.names, search.record)}) AS page
        """,
        parameters.values,
    )


def counts_sql(search: Search, path: AccessPath | None, counted: FacetRequest, bound: int) -> Query:
    """How the newest matches of the source spread, or those of the next ads without one."""
    parameters = Parameters()
    search = search._replace(counted=counted)
    if path is None:
        near = _near_sql(search, TITLES, None, parameters, EXAMINED)
        ctes = f"""
            far AS MATERIALIZED ({near}),
            known AS (SELECT count(*) < {EXAMINED} AS complete FROM far)
        """
    else:
        ctes = _far_sql(search, path, parameters)
    return Query(
        f"""
        WITH {ctes}, newest AS MATERIALIZED (
            SELECT {counted.columns} FROM far WHERE fits ORDER BY id DESC LIMIT {bound}
        )
        SELECT complete, (SELECT count(*) FROM far WHERE fits) > {bound} AS more,
            {facets_sql("newest", counted, parameters)} AS facets
        FROM known
        """,
        parameters.values,
    )


def _near_sql(
    search: Search, place: int, key: Key | None, parameters: Parameters, examined: int
) -> str:
    """The next ads in order, and whether each of them matches."""
    order = search.order
    bounds: list[str] = []
    fits: list[str] = []
    for column, condition, _ in restrictions(search.ads, parameters):
        # An author's ads have an index in the order of ids; prices and times are orders.
        leads = column == order.names[0] or (column == "author_id" and order.names == ("id",))
        (bounds if leads else fits).append(condition)
    if key is not None:
        bounds.append(order.beyond(key, parameters))
    # The indexes in that order have nothing else.
    bounds.append(shown_sql(search.ads, parameters))
    if search.terms is not None:
        query = words(search.terms, parameters)
        fits.append(f"search @@ {query}")
        if search.by_relevance:
            in_title = f"title_search @@ {query}"
            fits.append(in_title if place == TITLES else f"NOT {in_title}")
    return f"""
        SELECT {search.columns}, ({" AND ".join(fits) or "TRUE"}) AS fits
        FROM {table_sql(search.ads, parameters)} WHERE {" AND ".join(bounds)}
        ORDER BY {order.by} LIMIT {examined}
    """


class _Conditions(NamedTuple):
    """What finds ads by an index, and what has to be checked of each that is found."""

    found: list[str]
    fits: list[str]


def _conditions(search: Search, path: AccessPath, parameters: Parameters) -> _Conditions:
    if path in {AccessPath.PLACE, AccessPath.WIDE_PLACE}:
        return _Conditions(["TRUE"], [fits_sql(search, parameters)])
    everything = restrictions(search.ads, parameters)
    shown = shown_sql(search.ads, parameters)
    fits = [*(restriction.sql for restriction in everything), shown]
    searched = []
    in_title = "FALSE"
    if search.terms is not None:
        query = words(search.terms, parameters)
        searched, in_title = [f"search @@ {query}"], f"title_search @@ {query}"
    match path:
        case AccessPath.FILTER:
            found = [restriction.sql for restriction in everything if restriction.indexed]
            others = [restriction.sql for restriction in everything if not restriction.indexed]
            return _Conditions([*found, shown], [*others, *searched])
        case AccessPath.INDEX:
            # Each a key of its own, which costs the index less than one key with all of them.
            found = [
                f"search @@ {parameters.add(tsquery(group))}::tsquery"
                for group in search.plan.groups
            ]
            if search.plan.with_words:
                return _Conditions([*found, *searched], fits)
            return _Conditions(found, [*fits, *searched])
        case AccessPath.TITLES:
            return _Conditions([in_title], [*fits, *searched])
        case _:
            raise AssertionError


def _far_sql(search: Search, path: AccessPath, parameters: Parameters) -> str:
    """What the source has, whether it matches, and whether it is `complete`.

    Only what is found there is looked at, so that `LIMIT` bounds both.
    """
    conditions = _conditions(search, path, parameters)
    found, fits = " AND ".join(conditions.found), " AND ".join(conditions.fits) or "TRUE"
    ctes, complete = "", f"(SELECT count(*) FROM far) <= {EXAMINED}"
    order = ""
    table = table_sql(search.ads, parameters)
    if path in {AccessPath.PLACE, AccessPath.WIDE_PLACE}:
        # Told by the index alone.
        placed = placed_sql(search.ads.near, search.ads.box, _most(path) + 1, parameters)
        ctes = f"placed AS MATERIALIZED ({placed}),"
        complete = f"(SELECT count(*) FROM placed) <= {_most(path)}"
        table = each_of(f"(SELECT placed FROM placed WHERE {complete}) AS here", "placed", table)
    if path is AccessPath.FILTER:
        order = index_order(search.ads)
        # Counted first, which the index of the filter is enough for.
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
    place = str(TITLES)
    if search.terms is not None and search.by_relevance:
        in_title = f"title_search @@ {words(search.terms, parameters)}"
        place = f"CASE WHEN {in_title} THEN {TITLES} ELSE {OTHERS} END"
    return f"""
        {ctes} far AS MATERIALIZED (
            SELECT {search.columns}, ({fits}) AS fits, {place} AS rank
            FROM {table} WHERE {found} {order} LIMIT {_most(path) + 1}
        ), known AS (SELECT {complete} AS complete)
    """


def arrays_sql(search: Search) -> str:
    """In columns, as asyncpg makes an object of each row."""
    columns = ("record", *search.key.names)
    return ", ".join([*(f"array_agg({column}) AS {column}" for column in columns), VALID_SECONDS])


def fits_sql(search: Search, parameters: Parameters) -> str:
    """The conditions but for the place."""
    others = replace(search.ads, near=None, box=None)
    found = [restriction.sql for restriction in restrictions(others, parameters)]
    if search.terms is not None:
        found.append(f"search @@ {words(search.terms, parameters)}")
    return " AND ".join(found) or "TRUE"
