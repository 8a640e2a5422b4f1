"""Operations that change something, performed without the framework's layers around them.

What each does is `Operation.perform`, whoever calls it. Of a change of one statement, the layers
and the search for the route took more time than all the rest. `routed` finds routes for both ways.
"""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, cast

from fastapi import APIRouter, Request, Response
from starlette.convertors import PathConvertor
from starlette.datastructures import Headers, State
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HEADER_VALUE_RE

from adsvc.api.dependencies.caller import address_of
from adsvc.api.dependencies.writes import Operation, WriteRoute
from adsvc.api.fastpath.cached import Responder, fast_request_of
from adsvc.api.input.parameters import ad_id_of
from adsvc.api.middleware import refuse_cross_site
from adsvc.api.problems.handlers import problem_of
from adsvc.http.responses import RawResponse, request_id_of, secured_head
from adsvc.services import audit


class RouteIndex:
    """The routes by method, length and first segment of their paths, in their order.

    A router tries all its routes in turn, sixty of them before that of a comment.
    """

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        methods = {method for route in routes for method in _methods(route)}
        keys = [
            (route, _methods(route) or methods, _start(route), _length(route)) for route in routes
        ]
        starts = {start for _, _, start, _ in keys if start is not None}
        lengths = {length for _, _, _, length in keys if length is not None}
        self._routes: dict[tuple[str, str, int], list[BaseRoute]] = {}
        for route, allowed, first, segments in keys:
            # It may be for any method, for any first segment, and for any length.
            for key in product(
                allowed,
                starts if first is None else (first,),
                lengths if segments is None else (segments,),
            ):
                self._routes.setdefault(key, []).append(route)

    def find(self, scope: Scope) -> tuple[BaseRoute, Scope] | None:
        """The route, and what it adds to the scope. None if only the router can say."""
        _, *segments = scope["path"].split("/")
        if scope.get("root_path") or not segments:
            return None
        key = scope["method"], segments[0], len(segments)
        for route in self._routes.get(key, ()):
            match, child_scope = route.matches(scope)
            if match is Match.FULL:
                return route, child_scope
        return None


def _methods(route: BaseRoute) -> Collection[str]:
    return getattr(route, "methods", None) or ()


def _start(route: BaseRoute) -> str | None:
    """The first segment of its path; None if that is a parameter."""
    start = (getattr(route, "path", "") or "/{any}").split("/")[1]
    return None if "{" in start else start


def _length(route: BaseRoute) -> int | None:
    """How many segments its path has; None if any number."""
    if not isinstance(route, Route):
        return None
    of_several = any(isinstance(each, PathConvertor) for each in route.param_convertors.values())
    return None if of_several else len(route.path.split("/")) - 1


def routed(router: APIRouter) -> RouteIndex:
    """Lets the router find its routes by an index, which is returned."""
    index, search = RouteIndex(router.routes), router.middleware_stack

    async def route(scope: Scope, receive: Receive, send: Send) -> None:
        found = index.find(scope) if scope["type"] == "http" else None
        if found is None:
            await search(scope, receive, send)
            return
        scope.setdefault("router", router)
        scope.update(found[1])
        await found[0].handle(scope, receive, send)

    # Where Starlette puts middleware of a router.
    router.middleware_stack = route
    return index


@dataclass(frozen=True, slots=True)
class FastWrites:
    app: ASGIApp
    state: State
    responder: Responder
    index: RouteIndex
    # The origins whose pages may send changes; None if others may, as they get no credentials.
    trusted_origins: Collection[str] | None

    async def answer(self, scope: Scope, receive: Receive) -> RawResponse | None:
        """The response; None if the request is for the framework.

        That is one for no `Operation`, for one with more around it, or one with preferences.
        """
        lookup = fast_request_of(scope)
        found = None if b"prefer" in lookup.headers else self.index.find(scope)
        if found is None:
            return None
        route, child_scope = found
        # A subclass does more.
        if type(route) is not WriteRoute:
            return None
        began = time.perf_counter()
        request_id = request_id_of(scope)
        request_state: dict[str, Any] = scope.setdefault("state", {})
        request_state["request_id"] = request_id
        audit.origin.set(audit.Origin(request_id, address_of(scope)))
        scope.update(child_scope)
        scope["app"] = self.app
        try:
            if self.trusted_origins is not None:
                refuse_cross_site(Headers(scope=scope), self.trusted_origins)
            response = await cast("Operation", route.endpoint).perform(Request(scope, receive))
            _check(response)
        except Exception as error:  # noqa: BLE001 - as `ErrorBoundary` does
            response = problem_of(error, scope, self.state.state.settings.root_path)
        return self.responder.ready(
            scope, lookup.headers,
            secured_head(response.status_code, self.responder.below_prefix(response.raw_headers)),
            bytes(response.body),
            request_id=request_id, route=route.path_format, user_id=request_state.get("user_id"),
            # The path of a new ad has no id.
            ad_id=request_state.get("ad_id") or ad_id_of(scope, route.path_format), began=began,
        )  # fmt: skip


def _check(response: Response) -> None:
    """As uvicorn, which does not look at a response that is sent in one piece."""
    if HEADER_VALUE_RE.search(b"".join([value for _, value in response.raw_headers])):
        raise RuntimeError("Invalid HTTP header value.")
