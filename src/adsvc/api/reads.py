"""How the answers to the reads of ads are made, whichever way the request came."""

from collections.abc import Sequence
from urllib.parse import urlencode

from starlette.types import Scope

from adsvc.api.answers import PRIVATE, PUBLIC, Answer, Caching, json_answer
from adsvc.api.authentication import address_of
from adsvc.api.contacts import Reader, count
from adsvc.api.filters import (
    FilterQuery,
    ListingQuery,
    filters_among,
    known_pairs,
    listing_name,
)
from adsvc.api.pages import Page, Pairs
from adsvc.api.resources import Resources
from adsvc.errors import AdNotFoundError
from adsvc.repositories import AdFilter, ListingRepository, Sort
from adsvc.schemas.ads import ExtendedAd
from adsvc.server import Header
from adsvc.services import listing, networks


async def found_ads(
    resources: Resources, scope: Scope, query: ListingQuery, pairs: Pairs
) -> Answer:
    """The page of the public listing that the query asks for."""
    settings, answers = resources.settings, resources.answers
    known = known_pairs(pairs)
    ads = query.filter(most_words=settings.search_words_max)
    most = settings.search_page_size_max if ads.terms else None
    page = query.page(scope["path"], filters_among(known), resources, most=most)
    sort = query.order(ads)
    usual = urlencode(known).encode()
    if len(known) == len(pairs):
        # Without what means nothing, of which there are endless spellings.
        answers.spelled(scope["query_string"], usual)
    if kept := answers.listing(usual):
        return kept
    if ads.is_everything:
        return await answers.make_listing(usual, lambda: listed(resources, page, ads, sort, PUBLIC))
    count_search(resources, scope)

    async def search() -> Answer:
        async with resources.searches.turn():
            return await listed(resources, page, ads, sort, PUBLIC)

    return await answers.make_listing(usual, search)


async def counted_ads(resources: Resources, scope: Scope, query: FilterQuery) -> Answer:
    """How the ads that the query asks for spread over prices and months."""
    settings = resources.settings
    ads = query.filter(most_words=settings.search_words_max)
    count_search(resources, scope)
    async with resources.searches.turn():
        found = await listing.facets(resources.database.reader, ads, bound=settings.count_bound)
    return json_answer(found.model_dump_json(by_alias=True).encode(), PUBLIC)


def count_search(resources: Resources, scope: Scope) -> None:
    """`RateLimitedError` if the client has searched enough. What is in memory does not count."""
    if resources.search_allowance is not None:
        resources.search_allowance.take(networks.network(address_of(scope)))


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


async def extended_ad(
    resources: Resources, reader: Reader, ad_id: int
) -> tuple[Answer, Sequence[Header]]:
    """The ad, counted for the reader, with the headers that tell what they have left."""
    answer = resources.answers.ad(str(ad_id)) or await _made_ad(resources, ad_id)
    return answer, await count(resources, reader, ad_id, answer)


async def _made_ad(resources: Resources, ad_id: int) -> Answer:
    async def make() -> Answer:
        row = await ListingRepository(resources.database.reader).get_extended(ad_id)
        if row is None:
            raise AdNotFoundError
        body = ExtendedAd.model_validate(row).model_dump_json(by_alias=True).encode()
        return json_answer(body, PRIVATE, author_id=row["author_id"])

    return await resources.answers.make_ad(ad_id, make)
