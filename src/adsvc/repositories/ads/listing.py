"""What everybody asks for: pages of ads by any order and filter but words, and single ads.

Plain SQL on asyncpg, without a step that grows with the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from adsvc.db.read_pool import Reader, Record
from adsvc.repositories.ads.filter import AdFilter
from adsvc.repositories.ads.listing_sql import grouped_sql, listing_sql, page_sql
from adsvc.repositories.ads.order import Sort, key_of, order_of
from adsvc.repositories.ads.terms import Parameters


@dataclass(frozen=True, slots=True)
class Page:
    # Each ad as JSON, as the interface has it.
    records: Sequence[str]
    # The sort key of the last one, if more follow.
    next_key: Sequence[int] | None
    # How many there are in all; one more than was counted up to stands for any larger number.
    total: int


class ListingRepository:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def page(
        self, ads: AdFilter, sort: Sort, limit: int, after: Sequence[int] | None, bound: int
    ) -> Page:
        """The ads that follow the key `after` in that order, at most `limit`.

        Every ad has its key: `id` for orders by time, and `(value, id)` for the others. They are
        counted in the same statement, those of a filter up to `bound + 1`.
        """
        # One ad more than asked for tells whether there is another page.
        sql, values = listing_sql(ads, sort, limit + 1, after, bound)
        [found] = await self._reader.fetch(sql, *values, keep_plan=ads.only_author)
        key = order_of(ads, sort).columns
        records = found["record"] or ()
        last = [found[column][limit - 1] for column in key] if len(records) > limit else None
        return Page(records[:limit], key_of(last) if last else None, found["total"])

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
            SELECT counted.*, (SELECT count(*) FROM found) > {bound} AS more
            FROM ({grouped_sql(f"(SELECT * FROM found LIMIT {bound}) AS newest", edges)}) AS counted
            ORDER BY band, month
            """,
            *parameters.values,
        )

    async def get_extended(self, ad_id: int) -> dict[str, Any] | None:
        """The ad with its author's contact details."""
        row = await self._reader.fetchrow(
            """
            SELECT ads.id, title, price, description, ads.image, author_id, username AS email,
                   first_name AS author_first_name, last_name AS author_last_name, phone
            FROM ads JOIN users ON users.id = author_id
            WHERE ads.id = $1
            """,
            ad_id,
            keep_plan=True,
        )
        return None if row is None else dict(row)
