"""What is before the pipeline: responses from memory, and refusals beyond capacity.

Neither needs a task. A refusal comes before all other work, so that it costs a fraction of an
answer. Otherwise requests beyond capacity would slow down the others.
"""

import re
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from fastapi import FastAPI
from starlette.datastructures import State
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from adsvc.api.app_state import AppState
from adsvc.api.caching import ReadResponse
from adsvc.api.dependencies.calls import AnyCaller, address_of, known_caller, lacks_mail, suffices
from adsvc.api.input.filters import FILTERS
from adsvc.api.pipeline.dispatch import (
    AD_ROUTE,
    DETAILS,
    DETAILS_ROUTE,
    PROBES,
    FastRequest,
    MissingPage,
    Pipeline,
    Responder,
    deliver,
    fast_request_of,
)
from adsvc.api.problems import problem_response
from adsvc.enums import KeyScope, MaintenanceMode
from adsvc.errors import MailNotVerifiedError, OverloadedError, RateLimitState
from adsvc.kit.bulkheads.admission import (
    CONNECTION,
    Admission,
    Client,
    Permit,
    Shares,
    current_connection,
    idle,
)
from adsvc.kit.http.messages import (
    Header,
    RawHead,
    RawResponse,
    rate_limit_headers,
    request_id_of,
    secured,
)
from adsvc.schemas.base import IMAGE_PATH
from adsvc.services.maintenance import OperatorState
from adsvc.services.rate_limits import AccessRules, AdReads
from adsvc.settings import MailRequired, RateLimits, Settings

# Operations that always need the pool for passwords.
HASHING = frozenset({("POST", "/login"), ("POST", "/register")})

IMAGE_OF_AD = "/ads/{id}/image"
IMAGES_OF_AD = "/ads/{id}/images"
BY_EXTERNAL_ID = "/ads/by-external-id/{externalId}"

UPLOADS = frozenset(
    {
        ("POST", "/ads"),
        ("POST", IMAGES_OF_AD),
        ("PUT", BY_EXTERNAL_ID),
        ("PATCH", IMAGE_OF_AD),
        ("PATCH", "/users/me/image"),
        ("PUT", "/admin/site/icon"),
        ("PUT", "/admin/site/logo"),
    }
)

UPLOAD_PATHS = {
    re.compile(r"/ads/by-external-id/[^/]+"): BY_EXTERNAL_ID,
    re.compile(r"/ads/[^/]+/image"): IMAGE_OF_AD,
    re.compile(r"/ads/[^/]+/images"): IMAGES_OF_AD,
}

# Reads that need the pool for searches if they have a filter.
SEARCHES = frozenset({"/ads", "/ads.atom", "/ads/facets"})

FILTERED = re.compile(rf"(?:^|&)(?:{'|'.join(FILTERS)})=".encode())

# The pools whose load can refuse an operation.
POOLS = ("passwords", "pictures", "searches")

# The prepared refusal has this id in place of the request's own.
REQUEST_ID = str(uuid.UUID(int=0))


class LoadShedding:
    """Load shedding: refuses requests while the process is busy with too many.

    A request is also refused if the pool that it needs is full (see `adsvc.kit.bulkheads`).

    A request does not count while it waits for its client to send or to receive, so that slow
    clients cannot use up the places of quick ones.
    """

    def __init__(self, settings: Settings, state: State, responder: Responder) -> None:
        """One client (an address, or an IPv6 /64) may take half of the capacity.

        A network around it may take three quarters: one person may have a whole /48.
        """
        capacity = settings.busy_requests
        half = max(1, capacity // 2)
        shares = Shares("busy", network=half, wider=max(half, capacity * 3 // 4))
        is_shared = settings.rate_limits is RateLimits.ON
        self.places = Admission(capacity, shares if is_shared else None)
        self._least_share = half
        self.state = state
        self.responder = responder
        # Refusals, by what was full.
        self.shed = Counter(dict.fromkeys(("busy", *POOLS), 0))
        refusal = problem_response(OverloadedError(), REQUEST_ID, settings.root_path)
        self._head = RawHead(refusal.status_code, secured(refusal.raw_headers))
        self._before, self._after = bytes(refusal.body).split(REQUEST_ID.encode())

    def has_room(self, scope: Scope) -> bool:
        """Whether there is room for one more request, and in the share of its client.

        Behind a proxy the client is known only after the proxy's headers have been read.
        """
        if self.places.admitted < self._least_share:
            # All clients together have not used up the share of one.
            return True
        return not self.places.is_full and self.places.used_share(_client_of(scope)) is None

    def refusal(self, scope: Scope) -> RawResponse | None:
        """The refusal; None if the request is admitted."""
        route, pool = self._meant_for_a_full_pool(scope)
        if route is None and self.has_room(scope):
            return None
        if scope["path"] in PROBES or _is_preflight(scope):
            return None
        self.shed[pool if route else "busy"] += 1
        began = time.perf_counter()
        request_id = request_id_of(scope)
        # The ids of all requests are equally long, and so are the bodies.
        body = self._before + request_id.encode() + self._after
        return self.responder.ready(
            scope, self._head, body, request_id=request_id, route=route, began=began
        )

    def _meant_for_a_full_pool(self, scope: Scope) -> tuple[str | None, str]:
        """The operation's route if it needs a pool that is full, and the pool's name."""
        method, path = scope["method"], scope["path"]
        state: AppState = self.state.service
        if method in {"GET", "HEAD"} and path in SEARCHES and state.searches.is_full:
            return path if FILTERED.search(scope["query_string"]) else None, "searches"
        if method not in {"POST", "PATCH", "PUT"}:
            return None, ""
        matching = (route for pattern, route in UPLOAD_PATHS.items() if pattern.fullmatch(path))
        route = next(matching, path)
        if (method, route) in HASHING:
            return route if state.password_pool.is_full else None, "passwords"
        if (method, route) in UPLOADS:
            return route if state.image_pool.is_full else None, "pictures"
        return None, ""

    async def admit(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] in PROBES or _is_preflight(scope):
            await app(scope, receive, send)
            return
        permit = _BusyPermit(self.places, _client_of(scope))
        permit.use()
        idle.set(permit.given_up)

        async def receive_uncounted() -> Message:
            with permit.given_up():
                message = await receive()
            if message["type"] == "http.disconnect":
                # Many clients may disconnect at once, and ending their requests is little work.
                permit.end()
            return message

        async def send_uncounted(message: Message) -> None:
            with permit.given_up():
                await send(message)

        try:
            await app(scope, receive_uncounted, send_uncounted)
        finally:
            permit.end()


def _is_preflight(scope: Scope) -> bool:
    """Never refused: it costs little, and a browser hides from its page why a preflight failed."""
    return bool(scope["method"] == "OPTIONS")


def _client_of(scope: Scope) -> Client:
    client = scope.get("client")
    return _at(client[0] if client else "")


@lru_cache(4096)
def _at(address: str) -> Client:
    return Client.of(None, address)


class _BusyPermit(Permit):
    """A request's place, which it gives up while it waits for its client, and always gets back."""

    __slots__ = ("_keys",)

    def __init__(self, admission: Admission, client: Client) -> None:
        super().__init__(admission, client)
        self._keys = admission.keys_of(client)

    def _enter(self) -> None:
        self._admission.count(self._keys, 1)

    def _leave(self) -> None:
        self._admission.count(self._keys, -1)


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
# Of a key, for an ad with its author's contact details.
AD_REQUIRES = KeyScope.ADS_READ
CATEGORIES_PATH = "/categories"
CATEGORY_ROUTES = (CATEGORIES_PATH, "/categories/{slug}", "/categories/{slug}/schema")


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
        is_closed = operator.closure.mode is MaintenanceMode.ON
        if is_closed or (rules.can_refuse and rules.refuse(address_of(scope))):
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


@dataclass(frozen=True, slots=True)
class FastPathApp:
    """`framework` gets what is no request, such as the start and the end of the process."""

    framework: ASGIApp
    pipeline: Pipeline
    cache: CacheLookup
    shedding: LoadShedding

    def immediate_response(self, scope: Scope) -> RawResponse | None:
        """None if only `__call__` can respond."""
        responder = self.shedding.responder
        if self.cache.rules.can_refuse and responder.is_proxied(scope):
            # The client's address decides, which is read from the proxy's headers later.
            responder.accept_request_id(scope, fast_request_of(scope).headers)
            return None
        return self._screen(scope)

    def _screen(self, scope: Scope) -> RawResponse | None:
        request = fast_request_of(scope)
        request.is_screened = True
        self.shedding.responder.accept_request_id(scope, request.headers)
        # A cached response could not be provoked.
        cached = None if self.pipeline.is_development else self.cache.find(scope)
        return cached or self.shedding.refusal(scope)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.framework(scope, receive, send)
            return
        current_connection.set(scope.get("state", {}).get(CONNECTION))
        ready = None
        # The protocol class has called `immediate_response` already, unless the connection had
        # earlier requests. Others may have been admitted since then, so the capacity is checked
        # again.
        if not self.shedding.has_room(scope) or not fast_request_of(scope).is_screened:
            ready = self._screen(scope)
        if ready is not None:
            await deliver(scope, send, ready)
        else:
            await self.shedding.admit(self.pipeline, scope, receive, send)


if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from adsvc.kit.observability.opentelemetry import Tracing

SPAN_KEY = "adsvc.span"


class Proxies(Protocol):
    def __contains__(self, address: str | None, /) -> bool: ...


class Traced:
    """Adds spans. `app` is the whole application; addresses in `proxies` are trusted."""

    def __init__(
        self, app: ASGIApp, fast_path: FastPathApp, tracing: "Tracing", proxies: Proxies
    ) -> None:
        self._app = app
        self._fast_path = fast_path
        self._tracing = tracing
        self._proxies = proxies

    def immediate_response(self, scope: Scope) -> RawResponse | None:
        # If the request gets a task, that continues this span.
        span = scope[SPAN_KEY] = self._begin(scope)
        if span is None:
            return self._fast_path.immediate_response(scope)
        with self._tracing.within(span):
            ready = self._fast_path.immediate_response(scope)
        if ready is not None:
            span.end()
        return ready

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        span = scope.pop(SPAN_KEY) if SPAN_KEY in scope else self._begin(scope)
        if span is None:
            await self._app(scope, receive, send)
            return
        try:
            with self._tracing.within(span):
                await self._app(scope, receive, send)
        finally:
            span.end()

    def _begin(self, scope: Scope) -> "Span | None":
        client = scope.get("client")
        trusted = client is not None and client[0] in self._proxies
        return self._tracing.begin(scope["method"], fast_request_of(scope).headers, trusted=trusted)


class Service(FastAPI):
    """FastAPI, which makes the document. Requests go to the fast path instead of its layers."""

    outermost: ASGIApp
    fast_path: FastPathApp
    immediate_response: Callable[[Scope], RawResponse | None]

    def add_pipeline(
        self,
        settings: Settings,
        responder: Responder,
        tracing: "Tracing | None",
        missing_page: MissingPage | None,
    ) -> None:
        """The routes are known by then."""
        self.fast_path = fast_path = FastPathApp(
            framework=super().__call__,
            pipeline=Pipeline(self, settings, responder, missing_page),
            cache=CacheLookup(self.state, responder),
            shedding=LoadShedding(settings, self.state, responder),
        )
        # uvicorn's types for ASGI are other ones than Starlette's.
        outermost: Any = fast_path
        if settings.trusted_proxies:
            outermost = ProxyHeadersMiddleware(outermost, settings.trusted_networks)
        self.outermost = outermost
        # The protocol calls it before it makes a task.
        self.immediate_response = fast_path.immediate_response
        if tracing is not None:
            traced = Traced(outermost, fast_path, tracing, responder.proxies)
            self.outermost, self.immediate_response = traced, traced.immediate_response

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.outermost(scope, receive, send)
