"""Refuses at once what the process could only answer late, or not at all.

The refusal stands before all else that is done for a request, so that it costs a fraction of an
answer: what comes beyond capacity would otherwise eat the time of what is within it.
"""

import re
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache

from starlette.datastructures import State
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adsvc.addresses import client_network
from adsvc.api.app_state import AppState
from adsvc.api.fastpath.responder import Responder, lookup_of
from adsvc.api.input.filters import FILTERS
from adsvc.api.problems.handlers import problem_response
from adsvc.bulkheads.clients import idle
from adsvc.errors import OverloadedError
from adsvc.http.headers import secured
from adsvc.http.raw import RawHead, RawResponse, request_id_of
from adsvc.services.accounts.networks import wider_networks

LIVENESS_PATH = "/livez"

READINESS_PATH = "/readyz"

# These are not refused: whoever asks them would end a process for being busy, or send its clients
# elsewhere.
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

    def __init__(self, *, capacity: int, per_client: int, state: State, direct: Responder) -> None:
        """One client, an address or the /64 of IPv6, has `per_client` of the capacity.

        Each network around it has three quarters: one person may have a whole /48.
        """
        self.capacity = capacity
        self.per_client = per_client
        self.per_network = max(per_client, capacity * 3 // 4)
        self.busy_with: Counter[str] = Counter()
        self.state = state
        self.direct = direct
        self.busy = 0
        # Refusals, by what there was no room in.
        self.shed = Counter(dict.fromkeys(("busy", *POOLS), 0))
        refusal = problem_response(OverloadedError(), REQUEST_ID)
        self._head = RawHead(refusal.status_code, secured(refusal.raw_headers))
        self._before, self._after = bytes(refusal.body).split(REQUEST_ID.encode())

    @property
    def is_full(self) -> bool:
        return self.busy >= self.capacity

    def has_its_share(self, scope: Scope) -> bool:
        """Behind a proxy this is known only when it has said whose request it is."""
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
        headers = lookup_of(scope).headers
        return self.direct.ready(
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
            return route if state.credentials.is_full else None, "passwords"
        if (method, route) in UPLOADS:
            return route if state.image_pool.is_full else None, "pictures"
        return None, ""

    async def let_in(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
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

    A picture that is sent waits in two at once, to send more and to hear whether its client goes.
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
