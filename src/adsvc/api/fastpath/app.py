"""The application in front of the web framework, which costs several times what some answers do.

It answers from memory, rejects what exceeds the capacity of the process, and runs the operations
that are called most. A rejection comes before all other work for a request, so that it costs a
fraction of an answer: otherwise requests beyond capacity would take the time of those within it.
"""

import re
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from starlette.datastructures import State
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adsvc.addresses import client_network
from adsvc.api.app_state import AppState
from adsvc.api.fastpath.cached import CacheLookup, Responder, deliver, fast_request_of
from adsvc.api.fastpath.reads import FastReads
from adsvc.api.input.filters import FILTERS
from adsvc.api.problems.handlers import problem_response
from adsvc.bulkheads.admission import CONNECTION, current_connection, idle
from adsvc.errors import OverloadedError
from adsvc.http.responses import RawHead, RawResponse, request_id_of, secured
from adsvc.services.accounts.networks import wider_networks

LIVENESS_PATH = "/livez"

READINESS_PATH = "/readyz"

# Probes are never rejected: a rejected one would make a supervisor end a process for being busy.
PROBES = frozenset({LIVENESS_PATH, READINESS_PATH})

# Operations that need a pool, whatever else comes of them.
HASHING = frozenset({("POST", "/login"), ("POST", "/register")})

IMAGE_OF_AD = "/ads/{id}/image"

IMAGES_OF_AD = "/ads/{id}/images"

UPLOADS = frozenset(
    {
        ("POST", "/ads"),
        ("POST", IMAGES_OF_AD),
        ("PATCH", IMAGE_OF_AD),
        ("PATCH", "/users/me/image"),
    }
)

IMAGE_OF_AD_PATH = re.compile(r"/ads/[^/]+/(images?)")

# Reads that need one if they have a filter.
SEARCHES = frozenset({"/ads", "/ads.atom", "/ads/facets"})

FILTERED = re.compile(rf"(?:^|&)(?:{'|'.join(FILTERS)})=".encode())

# Pools that operations are refused for.
POOLS = ("passwords", "pictures", "searches")

# Stands in the prepared refusal where each has its own.
REQUEST_ID = str(uuid.UUID(int=0))


class LoadShedding:
    """Lets in so many requests that the process is busy with, and refuses the next.

    A request is refused, too, if the pool that it needs is full (see `adsvc.bulkheads`).

    One that waits for its client, to send or to take, does not count, so that slow clients cannot
    use up the places of quick ones.
    """

    def __init__(
        self, *, capacity: int, per_client: int, state: State, responder: Responder, root_path: str
    ) -> None:
        """One client, an address or the /64 of IPv6, has `per_client` of the capacity.

        Each network around it has three quarters: one person may have a whole /48.
        """
        self.capacity = capacity
        self.per_client = per_client
        self.per_network = max(per_client, capacity * 3 // 4)
        self.busy_with: Counter[str] = Counter()
        self.state = state
        self.responder = responder
        self.busy = 0
        # Refusals, by what there was no room in.
        self.shed = Counter(dict.fromkeys(("busy", *POOLS), 0))
        refusal = problem_response(OverloadedError(), REQUEST_ID, root_path)
        self._head = RawHead(refusal.status_code, secured(refusal.raw_headers))
        self._before, self._after = bytes(refusal.body).split(REQUEST_ID.encode())

    @property
    def is_full(self) -> bool:
        return self.busy >= self.capacity

    def has_its_share(self, scope: Scope) -> bool:
        """Behind a proxy, only after the proxy's headers have been read."""
        client = _client_of(scope)
        return self.busy_with[client] >= self.per_client or any(
            self.busy_with[network] >= self.per_network for network in _around(client)
        )

    def refusal(self, scope: Scope) -> RawResponse | None:
        """None if the request may come in."""
        route, pool = self._meant_for_a_full_pool(scope)
        if not self.is_full and route is None and not self.has_its_share(scope):
            return None
        if scope["path"] in PROBES or _is_preflight(scope):
            return None
        self.shed[pool if route else "busy"] += 1
        began = time.perf_counter()
        request_id = request_id_of(scope)
        # The ids of all requests are equally long, and so are the bodies.
        body = self._before + request_id.encode() + self._after
        headers = fast_request_of(scope).headers
        return self.responder.ready(
            scope, headers, self._head, body, request_id=request_id, route=route, began=began
        )

    def _meant_for_a_full_pool(self, scope: Scope) -> tuple[str | None, str]:
        """The route of the operation, if that needs a pool which is full, and the pool's name."""
        method, path = scope["method"], scope["path"]
        state: AppState = self.state.state
        if method in {"GET", "HEAD"} and path in SEARCHES and state.searches.is_full:
            return path if FILTERED.search(scope["query_string"]) else None, "searches"
        if method not in {"POST", "PATCH"}:
            return None, ""
        of_ad = IMAGE_OF_AD_PATH.fullmatch(path)
        route = f"/ads/{{id}}/{of_ad[1]}" if of_ad else path
        if (method, route) in HASHING:
            return route if state.password_pool.is_full else None, "passwords"
        if (method, route) in UPLOADS:
            return route if state.image_pool.is_full else None, "pictures"
        return None, ""

    async def admit(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] in PROBES or _is_preflight(scope):
            await app(scope, receive, send)
            return
        place = _BusySlot(self, _client_of(scope))
        idle.set(place.given_up)

        async def receive_unbusily() -> Message:
            with place.given_up():
                message = await receive()
            if message["type"] == "http.disconnect":
                # Many clients may go at once, and what is left to do for them is little.
                place.give_up()
            return message

        async def send_unbusily(message: Message) -> None:
            with place.given_up():
                await send(message)

        try:
            await app(scope, receive_unbusily, send_unbusily)
        finally:
            place.give_up()


def _is_preflight(scope: Scope) -> bool:
    """Costs little, and when it fails a browser does not tell its page why."""
    return bool(scope["method"] == "OPTIONS")


def _client_of(scope: Scope) -> str:
    client = scope.get("client")
    return client_network(client[0]) if client else ""


@lru_cache(maxsize=4096)
def _around(client: str) -> Sequence[str]:
    return wider_networks(client.partition("/")[0])


class _BusySlot:
    """One request's part of the count: taken, unless it waits for its client in some way.

    A response that is streamed waits twice at once: to send more, and for the client to disconnect.
    """

    def __init__(self, shedding: LoadShedding, client: str) -> None:
        self._shedding = shedding
        self._parties = (client, *_around(client))
        self._waits = 0
        self._count(1)

    def _count(self, number: int) -> None:
        self._shedding.busy += number
        busy_with = self._shedding.busy_with
        for party in self._parties:
            busy_with[party] += number
            if not busy_with[party]:
                del busy_with[party]

    def give_up(self) -> None:
        self._waits += 1
        if self._waits == 1:
            self._count(-1)

    @contextmanager
    def given_up(self) -> Iterator[None]:
        self.give_up()
        try:
            yield
        finally:
            self._waits -= 1
            if self._waits == 0:
                self._count(1)


@dataclass(frozen=True, slots=True)
class FastPathApp:
    app: ASGIApp
    cache: CacheLookup
    shedding: LoadShedding
    reads: FastReads

    def immediate_response(self, scope: Scope) -> RawResponse | None:
        lookup = fast_request_of(scope)
        lookup.is_done = True
        self.shedding.responder.accept_request_id(scope, lookup.headers)
        return self.cache.find(scope) or self.shedding.refusal(scope)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        current_connection.set(scope.get("state", {}).get(CONNECTION))
        ready = None
        # The protocol class has called `immediate_response` already, unless other requests on the
        # connection came before. Requests that were admitted since count all the same.
        shedding = self.shedding
        if shedding.is_full or shedding.has_its_share(scope) or not fast_request_of(scope).is_done:
            ready = self.immediate_response(scope)
        if ready is not None:
            await deliver(scope, send, ready)
        else:
            await self.shedding.admit(self._inside, scope, receive, send)

    async def _inside(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_read = scope["method"] in {"GET", "HEAD"}
        ready = await self.reads.answer(scope) if is_read else None
        if ready is None:
            await self.app(scope, receive, send)
        else:
            await deliver(scope, send, ready)


if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from adsvc.observability.opentelemetry import Tracing

SPAN_KEY = "adsvc.span"


class Proxies(Protocol):
    def __contains__(self, address: str | None, /) -> bool: ...


class Traced:
    """`app` is the entry, with what stands before it. The addresses in `proxies` are trusted."""

    def __init__(
        self, app: ASGIApp, fast_path: FastPathApp, tracing: "Tracing", proxies: Proxies
    ) -> None:
        self._app = app
        self._fast_path = fast_path
        self._tracing = tracing
        self._proxies = proxies

    def immediate_response(self, scope: Scope) -> RawResponse | None:
        # The task that may be made for the request goes on with it.
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
