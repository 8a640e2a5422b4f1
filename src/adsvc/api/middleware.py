"""Plain ASGI middleware: around every request, whether a route matches or not, and operations."""

import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import SAFELISTED_HEADERS, CORSMiddleware
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adsvc.api.dependencies.caller import address_of
from adsvc.api.dependencies.writes import takes_validate
from adsvc.api.input.parameters import VALIDATE, ad_id_of, refuse_unknown_parameters
from adsvc.api.problems.handlers import problem_of
from adsvc.errors import CrossSiteError
from adsvc.http.responses import (
    CORS_METHODS,
    CORS_REQUEST_HEADERS,
    PREFERENCE_APPLIED,
    ResponseHeaders,
    prefers_strict,
    request_id_of,
)
from adsvc.observability.logging import AccessLog
from adsvc.services import audit

# In the state of a request that is handled strictly.
APPLIED = "is_strict"

# RFC 6749 §3.2 requires OAuth's endpoints to ignore unknown parameters. Probes have no clients.
NEVER_STRICT = frozenset({"/token", "/revoke", "/livez", "/readyz"})

# Methods that change nothing (RFC 9110 §9.2.1).
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


class RequestContext:
    """Gives each request an id, adds headers to its response, and writes a line to the access log.

    The id is made here, or is a trusted proxy's. It is never taken from the client, because a
    response must not repeat a client's text.
    """

    def __init__(
        self, app: ASGIApp, response_headers: ResponseHeaders, access_log: AccessLog
    ) -> None:
        self.app = app
        self.response_headers = response_headers
        self.access_log = access_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        request_id = request_id_of(scope)
        scope.setdefault("state", {})["request_id"] = request_id
        audit.origin.set(audit.Origin(request_id, address_of(scope)))
        origin = dict(reversed(scope["headers"])).get(b"origin")
        own = self.response_headers.own(request_id, origin, secure=scope["scheme"] == "https")
        status = 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                if status == 204:  # noqa: PLR2004 - a status
                    # A 204 has no content (RFC 9110 §8.6), whatever headers the framework gives it.
                    for name in ("content-type", "content-length"):
                        del headers[name]
                if scope["state"].get(APPLIED):
                    own.append(PREFERENCE_APPLIED)
                message = {**message, "headers": self.response_headers.complete(headers.raw, own)}
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        finally:
            self._log(scope, status, time.perf_counter() - began)

    def _log(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope.get("route")
        template = getattr(route, "path_format", getattr(route, "path", None))
        state = scope["state"]
        self.access_log.write(
            state["request_id"],
            scope["method"],
            template,
            status,
            seconds,
            state.get("user_id"),
            # The path of a new ad has no id.
            state.get("ad_id") or ad_id_of(scope, template),
        )


class ErrorBoundary:
    """Answers errors that no handler caught."""

    def __init__(self, app: ASGIApp, root_path: str) -> None:
        self.app = app
        self.root_path = root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def send_and_note(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, receive, send_and_note)
        except Exception as error:
            if started or scope["type"] != "http":
                # The response has begun, so the server can only cut the connection.
                raise
            await problem_of(error, scope, self.root_path)(scope, receive, send)


class CrossSite:
    """Refuses changes that pages of other origins send (cross-site request forgery).

    A browser adds the Basic credentials that it has stored to the requests of any page. A form
    needs no permission by CORS for that.
    """

    def __init__(self, app: ASGIApp, allow_origins: Collection[str]) -> None:
        self.app = app
        self.allow_origins = allow_origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] not in SAFE_METHODS:
            refuse_cross_site(Headers(scope=scope), self.allow_origins)
        await self.app(scope, receive, send)


def refuse_cross_site(headers: Headers, allow_origins: Collection[str]) -> None:
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if origin in allow_origins or site in {"same-origin", "none"}:
        return
    if site is None and (origin is None or urlsplit(origin).netloc == headers.get("host")):
        # No browser, or an old one without `Sec-Fetch-Site`: then `Origin` decides.
        return
    raise CrossSiteError


class Preflights(CORSMiddleware):
    """Starlette's, but a preflight that fails is no error: its response has no permission.

    It decides nothing for other requests.
    """

    def __init__(self, app: ASGIApp, allow_origins: Collection[str]) -> None:
        super().__init__(
            app,
            allow_origins=allow_origins,
            allow_methods=CORS_METHODS,
            allow_headers=CORS_REQUEST_HEADERS,
            allow_credentials=True,
        )
        # Starlette adds the headers that need no permission, in its own spelling.
        names = {name.lower() for name in (*CORS_REQUEST_HEADERS, *SAFELISTED_HEADERS)}
        self.preflight_headers["Access-Control-Allow-Headers"] = ", ".join(sorted(names))

    def preflight_response(self, request_headers: Headers) -> Response:
        headers = super().preflight_response(request_headers).headers
        for name in ("content-length", "content-type"):
            del headers[name]
        return Response(status_code=204, headers=headers)

    async def simple_response(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        request_headers: Headers,  # noqa: ARG002 - Starlette's
    ) -> None:
        await self.app(scope, receive, send)


# In a scope: only the head of the response is wanted.
IS_HEAD = "adsvc.is_head"


class HeadAsGet:
    """Every GET also answers HEAD: the same headers without the body (RFC 9110 §9.3.2)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        # What would go on for ever need not begin.
        as_get = {**scope, "method": "GET", IS_HEAD: True}
        await self.app(as_get, receive, send_without_body)
        scope["route"] = as_get.get("route")
        scope["path_params"] = as_get.get("path_params", {})


@dataclass(frozen=True, slots=True)
class Strict:
    """An operation. It rejects unknown parameters if the client prefers that.

    `Prefer: handling=strict` (RFC 7240 §4.4). Members of bodies are checked where bodies are read.
    """

    perform: ASGIApp
    methods: frozenset[str]
    parameters: frozenset[str]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] in self.methods and prefers_strict(scope["headers"]):
            scope["state"][APPLIED] = True
            refuse_unknown_parameters(scope, self.parameters)
        await self.perform(scope, receive, send)


def may_be_strict(route: APIRoute) -> bool:
    return route.include_in_schema and route.path_format not in NEVER_STRICT


def heed_strictness(routes: Iterable[BaseRoute]) -> None:
    """Wraps the routes that are in the OpenAPI document."""
    for route in routes:
        if not isinstance(route, APIRoute) or not may_be_strict(route):
            continue
        # Every application of a process shares the routers, so wrap each route once.
        if not isinstance(route.handle, Strict):
            parameters = frozenset(_parameters(route))
            strict = Strict(route.handle, frozenset(route.methods or ()), parameters)
            route.handle = strict  # type: ignore[method-assign]


def _parameters(route: APIRoute) -> Iterator[str]:
    yield from _declared(route.dependant)
    # Those that the operation reads itself.
    documented = (route.openapi_extra or {}).get("parameters", ())
    yield from (each["name"] for each in documented if each["in"] == "query")
    if takes_validate(route):
        yield VALIDATE


def _declared(dependant: Dependant) -> Iterator[str]:
    for field in dependant.query_params:
        annotation = field.field_info.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from (of.alias or name for name, of in annotation.model_fields.items())
        else:
            yield field.alias
    for other in dependant.dependencies:
        yield from _declared(other)
