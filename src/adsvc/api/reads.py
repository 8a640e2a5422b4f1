"""How the answers to the reads of ads are made, whichever way the request came."""

from starlette.types import Scope

from adsvc.api.answers import PRIVATE, PUBLIC, Answer, Caching, json_answer
from adsvc.api.filters import ListingQuery, listing_name
from adsvc.api.pages import Page, Pairs
from adsvc.api.resources import Resources
from adsvc.errors import AdNotFoundError
from adsvc.repositories import AdFilter, ListingRepository, Sort
from adsvc.schemas.ads import ExtendedAd
from adsvc.services import listing


async def found_ads(
    resources: Resources, scope: Scope, query: ListingQuery, pairs: Pairs
) -> Answer:
    """The page of the public listing that the query asks for."""
    page, ads = query.page(scope["path"], pairs, resources), query.filter()
    sort = query.order(ads)
    return await resources.answers.make_listing(
        scope["query_string"], lambda: listed(resources, page, ads, sort, PUBLIC)
    )


async def listed(
    resources: Resources, page: Page, ads: AdFilter, sort: Sort, caching: Caching
) -> Answer:
    name = listing_name(ads, sort)
    found = await listing.page(
        resources.database.reader,
        ads,
        sort,
        limit=page.limit,
        after=page.start(name),
        bound=resources.settings.count_bound,
    )
    cursor, link = page.next(name, found.next_key) if found.next_key else (None, None)
    # As `schemas.ads.Ads` describes it; its parts are JSON already.
    exact, following = "true" if found.count_exact else "false", f'"{cursor}"' if cursor else "null"
    body = (
        f'{{"count":{found.count},"countExact":{exact},'
        f'"results":[{",".join(found.records)}],"next":{following}}}'
    )
    return json_answer(body.encode(), caching, link=link)


async def extended_ad(resources: Resources, ad_id: int) -> Answer:
    async def make() -> Answer:
        row = await ListingRepository(resources.database.reader).get_extended(ad_id)
        if row is None:
            raise AdNotFoundError
        body = ExtendedAd.model_validate(row).model_dump_json(by_alias=True).encode()
        return json_answer(body, PRIVATE, author_id=row["author_id"])

    return await resources.answers.make_ad(ad_id, make)
