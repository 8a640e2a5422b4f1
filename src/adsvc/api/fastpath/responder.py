"""Answers that do not come past the rest of the application, with all that it would have added."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.types import Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from adsvc.api.caching.token_cache import Known
from adsvc.http.headers import PREFERENCE_APPLIED, ResponseHeaders, prefers_strict
from adsvc.http.raw import (
    GIVEN_REQUEST_ID,
    RAW_RESPONSE,
    UUID,
    Header,
    RawHead,
    RawResponse,
    request_id_of,
)
from adsvc.observability.access_log import AccessLog

Headers = dict[bytes, bytes]

KEY = "adsvc.lookup"


@dataclass(slots=True)
class Lookup:
    """Kept with the request, so that nobody asks again what has been asked."""

    # Of headers sent twice the first one counts, as for `starlette.datastructures.Headers`.
    headers: Headers
    # Whether the caches were asked for the answer, and the process for room.
    is_done: bool = False
    # Who asks for one ad, as far as that was found there.
    caller: Known | None = None

    @property
    def authorization(self) -> str:
        return self.headers.get(b"authorization", b"").decode("latin-1")

    @property
    def conditions(self) -> tuple[str | None, str]:
        """What decides on the form of an answer: `If-None-Match`, `Accept-Encoding`."""
        if_none_match = self.headers.get(b"if-none-match")
        return (
            if_none_match.decode("latin-1") if if_none_match else None,
            self.headers.get(b"accept-encoding", b"").decode("latin-1"),
        )


def lookup_of(scope: Scope) -> Lookup:
    found: Lookup | None = scope.get(KEY)
    if found is None:
        found = scope[KEY] = Lookup(dict(reversed(scope["headers"])))
    return found


class Responder:
    """Who is in `proxies` is believed about the scheme."""

    def __init__(
        self,
        decided: ResponseHeaders,
        access_log: AccessLog,
        proxies: Sequence[str],
    ) -> None:
        self._decided = decided
        self._access_log = access_log
        self.proxies = ProxyHeadersMiddleware(_nothing, list(proxies)).trusted_hosts

    def ready(
        self,
        scope: Scope,
        headers: Headers,
        head: RawHead,
        body: bytes,
        *,
        request_id: str | None = None,
        route: str | None = None,
        user_id: int | None = None,
        ad_id: int | None = None,
        told: Sequence[Header] = (),
        began: float,
    ) -> RawResponse:
        """The answer to that request, about to be sent: its line is in the log.

        `told` are headers for this caller alone.
        """
        request_id = request_id or request_id_of(scope)
        secure = self._is_secure(scope, headers)
        own = [*self._decided.own(request_id, headers.get(b"origin"), secure=secure), *told]
        if b"prefer" in headers and prefers_strict(scope["headers"]):
            own.append(PREFERENCE_APPLIED)
        method = scope["method"]
        seconds = time.perf_counter() - began
        self._access_log.write(request_id, method, route, head.status, seconds, user_id, ad_id)
        return RawResponse(head, own, b"" if method == "HEAD" else body)

    def believe(self, scope: Scope, headers: Headers) -> None:
        """Keeps the id that a trusted proxy gave the request, if it is a UUID.

        Whatever else a proxy passes on may be the client's words, which are not echoed or logged.
        """
        given = headers.get(b"x-request-id")
        if given is not None and UUID.fullmatch(given):
            client = scope.get("client")
            if client is not None and client[0] in self.proxies:
                scope[GIVEN_REQUEST_ID] = given.decode().lower()

    def _is_secure(self, scope: Scope, headers: Headers) -> bool:
        """As a trusted proxy says, which at this place may not have been listened to yet."""
        if scope["scheme"] == "https" or b"x-forwarded-proto" not in headers:
            return bool(scope["scheme"] == "https")
        client = scope.get("client")
        said = dict(scope["headers"])[b"x-forwarded-proto"]
        return client is not None and client[0] in self.proxies and said.strip() == b"https"


async def _nothing(*_: object) -> None:
    """What stands behind a piece of middleware that is asked only whom it trusts."""


async def deliver(scope: Scope, send: Send, ready: RawResponse) -> None:
    """In one piece where the server takes it so."""
    in_one_piece = scope.get("extensions", {}).get(RAW_RESPONSE)
    if in_one_piece is not None and in_one_piece(ready):
        return
    headers = [*ready.head.headers, *ready.own]
    start = {"type": "http.response.start", "status": ready.head.status, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": ready.body})
