"""The SQL of listings without words, put together from fragments; values are parameters."""

from collections.abc import Sequence
from functools import lru_cache

from adsvc.repositories.ads.filter import AdFilter
from adsvc.repositories.ads.order import Sort, key_parameters, order_of
from adsvc.repositories.ads.projection import COLUMNS, record_sql
from adsvc.repositories.ads.terms import Parameters


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
