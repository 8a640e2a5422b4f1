"""The SQL of listings, put together from fragments; values are always parameters."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from adsvc.repositories.ad_filter import AdFilter, Sort
from adsvc.repositories.words_sql import Parameters, words
from adsvc.schemas.base import IMAGE_PATH

COLUMNS = "id, author_id, image, price, title, created_at, updated_at"
# So many of the newest ads are looked through for common words before the index is asked, which
# must visit every match: common words fill a page on the way, rare ones have few matches.
WINDOW = 4000
WINDOW_PER_ROW = 20
# Floating point does not hold every millisecond there is.
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


def total_sql(ads: AdFilter, bound: int, parameters: Parameters) -> str:
    """How many match: all ads, and those of one author, are counted beforehand."""
    if not ads.only_author:
        matching = where(ads, parameters)
        limit = parameters.add(bound + 1)
        return (
            f"SELECT count(*) AS total FROM (SELECT FROM ads {matching} LIMIT {limit}) AS counted"
        )
    total = "SELECT coalesce(sum(ads), 0)::bigint AS total FROM"
    if ads.author is None:
        return f"{total} ad_totals"
    return f"{total} author_ad_totals WHERE author_id = {parameters.add(ads.author)}"


def restrictions(ads: AdFilter, parameters: Parameters) -> list[str]:
    """All but the words."""
    pairs = (
        ("price >=", ads.min_price),
        ("price <=", ads.max_price),
        ("author_id =", ads.author),
        ("created_at >", ads.created_after),
        ("created_at <", ads.created_before),
    )
    return [f"{left} {parameters.add(value)}" for left, value in pairs if value is not None]


def where(ads: AdFilter, parameters: Parameters) -> str:
    conditions = restrictions(ads, parameters)
    if ads.terms:
        conditions.append(f"search @@ {words(ads.terms, parameters)}")
    return f"WHERE {' AND '.join(conditions)}" if conditions else ""


class Order(NamedTuple):
    """The columns of the sort key, the last of them unique, and the direction of all of them."""

    columns: tuple[str, ...]
    descending: bool

    @property
    def by(self) -> str:
        direction = " DESC" if self.descending else ""
        return ", ".join(f"{column}{direction}" for column in self.columns)

    def beyond(self, key: str) -> str:
        comparison = "<" if self.descending else ">"
        return f"({', '.join(self.columns)}) {comparison} ({key})"


def order_of(ads: AdFilter, sort: Sort) -> Order:
    """Ids follow the order of creation; the time itself is the key only where it is a filter."""
    if sort in {Sort.CHEAPEST, Sort.DEAREST}:
        return Order(("price", "id"), descending=sort is Sort.DEAREST)
    by_time = ads.created_after is not None or ads.created_before is not None
    columns = ("created_at", "id") if by_time else ("id",)
    return Order(columns, descending=sort is not Sort.OLDEST)


def listing_sql(
    ads: AdFilter, sort: Sort, rows: int, after: Sequence[int] | None, bound: int
) -> tuple[str, Sequence[object]]:
    """A page of records, their keys and how many there are in all: one row of arrays."""
    if ads.is_everything:
        return _everything_sql(sort, rows, paged=after is not None), after or ()
    return _listing_sql(ads, sort, rows, after, bound)


@lru_cache(maxsize=1024)
def _everything_sql(sort: Sort, rows: int, *, paged: bool) -> str:
    """What is asked for most is put together once. Its parameters are those of the key alone."""
    ads = AdFilter()
    key = [0] * len(order_of(ads, sort).columns) if paged else None
    return _listing_sql(ads, sort, rows, key, 0)[0]


def _listing_sql(
    ads: AdFilter, sort: Sort, rows: int, after: Sequence[int] | None, bound: int
) -> tuple[str, Sequence[object]]:
    parameters = Parameters()
    key = key_columns(ads, sort)
    page = record_sql(page_sql(ads, sort, rows, after, parameters), key)
    total = total_sql(ads, bound, parameters)
    # In columns, not rows, of which asyncpg makes an object each.
    columns = ", ".join(f"array_agg({column}) AS {column}" for column in ("record", *key))
    return f"SELECT {columns}, ({total}) AS total FROM ({page}) AS page", parameters.values


def page_sql(
    ads: AdFilter,
    sort: Sort,
    rows: int,
    after: Sequence[int] | None,
    parameters: Parameters,
) -> str:
    order = order_of(ads, sort)
    if ads.terms is None:
        conditions = restrictions(ads, parameters)
        if after:
            conditions.append(order.beyond(key_parameters(order, after, parameters)))
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        return f"SELECT {COLUMNS} FROM ads {where} ORDER BY {order.by} LIMIT {rows}"
    query = words(ads.terms, parameters)
    conditions = restrictions(ads, parameters)
    if sort is not Sort.RELEVANCE:
        key = key_parameters(order, after, parameters) if after else None
        branches = _search(order, [*conditions, f"search @@ {query}"], key, rows)
    else:
        branches = _by_relevance(order, conditions, query, rows, after, parameters)
    place = "place, " if sort is Sort.RELEVANCE else ""
    return f"SELECT {place}{COLUMNS} FROM ({branches}) AS found LIMIT {rows}"


def record_sql(page: str, key: Sequence[str]) -> str:
    """The rows of a page as records of the interface (`schemas.ads.Ad`) in JSON, with their keys.

    PostgreSQL writes JSON for less than it costs to hand over values of which to make it.
    """
    return f"""
        SELECT {", ".join(f"page.{column}" for column in key)}, row_to_json(ad)::text AS record
        FROM ({page}) AS page CROSS JOIN LATERAL (
            SELECT page.id AS pk, page.author_id AS author, '{IMAGE_PATH}' || page.image AS image,
                page.price, page.title,
                (extract(epoch FROM page.created_at) * 1000)::bigint AS "createdAt",
                (extract(epoch FROM page.updated_at) * 1000)::bigint AS "updatedAt"
        ) AS ad
    """


def _by_relevance(
    order: Order,
    conditions: list[str],
    query: str,
    rows: int,
    after: Sequence[int] | None,
    parameters: Parameters,
) -> str:
    """First the ads whose titles match, then the others; the newest first among each.

    The key is (place, …): 0 for titles, 1 for the rest.
    """
    place, *rest = after or (0,)
    key = key_parameters(order, rest, parameters) if rest else None
    # What a title does not say, for `-word`, the description may; IS TRUE keeps the index of all
    # the words out of it, which has more to tell than that of the titles.
    titles = [*conditions, f"title_search @@ {query}", f"(search @@ {query}) IS TRUE"]
    others = [*conditions, f"search @@ {query}", f"NOT title_search @@ {query}"]
    branches = []
    if place == 0:
        branches.append(f"SELECT 0 AS place, * FROM ({_search(order, titles, key, rows)}) AS t")
        key = None
    branches.append(f"SELECT 1 AS place, * FROM ({_search(order, others, key, rows)}) AS o")
    return " UNION ALL ".join(branches)


def _search(order: Order, conditions: list[str], key: str | None, rows: int) -> str:
    """Matches in order, from two branches that PostgreSQL runs one after the other as needed.

    The first looks through the next ads in order; only if they do not fill the page does the
    second ask the word index, for all matches: beside it a condition on the order would make
    PostgreSQL walk through that order to the end. It is not run if nothing lies beyond.
    """
    window = WINDOW + WINDOW_PER_ROW * rows
    # It begins where the filter lets the order begin.
    bounds = [text for text in conditions if text.startswith(f"{order.columns[0]} ")]
    bounds += [order.beyond(key)] if key else []
    start = f"WHERE {' AND '.join(bounds)}" if bounds else ""
    edge = (
        f"SELECT {', '.join(order.columns)} FROM ads {start}"
        f" ORDER BY {order.by} OFFSET {window - 1} LIMIT 1"
    )
    where = " AND ".join(conditions)
    return f"""
        (SELECT {COLUMNS} FROM (
            SELECT * FROM ads {start} ORDER BY {order.by} LIMIT {window}
        ) AS near WHERE {where} ORDER BY {order.by})
        UNION ALL
        (WITH far AS MATERIALIZED (
            SELECT {COLUMNS} FROM ads WHERE {where} AND EXISTS ({edge})
        ) SELECT * FROM far WHERE {order.beyond(edge)} ORDER BY {order.by})
    """


def key_columns(ads: AdFilter, sort: Sort) -> Sequence[str]:
    return (*(("place",) if sort is Sort.RELEVANCE else ()), *order_of(ads, sort).columns)


def key_of(values: Sequence[int | datetime]) -> list[int]:
    """A row's sort key in numbers that fit into a cursor."""
    return [
        (value - EPOCH) // MILLISECOND if isinstance(value, datetime) else value for value in values
    ]


def key_parameters(order: Order, values: Sequence[int], parameters: Parameters) -> str:
    pairs = zip(order.columns, values, strict=True)
    return ", ".join(
        parameters.add(EPOCH + timedelta(milliseconds=value) if column == "created_at" else value)
        for column, value in pairs
    )
