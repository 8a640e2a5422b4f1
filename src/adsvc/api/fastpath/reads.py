"""The two operations that are asked for most, `GET /ads` and `GET /ads/{id}`.

They are answered here, whatever comes of them, without the framework.
"""

import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import ValidationError
from starlette.datastructures import State
from starlette.types import Scope

from adsvc.api.app_state import AppState
from adsvc.api.caching.representation import CachedResponse, json_response
from adsvc.api.dependencies.caller import address_of, authenticate
from adsvc.api.fastpath.contacts import count
from adsvc.api.fastpath.listings import found_ads
from adsvc.api.fastpath.lookup import AD_PATH, AD_ROUTE, LISTING_PATH
from adsvc.api.fastpath.request import lookup_of
from adsvc.api.fastpath.responder import Responder
from adsvc.api.input.filters import ListingQuery, values_of
from adsvc.api.input.paging import pairs_of
from adsvc.api.input.parameters import AdIdConvertor, ad_id_of, id_from
from adsvc.api.problems.handlers import parameter_faults, problem_of
from adsvc.errors import AdNotFoundError, InvalidRequestError
from adsvc.http.headers import PRIVATE, secured
from adsvc.http.raw import Header, RawHead, RawResponse, new_request_id
from adsvc.repositories import ListingRepository
from adsvc.services import audit

ONE_AD = re.compile(AD_PATH + AdIdConvertor.regex)


class Answer(NamedTuple):
    """`told` are headers for this caller alone."""

    response: CachedResponse
    told: Sequence[Header] = ()


async def list_ads(state: AppState, scope: Scope) -> Answer:
    pairs = pairs_of(scope["query_string"])
    try:
        query = ListingQuery.model_validate(values_of(pairs))
    except ValidationError as error:
        raise InvalidRequestError(*parameter_faults(error.errors(), at=0)) from None
    return Answer(await found_ads(state, scope, query, pairs))


async def get_ad(state: AppState, scope: Scope) -> Answer:
    """Different ads of others are counted, because each tells somebody's contact."""
    lookup = lookup_of(scope)
    caller = await authenticate(state, scope, lookup.authorization, known=lookup.caller)
    ad_id = id_from(scope["path_params"]["id"], "id")
    ad = lookup.ad
    if ad is None or not state.answers.holds(ad):
        ad = await _made_ad(state, ad_id)
    return Answer(ad, await count(state, caller, ad_id, ad))


async def _made_ad(state: AppState, ad_id: int) -> CachedResponse:
    async def make() -> CachedResponse:
        found = await ListingRepository(state.database.reader).get_extended(ad_id)
        if found is None:
            raise AdNotFoundError
        return json_response(found.record.encode(), PRIVATE, author_id=found.author_id)

    return await state.answers.make_ad(ad_id, make)


OPERATIONS: Mapping[str, Callable[[AppState, Scope], Awaitable[Answer]]] = {
    LISTING_PATH: list_ads,
    AD_ROUTE: get_ad,
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
        request_id = new_request_id()
        told = scope.setdefault("state", {})
        told["request_id"] = request_id
        audit.origin.set(audit.Origin(request_id, address_of(scope)))
        own: Sequence[Header] = ()
        try:
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
    if ONE_AD.fullmatch(path):
        scope["path_params"] = {"id": path[len(AD_PATH) :]}
        return AD_ROUTE
    return None
