"""What everybody asks for: pages of ads by any filter and order, and single ads.

Plain SQL on asyncpg, without a step that grows with the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from adsvc.db.reading import Reader, Record
from adsvc.repositories.listing_sql import (
    EPOCH,
    AdFilter,
    Parameters,
    Sort,
    key_of,
    page_sql,
    total_sql,
    where,
)

__all__ = ["EPOCH", "AdFilter", "ListingRepository", "Page", "Sort", "key_of"]


@dataclass(frozen=True, slots=True)
class Page:
    rows: Sequence[Record]
    # Whether more rows follow these.
    more: bool
    # How many there are in all, if that was known without counting.
    total: int | None


class ListingRepository:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def page(
        self, ads: AdFilter, sort: Sort, limit: int, after: Sequence[int] | None
    ) -> Page:
        """The rows that follow the key `after` in that order, at most `limit`.

        Every row has its key: `id` for orders by time, and `(value, id)` for the others. What has
        been counted beforehand comes along in the same query.
        """
        parameters = Parameters()
        # One row more than asked for tells whether there is another page.
        sql = page_sql(ads, sort, limit + 1, after, parameters)
        if ads.only_author:
            sql = f"SELECT *, ({total_sql(ads, parameters)}) AS total FROM ({sql}) AS page"
        rows = await self._reader.fetch(sql, *parameters.values)
        total = int(rows[0]["total"]) if ads.only_author and rows else None
        return Page(rows[:limit], more=len(rows) > limit, total=total)

    async def total(self, ads: AdFilter) -> int:
        """How many ads there are in all, or of one author: kept, not counted."""
        parameters = Parameters()
        row = await self._reader.fetchrow(total_sql(ads, parameters), *parameters.values)
        return int(row["total"]) if row else 0

    async def count(self, ads: AdFilter, bound: int) -> int:
        """How many ads match; `bound + 1` stands for any number above the bound."""
        parameters = Parameters()
        matching = where(ads, parameters)
        limit = parameters.add(bound + 1)
        row = await self._reader.fetchrow(
            f"SELECT count(*) AS n FROM (SELECT FROM ads {matching} LIMIT {limit}) AS found",
            *parameters.values,
        )
        return int(row["n"]) if row else 0

    async def facets(self, ads: AdFilter, bands: Sequence[int], bound: int) -> Sequence[Record]:
        """Counts of the newest matches, at most `bound`, by price band and by month (UTC).

        Each says whether there are more matches.
        """
        parameters = Parameters()
        edges = parameters.add(list(bands))
        found = page_sql(ads, Sort.NEWEST, bound + 1, None, parameters)
        return await self._reader.fetch(
            f"""
            WITH found AS MATERIALIZED ({found})
            SELECT width_bucket(price, {edges}::int[]) AS band,
                   to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month,
                   count(*) AS n,
                   (SELECT count(*) FROM found) > {bound} AS more
            FROM (SELECT * FROM found LIMIT {bound}) AS newest
            GROUP BY GROUPING SETS ((1), (2))
            ORDER BY band, month
            """,
            *parameters.values,
        )

    async def get_extended(self, ad_id: int) -> Record | None:
        """The ad with its author's contact details."""
        return await self._reader.fetchrow(
            """
            SELECT ads.id, title, price, description, ads.image, author_id, username AS email,
                   first_name AS author_first_name, last_name AS author_last_name, phone
            FROM ads JOIN users ON users.id = author_id
            WHERE ads.id = $1
            """,
            ad_id,
        )
