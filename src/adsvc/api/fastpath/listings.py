"""Pages and counts of ads as responses."""

import math
from urllib.parse import urlencode

from starlette.types import Scope

from adsvc.api.app_state import AppState
from adsvc.api.caching.representation import CachedResponse, json_response
from adsvc.api.dependencies.caller import address_of
from adsvc.api.fastpath.lookup import LISTING_PATH
from adsvc.api.input.filters import FilterQuery, ListingQuery
from adsvc.api.input.listing_keys import filters_among, known_pairs, listing_name
from adsvc.api.input.paging import Page, Pairs
from adsvc.bulkheads.clients import Party
from adsvc.http.headers import PUBLIC, Caching
from adsvc.repositories import AdFilter, Sort
from adsvc.services.accounts import networks
from adsvc.services.ads import facets, listing


async def found_ads(
    state: AppState, scope: Scope, query: ListingQuery, pairs: Pairs
) -> CachedResponse:
    """The page of the public listing that the query asks for."""
    settings, answers = state.settings, state.responses
    tree = await state.categories.tree() if query.needs_tree else None
    ads, sort, limit = query.asked(tree, settings)
    known = known_pairs(pairs)
    page = query.page(LISTING_PATH, filters_among(known), state, limit)
    usual = urlencode(known).encode()
    if len(known) == len(pairs):
        # Remembers spellings only of queries without meaningless parameters, of which there is no
        # end.
        answers.spelled(scope["query_string"], usual)
    # Under the query as it was sent, the lookup before this has found nothing.
    if usual != scope["query_string"] and (kept := answers.listing(usual)):
        return kept
    if ads.is_everything:
        if page.limit > max(settings.page_size_default, settings.search_page_size_max):
            # Each takes the event loop several milliseconds, and there are as many as cursors.
            count_search(state, scope)
        return await answers.make_listing(usual, lambda: listed(state, page, ads, sort, PUBLIC))
    count_search(state, scope)

    async def search() -> CachedResponse:
        async with state.searches.slot(searching(scope)):
            return await listed(state, page, ads, sort, PUBLIC)

    return await answers.make_listing(usual, search)


async def counted_ads(state: AppState, scope: Scope, query: FilterQuery) -> CachedResponse:
    """How the ads that the query asks for spread over prices, months, categories, attributes."""
    settings = state.settings
    tree = await state.categories.tree()
    ads = query.filter(tree, most_words=settings.search_words_max)
    for _ in range(facets.statements(ads, tree)):
        count_search(state, scope)
    async with state.searches.slot(searching(scope)):
        found = await facets.facets(
            state.database.list_reader, ads, tree, bound=settings.facet_bound
        )
    body = found.model_dump_json(by_alias=True, exclude_unset=True)
    return json_response(body.encode(), PUBLIC)


def count_search(state: AppState, scope: Scope) -> None:
    """`RateLimitedError` if the client has searched enough. What is in memory does not count."""
    if state.search_allowance is not None:
        address = address_of(scope)
        state.search_allowance.take(networks.network(address), networks.wider_networks(address))


def searching(scope: Scope) -> Party:
    """Whose search it is."""
    return networks.party_of(None, address_of(scope))


async def listed(
    state: AppState, page: Page, ads: AdFilter, sort: Sort, caching: Caching
) -> CachedResponse:
    name = listing_name(ads, sort)
    asked_at = state.responses.now()
    # Callers see at once what they have written by way of another process.
    database = state.database
    found = await listing.page(
        database.list_reader if caching is PUBLIC else database.reader,
        ads,
        sort,
        limit=page.limit,
        after=page.start(name),
        bound=state.settings.count_bound,
    )
    cursor, link = page.next(name, found.next_key) if found.next_key else (None, None)
    # As `schemas.ads.ad.Ads` describes it; its parts are JSON already.
    exact, following = "true" if found.count_exact else "false", f'"{cursor}"' if cursor else "null"
    body = (
        f'{{"count":{found.count},"countExact":{exact},'
        f'"results":[{",".join(found.records)}],"next":{following}}}'
    )
    # What remains is told by the database's clock, and counted from before it was asked.
    holds_until = math.inf if found.holds is None else asked_at + found.holds
    return json_response(body.encode(), caching, link=link, holds_until=holds_until)
