"""Responses from the cache, and how all responses are sent.

Routing and the steps of an endpoint cost several times as much as sending the bytes, so the lookup
comes before them. It makes no responses. Without it, answers are the same, but slower.
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from starlette.datastructures import State
from starlette.types import Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from adsvc.api.app_state import AppState
from adsvc.api.caching import ReadResponse
from adsvc.api.dependencies.caller import AnyCaller, address_of, known_caller, lacks_mail, suffices
from adsvc.enums import KeyScope
from adsvc.errors import MailNotVerifiedError, RateLimitState
from adsvc.kit.http.responses import (
    GIVEN_REQUEST_ID,
    PREFERENCE_APPLIED,
    RAW_RESPONSE,
    Header,
    RawHead,
    RawResponse,
    ResponseHeaders,
    given_request_id,
    prefers_strict,
    rate_limit_headers,
    request_id_of,
)
from adsvc.kit.observability.logging import AccessLog
from adsvc.kit.security.tokens import KnownCaller
from adsvc.schemas.base import IMAGE_PATH
from adsvc.services.maintenance import OperatorState
from adsvc.services.rate_limits import AccessRules, AdReads
from adsvc.services.views import Views
from adsvc.settings import MailRequired

Headers = dict[bytes, bytes]

LIVENESS_PATH = "/livez"
READINESS_PATH = "/readyz"

# Probes are never refused: else a supervisor would end a process for being busy.
PROBES = frozenset({LIVENESS_PATH, READINESS_PATH})

FAST_REQUEST_KEY = "adsvc.lookup"


@dataclass(slots=True)
class FastRequest:
    """What the fast path has read of a request. The scope has it, so that it is read once."""

    # Of headers sent twice the first one counts, as for `starlette.datastructures.Headers`.
    headers: Headers
    # Whether the caches were looked up, and the capacity was checked.
    is_screened: bool = False
    # The caller who reads one ad, if the lookup has identified them.
    caller: KnownCaller | None = None

    @property
    def authorization(self) -> str:
        return self.headers.get(b"authorization", b"").decode("latin-1")

    @property
    def conditions(self) -> tuple[str | None, str]:
        """What decides on the form of the response: `If-None-Match`, `Accept-Encoding`."""
        if_none_match = self.headers.get(b"if-none-match")
        return (
            if_none_match.decode("latin-1") if if_none_match else None,
            self.headers.get(b"accept-encoding", b"").decode("latin-1"),
        )


def fast_request_of(scope: Scope) -> FastRequest:
    found: FastRequest | None = scope.get(FAST_REQUEST_KEY)
    if found is None:
        found = scope[FAST_REQUEST_KEY] = FastRequest(dict(reversed(scope["headers"])))
    return found


class Responder:
    """Makes responses ready to send. Proxies in `proxies` are trusted about the scheme."""

    def __init__(
        self,
        response_headers: ResponseHeaders,
        access_log: AccessLog,
        proxies: Sequence[str],
        views: Views,
    ) -> None:
        self._response_headers = response_headers
        self.below_prefix = response_headers.below_prefix
        self._access_log = access_log
        self._views = views
        self.proxies = ProxyHeadersMiddleware(_nothing, list(proxies)).trusted_hosts

    def ready(
        self,
        scope: Scope,
        head: RawHead,
        body: bytes,
        *,
        request_id: str | None = None,
        route: str | None = None,
        user_id: int | None = None,
        ad_id: int | None = None,
        extra_headers: Sequence[Header] = (),
        began: float,
    ) -> RawResponse:
        """The response, ready to be sent; its line is in the access log.

        `extra_headers` are for this caller alone.
        """
        request_id = request_id or request_id_of(scope)
        own = [*self.own(scope, request_id), *extra_headers]
        self.log(scope, request_id, route, head.status, began, user_id, ad_id)
        return RawResponse(head, own, b"" if scope["method"] == "HEAD" else body)

    def own(
        self, scope: Scope, request_id: str, *, is_strict: bool = True, is_preflight: bool = False
    ) -> list[Header]:
        """The headers of a response that depend on the request.

        A preflight has permissions of its own.
        """
        headers = fast_request_of(scope).headers
        origin = None if is_preflight else headers.get(b"origin")
        secure = self._is_secure(scope, headers)
        own = self._response_headers.own(request_id, origin, secure=secure)
        if is_strict and b"prefer" in headers and prefers_strict(scope["headers"]):
            own.append(PREFERENCE_APPLIED)
        return own

    def log(
        self,
        scope: Scope,
        request_id: str,
        route: str | None,
        status: int,
        began: float,
        user_id: int | None,
        ad_id: int | None,
    ) -> None:
        if route in VIEWED and scope["method"] == "GET" and status in SEEN and ad_id is not None:
            headers = fast_request_of(scope).headers
            self._views.note(headers, address_of(scope), ad_id, user_id)
        seconds = time.perf_counter() - began
        self._access_log.write(request_id, scope["method"], route, status, seconds, user_id, ad_id)

    def accept_request_id(self, scope: Scope, headers: Headers) -> None:
        """Keeps the id that a trusted proxy gave the request, if it is a UUID in either spelling.

        Any other text may come from the client, and is neither repeated nor logged.
        """
        given = headers.get(b"x-request-id")
        request_id = None if given is None else given_request_id(given)
        if request_id is not None and self.is_proxied(scope):
            scope[GIVEN_REQUEST_ID] = request_id

    def is_proxied(self, scope: Scope) -> bool:
        client = scope.get("client")
        return client is not None and client[0] in self.proxies

    def _is_secure(self, scope: Scope, headers: Headers) -> bool:
        """Whether the client used HTTPS. Uvicorn reads a proxy's headers only later."""
        if scope["scheme"] == "https" or b"x-forwarded-proto" not in headers:
            return bool(scope["scheme"] == "https")
        said = dict(scope["headers"])[b"x-forwarded-proto"]
        return self.is_proxied(scope) and said.strip() == b"https"


async def _nothing(*_: object) -> None:
    """An application for `ProxyHeadersMiddleware`, which is used only for its list of proxies."""


async def deliver(scope: Scope, send: Send, ready: RawResponse) -> None:
    """Sends head and body in one piece if the server can."""
    in_one_piece = scope.get("extensions", {}).get(RAW_RESPONSE)
    if in_one_piece is not None and in_one_piece(ready):
        return
    headers = [*ready.head.headers, *ready.own]
    start = {"type": "http.response.start", "status": ready.head.status, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": ready.body})


def _is_spared(reads: AdReads, viewer: AnyCaller, answer: ReadResponse) -> bool:
    return not reads.enabled or viewer.user_id == answer.author_id or viewer.is_admin


def sees_counts(viewer: AnyCaller, answer: ReadResponse) -> bool:
    """Whether the viewer gets numbers beside the ad, whose changes nothing announces."""
    return viewer.user_id == answer.author_id or viewer.is_admin


def _lacks_mail(state: AppState, viewer: AnyCaller, answer: ReadResponse) -> bool:
    """Authors need no verified address for their own ads."""
    is_own = viewer.user_id == answer.author_id
    return not is_own and lacks_mail(state, viewer, MailRequired.CONTACT)


@lru_cache(maxsize=4096)
def _headers(left: RateLimitState) -> Sequence[Header]:
    """Cached, because there are few and to format them takes longer than to count."""
    headers = rate_limit_headers(left)
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


def count_at_once(
    state: AppState, viewer: AnyCaller, ad_id: int, answer: ReadResponse
) -> Sequence[Header] | None:
    """The headers of the limit; None if only `count` can make them."""
    reads = state.ad_reads
    if _lacks_mail(state, viewer, answer):
        return None
    if _is_spared(reads, viewer, answer):
        return ()
    left = reads.spend(viewer.user_id, ad_id)
    return None if left is None else _headers(left)


async def count(
    state: AppState, viewer: AnyCaller, ad_id: int, answer: ReadResponse
) -> Mapping[str, str]:
    """As `count_at_once`, by the database. Raises `RateLimitedError` or `MailNotVerifiedError`."""
    reads = state.ad_reads
    if _lacks_mail(state, viewer, answer):
        raise MailNotVerifiedError
    if _is_spared(reads, viewer, answer):
        return {}
    return rate_limit_headers(await reads.require(viewer.user_id, ad_id))


LISTING_PATH = "/ads"
AD_PATH = "/ads/"
AD_ROUTE = "/ads/{id}"
# Of a key, for an ad with its author's contact details.
AD_REQUIRES = KeyScope.ADS_READ
CATEGORIES_PATH = "/categories"
CATEGORY_ROUTES = (CATEGORIES_PATH, "/categories/{slug}", "/categories/{slug}/schema")
DETAILS = "/details"
DETAILS_ROUTE = AD_ROUTE + DETAILS
# Responses that show an ad.
VIEWED = frozenset({AD_ROUTE, DETAILS_ROUTE})
SEEN = frozenset({200, 304})


class CacheHit(NamedTuple):
    route: str
    response: ReadResponse
    user_id: int | None = None
    ad_id: int | None = None
    # For that caller alone.
    extra_headers: Sequence[Header] = ()


@dataclass(frozen=True, slots=True)
class CacheLookup:
    state: State
    responder: Responder
    # Responses that were found, by route.
    hits: Counter[str] = field(default_factory=Counter)

    @property
    def rules(self) -> AccessRules:
        operator: OperatorState = self.state.service.operator
        return operator.rules

    def find(self, scope: Scope) -> RawResponse | None:
        if scope["method"] not in {"GET", "HEAD"}:
            return None
        began = time.perf_counter()
        request = fast_request_of(scope)
        if scope["query_string"] and b"prefer" in request.headers:
            # The request may have to be refused for unknown parameters.
            return None
        hit = self._find(scope, request)
        if hit is None:
            return None
        self.hits[hit.route] += 1
        head, body = hit.response.parts(*request.conditions)
        return self.responder.ready(
            scope,
            head,
            body,
            route=hit.route,
            user_id=hit.user_id,
            ad_id=hit.ad_id,
            extra_headers=hit.extra_headers,
            began=began,
        )

    def _find(self, scope: Scope, request: FastRequest) -> CacheHit | None:
        path: str = scope["path"]
        state: AppState = self.state.service
        operator = state.operator
        rules = operator.rules
        if operator.is_on or (rules.can_refuse and rules.refuse(address_of(scope))):
            return None
        answers = state.responses
        if path == LISTING_PATH:
            # Strict clients get no relaxed listing.
            preferred = b"prefer" in request.headers
            answer = None if preferred else answers.listing(scope["query_string"])
            return CacheHit(LISTING_PATH, answer) if answer else None
        if path.startswith(AD_PATH):
            ad_id = path[len(AD_PATH) :]
            if ad_id.endswith(DETAILS):
                ad_id = ad_id.removesuffix(DETAILS)
                answer = answers.details(ad_id)
                return CacheHit(DETAILS_ROUTE, answer, ad_id=int(ad_id)) if answer else None
            return self._find_ad(ad_id, request)
        if path.startswith(IMAGE_PATH) and b"range" not in request.headers:
            answer = answers.picture(path[len(IMAGE_PATH) :])
            return CacheHit(IMAGE_PATH + "{name}", answer) if answer else None
        # Only responses of these operations are cached by their path.
        answer = answers.category(path) if path.startswith(CATEGORIES_PATH) else None
        return CacheHit(CATEGORY_ROUTES[path.count("/") - 1], answer) if answer else None

    def _find_ad(self, ad_id: str, request: FastRequest) -> CacheHit | None:
        state: AppState = self.state.service
        request.caller = caller = known_caller(state, request.authorization)
        if caller is None or not suffices(caller, AD_REQUIRES):
            return None
        answer = state.responses.ad(ad_id, caller.user_id)
        if answer is None or sees_counts(caller, answer) or caller.user_id in answer.withheld_from:
            return None
        extra_headers = count_at_once(state, caller, int(ad_id), answer)
        if extra_headers is None:
            return None
        return CacheHit(AD_ROUTE, answer, caller.user_id, int(ad_id), extra_headers)
