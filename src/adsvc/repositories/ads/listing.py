"""What everybody asks for: pages of ads by any order and filter but words, and single ads.

Plain SQL on asyncpg, without a step that grows with the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from adsvc.db.read_pool import Reader
from adsvc.repositories.ads.facets import Counted, Facets, facets_sql
from adsvc.repositories.ads.filter import AdFilter
from adsvc.repositories.ads.listing_sql import listing_sql, page_sql
from adsvc.repositories.ads.order import Key, Sort, order_of
from adsvc.repositories.ads.projection import In, members_sql
from adsvc.repositories.ads.terms import Parameters


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of ads, and how many there are in all."""

    # Each ad as JSON, as the interface has it.
    records: Sequence[str]
    # Where to go on, if more follow: the sort key of the last one.
    next_key: Key | None
    # How many are known of, and whether these are all.
    count: int
    count_exact: bool
    # For how many seconds all of them are shown; None for as long as nothing changes.
    holds: float | None = None

    def counted_to(self, bound: int) -> "Listing":
        """The same, but its count says no more than that there are so many or more."""
        if self.count <= bound:
            return self
        return replace(self, count=bound, count_exact=False)


EXTENDED = f"""
    SELECT ads.id, author_id, (
        SELECT row_to_json(ad)::text FROM (SELECT {members_sql(In.EXTENDED)}) AS ad
    ) AS record
    FROM ads JOIN users ON users.id = author_id
    WHERE ads.id = ANY($1::bigint[])
"""
EXPORTED = f"""
    SELECT id, (
        SELECT row_to_json(ad)::text FROM (SELECT {members_sql(In.EXPORT)}) AS ad
    ) AS record
    FROM ads WHERE author_id = $1 AND id > $2 ORDER BY id LIMIT $3
"""


class ExtendedRecord(NamedTuple):
    author_id: int
    # As `schemas.ads.ExtendedAd`, in JSON.
    record: str


class ListingRepository:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def page(
        self, ads: AdFilter, sort: Sort, limit: int, after: Key | None, bound: int
    ) -> Listing:
        """The ads that follow the key `after` in that order, at most `limit`.

        Every ad has its key: `id` for orders by time, and `(value, id)` for the others. They are
        counted in the same statement, those of a filter up to `bound`.
        """
        # One ad more than asked for tells whether there is another page.
        sql, values = listing_sql(ads, sort, limit + 1, after, bound)
        [found] = await self._reader.fetch(sql, *values, keep_plan=ads.only_author)
        order = order_of(ads, sort)
        records, next_key = found["record"] or (), None
        if len(records) > limit:
            next_key = order.key_of([found[name][limit - 1] for name in order.names])
        listing = Listing(
            records[:limit], next_key, found["total"], count_exact=True, holds=found["holds"]
        )
        exact = ads.only_author or ads.statuses is not None
        return listing if exact else listing.counted_to(bound)

    async def facets(self, ads: AdFilter, counted: Counted, bound: int) -> Facets:
        """Counts of the newest matches, at most `bound`; of no attributes, which are for searches.

        By their category, which is searched too, one knows which attributes ads have.
        """
        parameters = Parameters()
        found = page_sql(ads, Sort.NEWEST, bound + 1, None, parameters)
        [row] = await self._reader.fetch(
            f"""
            WITH found AS MATERIALIZED ({found}),
                newest AS MATERIALIZED (SELECT * FROM found LIMIT {bound})
            SELECT (SELECT count(*) FROM found) > {bound} AS more,
                {facets_sql("newest", counted, parameters)} AS facets
            """,
            *parameters.values,
        )
        return Facets.of_row(row, exact=not row["more"])

    async def get_extended(self, ad_id: int) -> ExtendedRecord | None:
        """The ad with its author's contact details."""
        row = await self._reader.fetch_by_id(EXTENDED, ad_id)
        return None if row is None else ExtendedRecord(row["author_id"], row["record"])

    async def exported(
        self, author_id: int, limit: int, *, after: int
    ) -> Sequence[tuple[int, str]]:
        """Oldest first, only ads with an id above `after`: the id, and the record in JSON."""
        rows = await self._reader.fetch(EXPORTED, author_id, after, limit, keep_plan=True)
        return [(row["id"], row["record"]) for row in rows]
