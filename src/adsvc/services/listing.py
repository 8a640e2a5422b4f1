from collections.abc import Sequence

from adsvc.db.read_pool import Reader, Record
from adsvc.repositories import AdFilter, Listing, ListingRepository, SearchRepository, Sort
from adsvc.repositories.ads.order import Key
from adsvc.schemas.ads import AdFacets, Month, PriceBand

# The lowest price of each band but the first, in the steps in which people think of prices.
PRICE_STEPS = (
    1, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000,
)  # fmt: skip


async def page(
    reader: Reader,
    ads: AdFilter,
    sort: Sort,
    *,
    limit: int,
    after: Key | None,
    bound: int,
) -> Listing:
    """One page, and how many ads match: exactly for all ads and for one author, else up to bound.

    Beyond it the count is the bound, and says that it is not exact. So does that of a search that
    has not looked at everything; its page may be short and have a next one.
    """
    if ads.impossible:
        return Listing([], None, 0, count_exact=True)
    if ads.is_search:
        matches = await SearchRepository(reader).page(ads, sort, limit, after, bound)
        return matches.counted_to(bound)
    return await ListingRepository(reader).page(ads, sort, limit, after, bound)


async def facets(reader: Reader, ads: AdFilter, *, bound: int) -> AdFacets:
    """How the newest matches, at most `bound`, spread over prices and months."""
    if ads.impossible:
        return AdFacets(count=0, count_exact=True, prices=[], months=[])
    rows: Sequence[Record]
    if not ads.is_search:
        rows = await ListingRepository(reader).facets(ads, PRICE_STEPS, bound)
        exact = not any(row["more"] for row in rows)
    else:
        found = await SearchRepository(reader).facets(ads, PRICE_STEPS, bound)
        rows, exact = found.groups, found.exact
    prices = [
        PriceBand(min=_lowest(row["band"]), max=_highest(row["band"]), count=row["n"])
        for row in rows
        if row["month"] is None
    ]
    months = [Month(month=row["month"], count=row["n"]) for row in rows if row["month"]]
    count = sum(month.count for month in months)
    return AdFacets(count=count, count_exact=exact, prices=prices, months=months)


def _lowest(band: int) -> int:
    return PRICE_STEPS[band - 1] if band else 0


def _highest(band: int) -> int | None:
    return PRICE_STEPS[band] - 1 if band < len(PRICE_STEPS) else None
