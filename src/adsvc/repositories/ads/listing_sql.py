"""The SQL of listings without words, put together from fragments; values are parameters."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from adsvc.repositories.ads.attributes import attribute_sql, branch_sql
from adsvc.repositories.ads.filter import ALL_STATUSES, AdFilter
from adsvc.repositories.ads.order import Key, Sort, order_of
from adsvc.repositories.ads.places.sql import distance_sql, within_box, within_circle
from adsvc.repositories.ads.projection import In, columns_sql, record_sql
from adsvc.repositories.ads.terms import Parameters
from adsvc.repositories.ads.visibility import current_status, visible

# When the first ad of a page expires, in seconds from now; null if none does.
HOLDS = "extract(epoch FROM min(expires_at) - now())::float AS holds"


class Restriction(NamedTuple):
    """A condition on one column; `indexed` if that has an index of its own."""

    column: str
    sql: str
    indexed: bool = True


def total_sql(ads: AdFilter, bound: int, parameters: Parameters) -> str:
    """How many match: all ads, and those of one author, are counted beforehand."""
    if not ads.only_author:
        matching = conditions_sql(ads, parameters)
        # One author's ads of some statuses are so few that all are counted.
        limit = f"LIMIT {parameters.add(bound + 1)}" if ads.statuses is None else ""
        found = f"SELECT FROM ads WHERE {matching} {index_order(ads)} {limit}"
        return f"SELECT count(*) AS total FROM ({found}) AS counted"
    counted = "ads" if ads.statuses is None else "ads + hidden"
    total = f"SELECT coalesce(sum({counted}), 0)::bigint AS total FROM"
    if ads.author is None:
        return f"{total} ad_totals"
    return f"{total} author_ad_totals WHERE author_id = {parameters.add(ads.author)}"


def index_order(ads: AdFilter) -> str:
    """An order in which some of the matches can be counted or taken, whichever they are.

    It has PostgreSQL use the index of a filter, which has the matches side by side, and not the
    index of all that is shown, as if these were spread evenly over it.
    """
    columns = [restriction.column for restriction in restrictions(ads, Parameters())]
    ordered = [column for column in columns if column in {"price", "author_id", "created_at"}]
    return f"ORDER BY {ordered[-1]}" if ordered else ""


def shown_sql(ads: AdFilter, parameters: Parameters) -> str:
    """Which statuses are to be seen."""
    if ads.statuses is None:
        return visible()
    if ads.statuses == ALL_STATUSES:
        return "TRUE"
    return f"{current_status()} = ANY({parameters.add(list(ads.statuses))}::text[])"


def restrictions(ads: AdFilter, parameters: Parameters) -> list[Restriction]:
    """The conditions of a filter, but for the words."""
    all_of_them = (
        ("price", ">=", ads.min_price),
        ("price", "<=", ads.max_price),
        ("author_id", "=", ads.author),
        ("created_at", ">", ads.created_after),
        ("created_at", "<", ads.created_before),
    )
    found = [
        Restriction(column, f"{column} {comparison} {parameters.add(value)}")
        for column, comparison, value in all_of_them
        if value is not None
    ]
    if ads.near is not None:
        found.append(
            Restriction("public_point", within_circle(ads.near, parameters), indexed=False)
        )
    if ads.box is not None:
        found.append(Restriction("public_point", within_box(ads.box, parameters), indexed=False))
    if ads.price_type is not None:
        price_type = f"price_type = {parameters.add(ads.price_type)}"
        found.append(Restriction("price_type", price_type, indexed=False))
    if ads.category is not None:
        category = branch_sql(ads.category, parameters)
        found.append(Restriction("category_id", category, indexed=False))
    for wanted in ads.attributes or ():
        condition = attribute_sql(wanted, parameters)
        found.append(Restriction("attributes", condition, indexed=False))
    return found


def record_of(ads: AdFilter) -> In:
    return In.AD if ads.near is None else In.AD | In.NEAR


def table_sql(ads: AdFilter, parameters: Parameters) -> str:
    """The ads, with their distance from where one looks for what is near."""
    if ads.near is None:
        return "ads"
    return f"(SELECT *, {distance_sql(ads.near, parameters)} AS distance FROM ads) AS ads"


def conditions_sql(ads: AdFilter, parameters: Parameters) -> str:
    conditions = [restriction.sql for restriction in restrictions(ads, parameters)]
    return " AND ".join([*conditions, shown_sql(ads, parameters)])


def listing_sql(
    ads: AdFilter, sort: Sort, rows: int, after: Key | None, bound: int
) -> tuple[str, Sequence[object]]:
    """A page of records, their keys and how many there are in all: one row of arrays."""
    if ads.is_everything:
        return _everything_sql(sort, rows, paged=after is not None), _values_of(sort, after)
    return _listing_sql(ads, sort, rows, after, bound)


def _values_of(sort: Sort, after: Key | None) -> Sequence[object]:
    return order_of(AdFilter(), sort).values_of(after) if after else ()


@lru_cache(maxsize=1024)
def _everything_sql(sort: Sort, rows: int, *, paged: bool) -> str:
    """The listing of all ads, which is asked for most, is put together once.

    Its parameters are those of the key alone.
    """
    ads = AdFilter()
    key = [0] * len(order_of(ads, sort).columns) if paged else None
    return _listing_sql(ads, sort, rows, key, 0)[0]


def _listing_sql(
    ads: AdFilter, sort: Sort, rows: int, after: Key | None, bound: int
) -> tuple[str, Sequence[object]]:
    parameters = Parameters()
    key = order_of(ads, sort).names
    page = record_sql(page_sql(ads, sort, rows, after, parameters), key, record_of(ads))
    total = total_sql(ads, bound, parameters)
    # In columns, not rows, of which asyncpg makes an object each.
    columns = ", ".join(f"array_agg({column}) AS {column}" for column in ("record", *key))
    return f"SELECT {columns}, {HOLDS}, ({total}) AS total FROM ({page}) AS page", parameters.values


def page_sql(
    ads: AdFilter, sort: Sort, rows: int, after: Key | None, parameters: Parameters
) -> str:
    order = order_of(ads, sort)
    where = conditions_sql(ads, parameters)
    if after:
        where = f"{where} AND {order.beyond(after, parameters)}"
    columns, table = columns_sql(record_of(ads)), table_sql(ads, parameters)
    return f"SELECT {columns} FROM {table} WHERE {where} ORDER BY {order.by} LIMIT {rows}"
