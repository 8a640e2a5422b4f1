"""Spans around requests, outside of everything else. It is there only where traces are."""

from typing import TYPE_CHECKING, Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from adsvc.api.fastpath.entry import Entry
from adsvc.api.fastpath.responder import lookup_of
from adsvc.http.raw import RawResponse

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from adsvc.observability.tracing.tracing import Tracing

KEY = "adsvc.span"


class Proxies(Protocol):
    def __contains__(self, address: str | None, /) -> bool: ...


class Traced:
    """`app` is the entry, with what stands before it. The addresses in `proxies` are trusted."""

    def __init__(self, app: ASGIApp, entry: Entry, tracing: "Tracing", proxies: Proxies) -> None:
        self._app = app
        self._entry = entry
        self._tracing = tracing
        self._proxies = proxies

    def immediate_response(self, scope: Scope) -> RawResponse | None:
        # The task that may be made for the request goes on with it.
        span = scope[KEY] = self._begin(scope)
        if span is None:
            return self._entry.immediate_response(scope)
        with self._tracing.within(span):
            ready = self._entry.immediate_response(scope)
        if ready is not None:
            span.end()
        return ready

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        span = scope.pop(KEY) if KEY in scope else self._begin(scope)
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
        return self._tracing.begin(scope["method"], lookup_of(scope).headers, trusted=trusted)
