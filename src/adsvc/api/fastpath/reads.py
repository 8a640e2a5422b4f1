"""The two operations that are asked for most, `GET /ads` and `GET /ads/{id}`."""

import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

from pydantic import ValidationError
from starlette.datastructures import State
from starlette.types import Scope

from adsvc.api.app_state import AppState
from adsvc.api.caching.representation import (
    PRIVATE,
    PUBLIC,
    SECURITY,
    CachedResponse,
    Caching,
    json_response,
)
from adsvc.api.dependencies.caller import address_of
from adsvc.api.fastpath.contacts import Reader, count
from adsvc.api.fastpath.lookup import AD_PATH, AD_ROUTE, LISTING_PATH, conditions
from adsvc.api.fastpath.responder import Headers, Responder, headers_of
from adsvc.api.input.filters import (
    FilterQuery,
    ListingQuery,
    filters_among,
    known_pairs,
    listing_name,
)
from adsvc.api.input.paging import Page, Pairs, pairs_of
from adsvc.api.input.parameters import DECIMAL, LARGEST_ID
from adsvc.api.problems.handlers import as_refusal
from adsvc.api.problems.responses import problem_response
from adsvc.errors import AdNotFoundError, RefusalError
from adsvc.http.raw import Header, RawHead, RawResponse, new_request_id
from adsvc.repositories import AdFilter, ListingRepository, Sort
from adsvc.schemas.ads import ExtendedAd
from adsvc.services import audit, listing
from adsvc.services.accounts import networks


class _Read(NamedTuple):
    route: str
    answer: Awaitable[tuple[CachedResponse, Sequence[Header]]]
    user_id: int | None = None
    ad_id: int | None = None


@dataclass(frozen=True, slots=True)
class FastReads:
    """The two operations that are asked for most, `GET /ads` and `GET /ads/{id}`."""

    state: State
    direct: Responder

    async def answer(self, scope: Scope) -> RawResponse | None:
        """None for the framework to answer."""
        began = time.perf_counter()
        headers = headers_of(scope)
        read = self._understood(scope, headers)
        if read is None:
            return None
        request_id = new_request_id()
        audit.origin.set(audit.Origin(request_id, address_of(scope)))
        told: Sequence[Header] = ()
        try:
            answer, told = await read.answer
        except Exception as error:  # noqa: BLE001 - as `ErrorBoundary` does
            head, body = _refused(as_refusal(error, request_id), request_id)
        else:
            head, body = answer.parts(*conditions(headers))
        return self.direct.ready(
            scope, headers, head, body,
            request_id=request_id, route=read.route, user_id=read.user_id, ad_id=read.ad_id,
            told=told, began=began,
        )  # fmt: skip

    def _understood(self, scope: Scope, headers: Headers) -> _Read | None:
        if scope["method"] not in {"GET", "HEAD"}:
            return None
        state: AppState = self.state.state
        path: str = scope["path"]
        if path == LISTING_PATH:
            pairs = pairs_of(scope["query_string"])
            try:
                # As FastAPI does: of a parameter sent twice the last one counts.
                query = ListingQuery.model_validate(dict(pairs))
            except ValidationError:
                return None
            return _Read(LISTING_PATH, _alone(found_ads(state, scope, query, pairs)))
        if path.startswith(AD_PATH) and DECIMAL.fullmatch(path, len(AD_PATH)):
            ad_id = int(path[len(AD_PATH) :])
            caller = state.callers.get(headers.get(b"authorization", b"").decode("latin-1"))
            if caller is not None and 1 <= ad_id <= LARGEST_ID:
                answer = extended_ad(state, caller, ad_id)
                return _Read(AD_ROUTE, answer, caller.user_id, ad_id)
        return None


async def _alone(answer: Awaitable[CachedResponse]) -> tuple[CachedResponse, Sequence[Header]]:
    """With nothing to tell to one caller alone."""
    return await answer, ()


def _refused(refusal: RefusalError, request_id: str) -> tuple[RawHead, bytes]:
    response = problem_response(refusal, request_id)
    return RawHead(response.status_code, (*response.raw_headers, *SECURITY)), bytes(response.body)


async def found_ads(
    state: AppState, scope: Scope, query: ListingQuery, pairs: Pairs
) -> CachedResponse:
    """The page of the public listing that the query asks for."""
    settings, answers = state.settings, state.answers
    known = known_pairs(pairs)
    ads = query.filter(most_words=settings.search_words_max)
    most = settings.search_page_size_max if ads.terms else None
    page = query.page(scope["path"], filters_among(known), state, most=most)
    sort = query.order(ads)
    usual = urlencode(known).encode()
    if len(known) == len(pairs):
        # Without what means nothing, of which there are endless spellings.
        answers.spelled(scope["query_string"], usual)
    if kept := answers.listing(usual):
        return kept
    if ads.is_everything:
        return await answers.make_listing(usual, lambda: listed(state, page, ads, sort, PUBLIC))
    count_search(state, scope)

    async def search() -> CachedResponse:
        async with state.searches.turn():
            return await listed(state, page, ads, sort, PUBLIC)

    return await answers.make_listing(usual, search)


async def counted_ads(state: AppState, scope: Scope, query: FilterQuery) -> CachedResponse:
    """How the ads that the query asks for spread over prices and months."""
    settings = state.settings
    ads = query.filter(most_words=settings.search_words_max)
    count_search(state, scope)
    async with state.searches.turn():
        found = await listing.facets(state.database.reader, ads, bound=settings.count_bound)
    return json_response(found.model_dump_json(by_alias=True).encode(), PUBLIC)


def count_search(state: AppState, scope: Scope) -> None:
    """`RateLimitedError` if the client has searched enough. What is in memory does not count."""
    if state.search_allowance is not None:
        state.search_allowance.take(networks.network(address_of(scope)))


async def listed(
    state: AppState, page: Page, ads: AdFilter, sort: Sort, caching: Caching
) -> CachedResponse:
    name = listing_name(ads, sort)
    found = await listing.page(
        state.database.reader,
        ads,
        sort,
        limit=page.limit,
        after=page.start(name),
        bound=state.settings.count_bound,
    )
    cursor, link = page.next(name, found.next_key) if found.next_key else (None, None)
    # As `schemas.ads.Ads` describes it; its parts are JSON already.
    exact, following = "true" if found.count_exact else "false", f'"{cursor}"' if cursor else "null"
    body = (
        f'{{"count":{found.count},"countExact":{exact},'
        f'"results":[{",".join(found.records)}],"next":{following}}}'
    )
    return json_response(body.encode(), caching, link=link)


async def extended_ad(
    state: AppState, reader: Reader, ad_id: int
) -> tuple[CachedResponse, Sequence[Header]]:
    """The ad, counted for the reader, with the headers that tell what they have left."""
    answer = state.answers.ad(str(ad_id)) or await _made_ad(state, ad_id)
    return answer, await count(state, reader, ad_id, answer)


async def _made_ad(state: AppState, ad_id: int) -> CachedResponse:
    async def make() -> CachedResponse:
        row = await ListingRepository(state.database.reader).get_extended(ad_id)
        if row is None:
            raise AdNotFoundError
        body = ExtendedAd.model_validate(row).model_dump_json(by_alias=True).encode()
        return json_response(body, PRIVATE, author_id=row["author_id"])

    return await state.answers.make_ad(ad_id, make)
