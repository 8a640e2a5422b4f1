from adsvc.db.read_pool import Reader
from adsvc.repositories import AdFilter, Listing, ListingRepository, SearchRepository, Sort
from adsvc.repositories.ads.order import Key


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
