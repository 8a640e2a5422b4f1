"""Answers that are ready go out before anything else is done for the request.

Routing, dependencies and validation cost several times as much as sending the bytes. This piece
stands before them; it holds no answers and makes none, and without it nothing changes but speed.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.datastructures import State
from starlette.types import Scope

from adsvc.api.app_state import AppState
from adsvc.api.caching.representation import CachedResponse
from adsvc.api.dependencies.caller import known_caller
from adsvc.api.fastpath.contacts import count_at_once
from adsvc.api.fastpath.request import Lookup, lookup_of
from adsvc.api.fastpath.responder import Responder
from adsvc.http.raw import Header, RawResponse
from adsvc.schemas.base import IMAGE_PATH

LISTING_PATH = "/ads"

AD_PATH = "/ads/"

AD_ROUTE = "/ads/{id}"

CATEGORIES_PATH = "/categories"

CATEGORY_ROUTES = (CATEGORIES_PATH, "/categories/{slug}", "/categories/{slug}/schema")


@dataclass(frozen=True, slots=True)
class CacheLookup:
    state: State
    direct: Responder

    def find(self, scope: Scope) -> RawResponse | None:
        if scope["method"] not in {"GET", "HEAD"}:
            return None
        began = time.perf_counter()
        lookup = lookup_of(scope)
        found = self._find(scope, lookup)
        if found is None:
            return None
        route, answer, user_id, ad_id, told = found
        head, body = answer.parts(*lookup.conditions)
        return self.direct.ready(
            scope, lookup.headers, head, body,
            route=route, user_id=user_id, ad_id=ad_id, told=told, began=began,
        )  # fmt: skip

    def _find(
        self, scope: Scope, lookup: Lookup
    ) -> tuple[str, CachedResponse, int | None, int | None, Sequence[Header]] | None:
        """Route and answer; the ids of caller and ad, and what is told to that caller alone."""
        path: str = scope["path"]
        state: AppState = self.state.state
        answers = state.answers
        if path == LISTING_PATH:
            answer = answers.listing(scope["query_string"])
            return (LISTING_PATH, answer, None, None, ()) if answer else None
        if path.startswith(AD_PATH):
            ad_id = path[len(AD_PATH) :]
            lookup.ad = answer = answers.ad(ad_id)
            lookup.caller = caller = known_caller(state, lookup.authorization)
            if answer is None or caller is None:
                return None
            told = count_at_once(state, caller, int(ad_id), answer)
            if told is None:
                return None
            return AD_ROUTE, answer, caller.user_id, int(ad_id), told
        if path.startswith(IMAGE_PATH) and b"range" not in lookup.headers:
            answer = answers.picture(path[len(IMAGE_PATH) :])
            return (IMAGE_PATH + "{name}", answer, None, None, ()) if answer else None
        # Only what an operation has made is kept, so the path is one of these.
        answer = answers.category(path) if path.startswith(CATEGORIES_PATH) else None
        return (CATEGORY_ROUTES[path.count("/") - 1], answer, None, None, ()) if answer else None
