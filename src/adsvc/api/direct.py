"""Answers that do not come past the rest of the application, with all that it would have added."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from starlette.types import Scope, Send

from adsvc.access_log import AccessLog
from adsvc.api.answers import Header
from adsvc.api.middleware import TRANSPORT_SECURITY

# Else a cache gives a page that may read an answer what it once gave one that may not.
VARY: Header = (b"vary", b"Origin")


@dataclass(frozen=True, slots=True)
class DirectAnswers:
    """`cors` gives the headers for an origin."""

    cors: Callable[[bytes], tuple[Header, ...]]
    access_log: AccessLog

    async def send(
        self,
        scope: Scope,
        send: Send,
        answer: tuple[int, Iterable[Header], bytes],
        *,
        request_id: str,
        origin: bytes | None,
        route: str | None = None,
        user_id: int | None = None,
        began: float,
    ) -> None:
        status, headers, body = answer
        all_headers = [*headers, VARY, (b"x-request-id", request_id.encode())]
        if scope["scheme"] == "https":
            all_headers.append((b"strict-transport-security", TRANSPORT_SECURITY.encode()))
        if origin is not None:
            all_headers += self.cors(origin)
        await send({"type": "http.response.start", "status": status, "headers": all_headers})
        body = b"" if scope["method"] == "HEAD" else body
        await send({"type": "http.response.body", "body": body})
        seconds = time.perf_counter() - began
        self.access_log.write(request_id, scope["method"], route, status, seconds, user_id)
