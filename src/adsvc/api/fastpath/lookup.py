"""Answers that are ready go out before anything else is done for the request.

Routing, dependencies and validation cost several times as much as sending the bytes. This piece
stands before them; it holds no answers and makes none, and without it nothing changes but speed.
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from starlette.datastructures import State
from starlette.types import Scope

from adsvc.api.app_state import AppState
from adsvc.api.caching.representation import CachedResponse
from adsvc.api.dependencies.caller import known_caller, lacks_mail
from adsvc.api.fastpath.responder import Lookup, Responder, lookup_of
from adsvc.api.problems.handlers import rate_limit_headers
from adsvc.errors import MailNotVerifiedError
from adsvc.errors.base import RateLimitState
from adsvc.http.raw import Header, RawResponse
from adsvc.schemas.base import IMAGE_PATH
from adsvc.services.accounts.ad_reads import AdReads, Remaining
from adsvc.services.accounts.rate_limits import Policy
from adsvc.settings import MailRequired


class Reader(Protocol):
    @property
    def user_id(self) -> int: ...
    @property
    def is_admin(self) -> bool: ...
    @property
    def has_verified_mail(self) -> bool: ...


def _is_spared(reads: AdReads, reader: Reader, answer: CachedResponse) -> bool:
    return not reads.enabled or reader.user_id == answer.author_id or reader.is_admin


def _lacks_mail(state: AppState, reader: Reader, answer: CachedResponse) -> bool:
    """Nobody needs a verified address to see what is their own."""
    is_own = reader.user_id == answer.author_id
    return not is_own and lacks_mail(state, reader, MailRequired.CONTACT)


@lru_cache(maxsize=4096)
def _headers(policy: Policy, remaining: Remaining) -> Sequence[Header]:
    """Kept: there are few different ones, and to write one takes longer than to count."""
    limit = policy.name, policy.limit, policy.window
    told = rate_limit_headers(RateLimitState(*limit, remaining.remaining, remaining.reset))
    return [(name.lower().encode(), value.encode()) for name, value in told.items()]


def count_at_once(
    state: AppState, reader: Reader, ad_id: int, answer: CachedResponse
) -> Sequence[Header] | None:
    """The headers that tell what is left, or None if it has to be asked for: `count` does."""
    reads = state.ad_reads
    if _lacks_mail(state, reader, answer):
        return None
    if _is_spared(reads, reader, answer):
        return ()
    remaining = reads.spend(reader.user_id, ad_id)
    return None if remaining is None else _headers(reads.policy, remaining)


async def count(
    state: AppState, reader: Reader, ad_id: int, answer: CachedResponse
) -> Sequence[Header]:
    """The same, or `RateLimitedError`, or `MailNotVerifiedError`."""
    reads = state.ad_reads
    if _lacks_mail(state, reader, answer):
        raise MailNotVerifiedError
    if _is_spared(reads, reader, answer):
        return ()
    return _headers(reads.policy, await reads.require(reader.user_id, ad_id))


LISTING_PATH = "/ads"

AD_PATH = "/ads/"

AD_ROUTE = "/ads/{id}"

CATEGORIES_PATH = "/categories"

CATEGORY_ROUTES = (CATEGORIES_PATH, "/categories/{slug}", "/categories/{slug}/schema")
DETAILS = "/details"

DETAILS_ROUTE = AD_ROUTE + DETAILS

# Route and answer; the ids of caller and ad, and what is told to that caller alone.
Found = tuple[str, CachedResponse, int | None, int | None, Sequence[Header]]


@dataclass(frozen=True, slots=True)
class CacheLookup:
    state: State
    direct: Responder
    # Answers that were found, by their routes.
    hits: Counter[str] = field(default_factory=Counter)

    def find(self, scope: Scope) -> RawResponse | None:
        if scope["method"] not in {"GET", "HEAD"}:
            return None
        began = time.perf_counter()
        lookup = lookup_of(scope)
        if scope["query_string"] and b"prefer" in lookup.headers:
            # Parameters that are not known may have to be refused.
            return None
        found = self._find(scope, lookup)
        if found is None:
            return None
        route, answer, user_id, ad_id, told = found
        self.hits[route] += 1
        head, body = answer.parts(*lookup.conditions)
        return self.direct.ready(
            scope, lookup.headers, head, body,
            route=route, user_id=user_id, ad_id=ad_id, told=told, began=began,
        )  # fmt: skip

    def _find(self, scope: Scope, lookup: Lookup) -> Found | None:
        path: str = scope["path"]
        state: AppState = self.state.state
        answers = state.responses
        if path == LISTING_PATH:
            answer = answers.listing(scope["query_string"])
            return (LISTING_PATH, answer, None, None, ()) if answer else None
        if path.startswith(AD_PATH):
            ad_id = path[len(AD_PATH) :]
            if ad_id.endswith(DETAILS):
                return self._find_details(ad_id.removesuffix(DETAILS))
            return self._find_ad(ad_id, lookup)
        if path.startswith(IMAGE_PATH) and b"range" not in lookup.headers:
            answer = answers.picture(path[len(IMAGE_PATH) :])
            return (IMAGE_PATH + "{name}", answer, None, None, ()) if answer else None
        # Only what an operation has made is kept, so the path is one of these.
        answer = answers.category(path) if path.startswith(CATEGORIES_PATH) else None
        return (CATEGORY_ROUTES[path.count("/") - 1], answer, None, None, ()) if answer else None

    def _find_details(self, ad_id: str) -> Found | None:
        answer = self.state.state.responses.details(ad_id)
        return (DETAILS_ROUTE, answer, None, int(ad_id), ()) if answer else None

    def _find_ad(self, ad_id: str, lookup: Lookup) -> Found | None:
        state: AppState = self.state.state
        lookup.caller = caller = known_caller(state, lookup.authorization)
        if caller is None:
            return None
        answer = state.responses.ad(ad_id, caller.user_id)
        if answer is None:
            return None
        told = count_at_once(state, caller, int(ad_id), answer)
        return None if told is None else (AD_ROUTE, answer, caller.user_id, int(ad_id), told)
