"""The SQL of listings without words, put together from fragments; values are parameters."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from adsvc.repositories.ad_filter import AdFilter, Sort
from adsvc.repositories.words_sql import Parameters
from adsvc.schemas.base import IMAGE_PATH

COLUMNS = "id, author_id, image, price, title, created_at, updated_at"
# Floating point does not hold every millisecond there is.
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


def total_sql(ads: AdFilter, bound: int, parameters: Parameters) -> str:
    """How many match: all ads, and those of one author, are counted beforehand."""
    if not ads.only_author:
        matching = " AND ".join(restrictions(ads, parameters))
        limit = parameters.add(bound + 1)
        return (
            "SELECT count(*) AS total FROM"
            f" (SELECT FROM ads WHERE {matching} LIMIT {limit}) AS counted"
        )
    total = "SELECT coalesce(sum(ads), 0)::bigint AS total FROM"
    if ads.author is None:
        return f"{total} ad_totals"
    return f"{total} author_ad_totals WHERE author_id = {parameters.add(ads.author)}"


def restrictions(ads: AdFilter, parameters: Parameters) -> list[str]:
    """The conditions of a filter, but for the words."""
    pairs = (
        ("price >=", ads.min_price),
        ("price <=", ads.max_price),
        ("author_id =", ads.author),
        ("created_at >", ads.created_after),
        ("created_at <", ads.created_before),
    )
    return [f"{left} {parameters.add(value)}" for left, value in pairs if value is not None]


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
    key = order_of(ads, sort).columns
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
    conditions = restrictions(ads, parameters)
    if after:
        conditions.append(order.beyond(key_parameters(order, after, parameters)))
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT {COLUMNS} FROM ads {where} ORDER BY {order.by} LIMIT {rows}"


def grouped_sql(ads: str, edges: str) -> str:
    """How many of them there are by price band and by month (UTC)."""
    return f"""
        SELECT width_bucket(price, {edges}::int[]) AS band,
               to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month, count(*) AS n
        FROM {ads} GROUP BY GROUPING SETS ((1), (2)) ORDER BY band, month
    """


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
