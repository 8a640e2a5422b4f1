"""The one way from a request to its answer.

Around the function of each route: the request's id, preflights, cross-site requests, routing,
`HEAD`, errors as problem documents, headers, and the line in the access log. What an
operation does in order is `Endpoint.perform`.
"""

import re
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import cast
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response
from starlette.convertors import PathConvertor
from starlette.datastructures import Headers
from starlette.middleware.cors import SAFELISTED_HEADERS, CORSMiddleware
from starlette.responses import FileResponse, StreamingResponse
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.httptools_impl import HEADER_VALUE_RE

from adsvc.api.app_state import AppState
from adsvc.api.caching import ReadResponse
from adsvc.api.dependencies.calls import SESSION, ReadAnswer, address_of, is_administrator
from adsvc.api.dependencies.endpoints import IS_HEAD, SAFE_METHODS, Endpoint
from adsvc.api.input.parameters import ad_id_of
from adsvc.api.problems import problem_of
from adsvc.enums import MaintenanceMode
from adsvc.errors import CrossSiteError, MethodNotAllowedError, NetworkRefusedError, NotFoundError
from adsvc.kit.http.messages import (
    CORS_METHODS,
    CORS_REQUEST_HEADERS,
    GIVEN_REQUEST_ID,
    PREFERENCE_APPLIED,
    RAW_RESPONSE,
    Header,
    RawHead,
    RawResponse,
    ResponseHeaders,
    given_request_id,
    prefers_strict,
    request_id_of,
    secured,
    secured_head,
)
from adsvc.kit.observability.logging import AccessLog
from adsvc.kit.security.tokens import KnownCaller
from adsvc.services import audit, development, rate_limits
from adsvc.services.views import Views
from adsvc.settings import Settings

LIVENESS_PATH = "/livez"
READINESS_PATH = "/readyz"

# Probes are never refused: else a supervisor would end a process for being busy.
PROBES = frozenset({LIVENESS_PATH, READINESS_PATH})

AD_ROUTE = "/ads/{id}"
DETAILS = "/details"
DETAILS_ROUTE = AD_ROUTE + DETAILS
# Responses that show an ad.
VIEWED = frozenset({AD_ROUTE, DETAILS_ROUTE})
SEEN = frozenset({200, 304})

FAST_REQUEST_KEY = "adsvc.lookup"


@dataclass(slots=True)
class FastRequest:
    """What the fast path has read of a request. The scope has it, so that it is read once."""

    # Of headers sent twice the first one counts, as for `starlette.datastructures.Headers`.
    headers: Mapping[bytes, bytes]
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

    def accept_request_id(self, scope: Scope, headers: Mapping[bytes, bytes]) -> None:
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

    def _is_secure(self, scope: Scope, headers: Mapping[bytes, bytes]) -> bool:
        """Whether the client used HTTPS. Uvicorn reads a proxy's headers only later."""
        if scope["scheme"] == "https" or b"x-forwarded-proto" not in headers:
            return bool(scope["scheme"] == "https")
        said = dict(scope["headers"])[b"x-forwarded-proto"]
        return self.is_proxied(scope) and said.strip() == b"https"


async def deliver(scope: Scope, send: Send, ready: RawResponse) -> None:
    """Sends head and body in one piece if the server can."""
    in_one_piece = scope.get("extensions", {}).get(RAW_RESPONSE)
    if in_one_piece is not None and in_one_piece(ready):
        return
    headers = [*ready.head.headers, *ready.own]
    start = {"type": "http.response.start", "status": ready.head.status, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": ready.body})


class RouteIndex:
    """The routes by method, length and first segment of their paths, in their order.

    A router tries all its routes in turn, sixty of them before that of a comment.
    """

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        every = [route for route in routes if isinstance(route, Route)]
        keys = [(route, _start(route), _length(route)) for route in every]
        starts = {start for _, start, _ in keys if start is not None}
        lengths = {length for *_, length in keys if length is not None}
        self._routes: dict[tuple[str, str, int], list[Route]] = {}
        for route, first, segments in keys:
            # It may be for any first segment, and for any length.
            for key in product(
                route.methods or (),
                starts if first is None else (first,),
                lengths if segments is None else (segments,),
            ):
                self._routes.setdefault(key, []).append(route)

    def find(self, scope: Scope) -> tuple[Route, Scope] | None:
        """The route, and what it adds to the scope."""
        _, *segments = scope["path"].split("/")
        if not segments:
            return None
        key = scope["method"], segments[0], len(segments)
        for route in self._routes.get(key, ()):
            match, child_scope = route.matches(scope)
            if match is Match.FULL:
                return route, child_scope
        return None

    def allowed(self, scope: Scope) -> list[str]:
        """The methods of the path, for `Allow`; none if there is nothing at the path."""
        allowed = [each for each in CORS_METHODS if self.find({**scope, "method": each})]
        return ["GET", "HEAD", *allowed[1:]] if allowed[:1] == ["GET"] else allowed


def _start(route: Route) -> str | None:
    """The first segment of its path; None if that is a parameter."""
    start = route.path.split("/")[1]
    return None if "{" in start else start


def _length(route: Route) -> int | None:
    """How many segments its path has; None if any number."""
    of_several = any(isinstance(each, PathConvertor) for each in route.param_convertors.values())
    return None if of_several else len(route.path.split("/")) - 1


class Preflights(CORSMiddleware):
    """Answers to preflights, by Starlette's rules.

    A preflight that fails is no error: its response has no permission.
    """

    def __init__(self, allow_origins: Collection[str], allow_headers: Sequence[str]) -> None:
        super().__init__(
            _nothing,
            allow_origins=allow_origins,
            allow_methods=CORS_METHODS,
            allow_headers=allow_headers,
            allow_credentials=True,
        )
        # Starlette adds the headers that need no permission, in its own spelling.
        names = {name.lower() for name in (*allow_headers, *SAFELISTED_HEADERS)}
        self.preflight_headers["Access-Control-Allow-Headers"] = ", ".join(sorted(names))

    def preflight_response(self, request_headers: Headers) -> Response:
        headers = super().preflight_response(request_headers).headers
        # All responses have `Vary: Origin`.
        for name in ("content-length", "content-type", "vary"):
            del headers[name]
        return Response(status_code=204, headers=headers)


async def _nothing(*_: object) -> None:
    """The application of a middleware that is used only for its decisions, or its settings."""


def refuse_cross_site(headers: Headers, allow_origins: Collection[str]) -> None:
    """`CrossSiteError` for a change that a page of another origin sends.

    A browser adds the Basic credentials that it has stored to the requests of any page. A form
    needs no permission by CORS for that.
    """
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if origin in allow_origins or site in {"same-origin", "none"}:
        return
    if site is None and (origin is None or urlsplit(origin).netloc == headers.get("host")):
        # No browser, or an old one without `Sec-Fetch-Site`: then `Origin` decides.
        return
    raise CrossSiteError


# The headers of a preflight (Fetch, "CORS-preflight request").
PREFLIGHT = frozenset({b"origin", b"access-control-request-method"})

# The function of a route that is no operation: a page, a file, a document.
Handler = Callable[[Request], Awaitable[Response | ReadResponse]]

# The page that a browser gets for an address without one.
MissingPage = Callable[[Request], Awaitable[Response]]


@dataclass(slots=True)
class _Exchange:
    """One request, and what its response is made of."""

    responder: Responder
    scope: Scope
    # As the function of the route sees it: of a HEAD, the scope of a GET.
    inner: Scope
    began: float
    route: Route | None = None
    # Whether the response says that the client's preference for strictness was applied.
    is_strict: bool = False
    is_preflight: bool = False
    more_headers: Mapping[str, str] = field(default_factory=dict)
    # The status of a response that is being sent in pieces.
    begun: int = 0

    def response(self, answer: ReadAnswer | Response) -> RawResponse:
        """The response in one piece; its line is in the access log."""
        more = _encoded(self.more_headers)
        if isinstance(answer, ReadAnswer):
            head, body = answer.response.parts(*fast_request_of(self.scope).conditions)
            more += _encoded(answer.headers)
        else:
            # As uvicorn, which does not look at a response that is sent in one piece.
            if HEADER_VALUE_RE.search(b"".join([value for _, value in answer.raw_headers])):
                raise RuntimeError("Invalid HTTP header value.")
            given = self.responder.below_prefix(answer.raw_headers)
            head, body = secured_head(answer.status_code, given), bytes(answer.body)
        self.log(head.status)
        return RawResponse(head, [*self._own(), *more], b"" if self.is_head else body)

    def complete(self, headers: Sequence[Header]) -> list[Header]:
        """The headers of a response that is sent in pieces."""
        return [*secured(self.responder.below_prefix(list(headers))), *self._own()]

    @property
    def is_head(self) -> bool:
        return bool(self.scope["method"] == "HEAD")

    def _own(self) -> list[Header]:
        return self.responder.own(
            self.scope,
            self.inner["state"]["request_id"],
            is_strict=self.is_strict,
            is_preflight=self.is_preflight,
        )

    def log(self, status: int) -> None:
        template = None if self.route is None else self.route.path_format
        state = self.inner["state"]
        # The path of a new ad has no id.
        ad_id = state.get("ad_id") or ad_id_of(self.inner, template)
        self.responder.log(
            self.scope,
            state["request_id"],
            template,
            status,
            self.began,
            state.get("user_id"),
            ad_id,
        )


def _encoded(headers: Mapping[str, str]) -> list[Header]:
    return [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]


# Operations that maintenance does not close: administrators log in by them.
OPEN = re.compile("/login(/.*)?|/token|/revoke|/site|/livez|/readyz")


async def _require_open(path: str, endpoint: Endpoint, request: Request) -> None:
    """Raises `MaintenanceError`, unless an administrator calls."""
    state: AppState = request.app.state.service
    if state.operator.closure.mode is MaintenanceMode.OFF or OPEN.fullmatch(path):
        return
    refusal = state.operator.refusal(is_change=endpoint.method not in SAFE_METHODS)
    if refusal is None:
        return
    requirement = endpoint.requires or SESSION
    if not await is_administrator(state, request.scope, requirement):
        raise refusal


class Pipeline:
    def __init__(
        self,
        app: FastAPI,
        settings: Settings,
        responder: Responder,
        missing_page: MissingPage | None = None,
    ) -> None:
        """The routes of `app` are known by then."""
        self.app = app
        self.responder = responder
        self.index = RouteIndex(app.routes)
        provoking = [development.PROVOKE] if settings.development else []
        self.preflights = Preflights(settings.cors_origins, [*CORS_REQUEST_HEADERS, *provoking])
        # The origins whose pages may send changes; None if others may, as they get no credentials.
        self.trusted_origins = frozenset(settings.cors_origins) if settings.http_basic else None
        self.root_path = settings.root_path
        self.is_development = settings.development
        self.missing_page = missing_page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        request_id = request_id_of(scope)
        scope.setdefault("state", {})["request_id"] = request_id
        audit.origin.set(audit.Origin(request_id, address_of(scope)))
        state: AppState = self.app.state.service
        rate_limits.current_rules.set(state.operator.rules)
        scope["app"] = self.app
        # Every GET also answers HEAD: the same headers without the body (RFC 9110 §9.3.2).
        is_head = scope["method"] == "HEAD"
        inner = {**scope, "method": "GET", IS_HEAD: True} if is_head else scope
        exchange = _Exchange(self.responder, scope, inner, began)
        try:
            answer = await self._answer(exchange, receive)
            if isinstance(answer, StreamingResponse | FileResponse):
                await self._stream(answer, exchange, receive, send)
                return
            response = exchange.response(answer)
        except Exception as error:
            if exchange.begun:
                # The server can only cut the connection.
                raise
            response = exchange.response(problem_of(error, inner, self.root_path))
        await deliver(scope, send, response)

    async def _answer(self, exchange: _Exchange, receive: Receive) -> ReadAnswer | Response:
        scope, sent = exchange.inner, fast_request_of(exchange.scope).headers
        if scope["method"] == "OPTIONS" and sent.keys() >= PREFLIGHT:
            exchange.is_preflight = True
            return self.preflights.preflight_response(Headers(scope=scope))
        rules = rate_limits.current_rules.get()
        if rules.can_refuse and rules.refuse(address_of(scope)) and scope["path"] not in PROBES:
            raise NetworkRefusedError
        if self.trusted_origins is not None and scope["method"] not in SAFE_METHODS:
            refuse_cross_site(Headers(scope=scope), self.trusted_origins)
        found = self.index.find(scope)
        if found is None:
            return await self._without_route(scope, receive)
        route, child_scope = found
        scope.update(child_scope)
        exchange.route, endpoint = route, route.endpoint
        if self.is_development:
            await development.provoke(Headers(scope=scope).get(development.PROVOKE))
        request = Request(scope, receive)
        if not isinstance(endpoint, Endpoint):
            answer = await cast("Handler", endpoint)(request)
            return ReadAnswer(answer, {}) if isinstance(answer, ReadResponse) else answer
        await _require_open(route.path_format, endpoint, request)
        exchange.is_strict = endpoint.strict
        exchange.more_headers = endpoint.deprecation.headers if endpoint.deprecation else {}
        return await endpoint.perform(request)

    async def _without_route(self, scope: Scope, receive: Receive) -> Response:
        if allowed := self.index.allowed(scope):
            raise MethodNotAllowedError(allowed)
        from_browser = b"text/html" in fast_request_of(scope).headers.get(b"accept", b"")
        if self.missing_page is None or scope["method"] != "GET" or not from_browser:
            raise NotFoundError
        return await self.missing_page(Request(scope, receive))

    async def _stream(
        self,
        answer: StreamingResponse | FileResponse,
        exchange: _Exchange,
        receive: Receive,
        send: Send,
    ) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.begun = message["status"]
                message = {**message, "headers": exchange.complete(message["headers"])}
            elif exchange.is_head:
                message = {**message, "body": b""}
            await send(message)

        try:
            await answer(exchange.inner, receive, send_with_headers)
        finally:
            if exchange.begun:
                exchange.log(exchange.begun)
