"""The operations that are asked for most: `GET /ads`, one ad, and its details.

They are answered here, whatever comes of them, without the framework.
"""

import math
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from starlette.datastructures import State
from starlette.types import Scope

from adsvc.api.app_state import AppState
from adsvc.api.caching.representation import CachedResponse, json_response
from adsvc.api.dependencies.caller import address_of, authenticate
from adsvc.api.fastpath.contacts import count
from adsvc.api.fastpath.listings import found_ads
from adsvc.api.fastpath.lookup import AD_PATH, AD_ROUTE, DETAILS, DETAILS_ROUTE, LISTING_PATH
from adsvc.api.fastpath.request import lookup_of
from adsvc.api.fastpath.responder import Responder
from adsvc.api.input.filters import ListingQuery
from adsvc.api.input.listing_keys import KNOWN, values_of
from adsvc.api.input.paging import pairs_of
from adsvc.api.input.parameters import (
    AdIdConvertor,
    ad_id_of,
    id_from,
    refuse_unknown_parameters,
)
from adsvc.api.problems.handlers import problem_of
from adsvc.http.headers import PRIVATE, PUBLIC, Caching, secured
from adsvc.http.raw import Header, RawHead, RawResponse, request_id_of
from adsvc.repositories.ads.listing import OneAd
from adsvc.services import audit
from adsvc.services.ads import viewing

ONE_AD = re.compile(f"{AD_PATH}({AdIdConvertor.regex})({DETAILS})?")


class Answer(NamedTuple):
    """`told` are headers for this caller alone."""

    response: CachedResponse
    told: Sequence[Header] = ()


async def list_ads(state: AppState, scope: Scope) -> Answer:
    pairs = pairs_of(scope["query_string"])
    query = ListingQuery.model_validate(values_of(pairs))
    return Answer(await found_ads(state, scope, query, pairs))


async def get_ad(state: AppState, scope: Scope) -> Answer:
    """Different ads of others are counted, because each tells somebody's contact."""
    lookup = lookup_of(scope)
    caller = await authenticate(state, scope, lookup.authorization, known=lookup.caller)
    ad_id = id_from(scope["path_params"]["id"], "id")
    ad = state.responses.ad(str(ad_id), caller.user_id) or await _made_ad(state, ad_id, caller)
    return Answer(ad, await count(state, caller, ad_id, ad))


async def _made_ad(state: AppState, ad_id: int, viewer: viewing.Viewer) -> CachedResponse:
    answers = state.responses
    generation, asked_at = answers.ad_generation(), answers.now()
    ad = await viewing.extended(state.database.reader, ad_id, viewer)
    answer = _response(ad, PRIVATE, asked_at)
    own = ad.author_id == viewer.user_id
    # What others are told of an ad that is not shown is for administrators.
    if own or ad.is_shown:
        answers.keep_ad(ad_id, answer, generation, own=own)
    return answer


async def get_details(state: AppState, scope: Scope) -> Answer:
    ad_id = id_from(scope["path_params"]["id"], "id")
    answers = state.responses
    if (kept := answers.details(str(ad_id))) is not None:
        return Answer(kept)
    generation, asked_at = answers.ad_generation(), answers.now()
    answer = _response(await viewing.details(state.database.reader, ad_id), PUBLIC, asked_at)
    answers.keep_details(ad_id, answer, generation)
    return Answer(answer)


def _response(ad: OneAd, caching: Caching, asked_at: float) -> CachedResponse:
    """The moment it expires is told by the database's clock, from when it was asked."""
    holds = math.inf if ad.seconds is None else ad.seconds
    return json_response(
        ad.record.encode(), caching, author_id=ad.author_id, holds_until=asked_at + holds
    )


OPERATIONS: Mapping[str, Callable[[AppState, Scope], Awaitable[Answer]]] = {
    LISTING_PATH: list_ads,
    AD_ROUTE: get_ad,
    DETAILS_ROUTE: get_details,
}


@dataclass(frozen=True, slots=True)
class FastReads:
    state: State
    direct: Responder

    async def answer(self, scope: Scope) -> RawResponse | None:
        """None if the request is for another operation."""
        route = _route(scope)
        if route is None:
            return None
        began = time.perf_counter()
        lookup = lookup_of(scope)
        request_id = request_id_of(scope)
        told = scope.setdefault("state", {})
        told["request_id"] = request_id
        audit.origin.set(audit.Origin(request_id, address_of(scope)))
        own: Sequence[Header] = ()
        try:
            if b"prefer" in lookup.headers:
                refuse_unknown_parameters(scope, KNOWN if route == LISTING_PATH else ())
            answer, own = await OPERATIONS[route](self.state.state, scope)
        except Exception as error:  # noqa: BLE001 - as `ErrorBoundary` does
            problem = problem_of(error, scope)
            head = RawHead(problem.status_code, secured(problem.raw_headers))
            body = bytes(problem.body)
        else:
            head, body = answer.parts(*lookup.conditions)
        return self.direct.ready(
            scope, lookup.headers, head, body,
            request_id=request_id, route=route, user_id=told.get("user_id"),
            ad_id=ad_id_of(scope, route), told=own, began=began,
        )  # fmt: skip


def _route(scope: Scope) -> str | None:
    if scope["method"] not in {"GET", "HEAD"}:
        return None
    path: str = scope["path"]
    if path == LISTING_PATH:
        return LISTING_PATH
    one_ad = ONE_AD.fullmatch(path)
    if one_ad is None:
        return None
    scope["path_params"] = {"id": one_ad[1]}
    return DETAILS_ROUTE if one_ad[2] else AD_ROUTE
