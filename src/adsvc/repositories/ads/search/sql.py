"""The SQL of searches for words: each statement looks at a bounded number of ads.

Which of them suits a search is decided in `adsvc.repositories.ads.search`.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from adsvc.repositories.ads.filter import AdFilter
from adsvc.repositories.ads.listing_sql import grouped_sql, record_of, restrictions, table_sql
from adsvc.repositories.ads.order import Key, Order, Sort, SortColumn, order_of
from adsvc.repositories.ads.projection import In, columns_sql, record_sql
from adsvc.repositories.ads.terms import Parameters, Terms, words

# So many ads one statement looks at: in order, by a filter, or by the word index.
EXAMINED = 4000

TITLES, OTHERS = 0, 1


class Search(NamedTuple):
    """What is looked for, and in which order."""

    ads: AdFilter
    terms: Terms
    sort: Sort

    @property
    def order(self) -> Order:
        return order_of(self.ads, self.sort)

    @property
    def key(self) -> Order:
        """The order of all matches, wherever they are found."""
        first = (SortColumn("place"),) if self.by_relevance else ()
        return Order((*first, *self.order.columns))

    @property
    def record(self) -> In:
        return record_of(self.ads)

    @property
    def columns(self) -> str:
        return columns_sql(self.record)

    @property
    def by_relevance(self) -> bool:
        return self.sort is Sort.RELEVANCE


class Statement(NamedTuple):
    sql: str
    values: Sequence[object]


class Source(StrEnum):
    """Where matches are taken from."""

    FILTER = "filter"
    WORDS = "words"
    TITLES = "titles"


def walk_sql(search: Search, place: int, key: Key | None, rows: int) -> Statement:
    """The next matches, of one place of relevance, among the next `EXAMINED` ads in order.

    Also how many they are, and the key of the last ad looked at if more follow (`edge`).
    """
    parameters, order = Parameters(), search.order
    near = _near_sql(search, place, key, parameters)
    page = f"""
        SELECT {place} AS place, {search.columns}
        FROM near WHERE fits ORDER BY {order.by} LIMIT {rows}
    """
    edge = ", ".join(column.as_json for column in order.columns)
    return Statement(
        f"""
        WITH near AS MATERIALIZED ({near})
        SELECT {_arrays(search)}, (SELECT count(*) FROM near WHERE fits) AS matches,
            (
                SELECT json_build_array({edge})::text
                FROM near ORDER BY {order.by} OFFSET {EXAMINED - 1}
            ) AS edge
        FROM ({record_sql(page, search.key.names, search.record)}) AS page
        """,
        parameters.values,
    )


def gather_sql(search: Search, source: Source, place: int, key: Key | None, rows: int) -> Statement:
    """The matches beyond a place and key, of all that the source has (if `complete`)."""
    parameters, order = Parameters(), search.order
    far = _far_sql(search, source, parameters)
    beyond = order.beyond(key, parameters) if key else "TRUE"
    if search.by_relevance:
        first = f"{parameters.add(place)}::int"
        beyond = f"(place > {first} OR place = {first} AND {beyond})"
    page = f"""
        SELECT place, {search.columns} FROM far WHERE fits AND {beyond}
        ORDER BY place, {order.by} LIMIT {rows}
    """
    return Statement(
        f"""
        WITH {far}
        SELECT {_arrays(search)}, (SELECT complete FROM told) AS complete,
            (SELECT count(*) FROM far WHERE fits) AS total,
            (SELECT count(*) FROM far WHERE fits AND {beyond}) AS matches
        FROM ({record_sql(page, search.key.names, search.record)}) AS page
        """,
        parameters.values,
    )


def facets_sql(
    search: Search, source: Source | None, bands: Sequence[int], bound: int
) -> Statement:
    """The newest matches of the source, or of the next ads without one, by price and month."""
    parameters = Parameters()
    if source is None:
        near = _near_sql(search, TITLES, None, parameters)
        ctes = f"""
            far AS MATERIALIZED ({near}),
            told AS (SELECT count(*) < {EXAMINED} AS complete FROM far)
        """
    else:
        ctes = _far_sql(search, source, parameters)
    edges = parameters.add(list(bands))
    return Statement(
        f"""
        WITH {ctes}, newest AS MATERIALIZED (
            SELECT price, created_at FROM far WHERE fits ORDER BY id DESC LIMIT {bound}
        )
        SELECT complete, (SELECT count(*) FROM far WHERE fits) > {bound} AS more, (
            SELECT json_agg(counted)::text FROM ({grouped_sql("newest", edges)}) AS counted
        ) AS groups
        FROM told
        """,
        parameters.values,
    )


def _near_sql(search: Search, place: int, key: Key | None, parameters: Parameters) -> str:
    """The next ads in order, and whether each of them matches."""
    order = search.order
    bounds: list[str] = []
    others: list[str] = []
    for column, condition in restrictions(search.ads, parameters):
        # An author's ads have an index in the order of ids; prices and times are orders.
        leads = column == order.names[0] or (column == "author_id" and order.names == ("id",))
        (bounds if leads else others).append(condition)
    if key is not None:
        bounds.append(order.beyond(key, parameters))
    where = f"WHERE {' AND '.join(bounds)}" if bounds else ""
    query = words(search.terms, parameters)
    fits = [*others, f"search @@ {query}"]
    if search.by_relevance:
        in_title = f"title_search @@ {query}"
        fits.append(in_title if place == TITLES else f"NOT {in_title}")
    return f"""
        SELECT {search.columns}, ({" AND ".join(fits)}) AS fits
        FROM {table_sql(search.ads, parameters)} {where} ORDER BY {order.by} LIMIT {EXAMINED}
    """


def _far_sql(search: Search, source: Source, parameters: Parameters) -> str:
    """What the source has, whether it matches, and whether it is `complete`.

    Only what is found there is looked at, so that `LIMIT` bounds both.
    """
    query = words(search.terms, parameters)
    filters = [restriction.sql for restriction in restrictions(search.ads, parameters)]
    in_title, anywhere = f"title_search @@ {query}", f"search @@ {query}"
    ctes, complete = "", f"(SELECT count(*) FROM far) <= {EXAMINED}"
    match source:
        case Source.FILTER:
            found, fits = " AND ".join(filters), [anywhere]
            # Counted first, which the index of the filter is enough for.
            ctes = f"""
                few AS MATERIALIZED (
                    SELECT count(*) <= {EXAMINED} AS complete
                    FROM (SELECT FROM ads WHERE {found} LIMIT {EXAMINED + 1}) AS counted
                ),
            """
            complete = "(SELECT complete FROM few)"
            found = f"{found} AND {complete}"
        case Source.WORDS:
            found, fits = anywhere, filters
        case Source.TITLES:
            found, fits = in_title, [*filters, anywhere]
    place = f"CASE WHEN {in_title} THEN {TITLES} ELSE {OTHERS} END"
    return f"""
        {ctes} far AS MATERIALIZED (
            SELECT {search.columns}, ({" AND ".join(fits) or "TRUE"}) AS fits,
                {place if search.by_relevance else TITLES} AS place
            FROM {table_sql(search.ads, parameters)} WHERE {found} LIMIT {EXAMINED + 1}
        ), told AS (SELECT {complete} AS complete)
    """


def _arrays(search: Search) -> str:
    """In columns, not rows, of which asyncpg makes an object each."""
    columns = ("record", *search.key.names)
    return ", ".join(f"array_agg({column}) AS {column}" for column in columns)
