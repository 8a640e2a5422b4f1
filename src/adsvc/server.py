"""The HTTP server: uvicorn, with deadlines and limits for what clients send.

uvicorn trusts clients to send their requests in reasonable time and size; a reverse proxy usually
sees to that. Here it holds without one.
"""

import asyncio
import json
import uuid
from dataclasses import dataclass
from functools import cache
from typing import Any

from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from adsvc.settings import Settings, load_settings


@dataclass(frozen=True, slots=True)
class Refusal:
    """A problem (RFC 9457) that ends the connection before the application sees a request."""

    status: int
    slug: str
    title: str
    explanation: str

    def answer(self) -> bytes:
        request_id = str(uuid.uuid4())
        body = json.dumps(
            {
                "type": f"/problems#{self.slug}",
                "title": self.title,
                "status": self.status,
                "detail": self.explanation,
                "instance": f"urn:uuid:{request_id}",
            }
        ).encode()
        head = (
            "content-type: application/problem+json\r\n"
            f"content-length: {len(body)}\r\n"
            f"x-request-id: {request_id}\r\n"
            "connection: close\r\n\r\n"
        )
        return STATUS_LINE[self.status] + head.encode() + body


BAD_REQUEST = Refusal(
    400,
    "malformed-http",
    "The request is not valid HTTP",
    "What arrived cannot be read as an HTTP/1.1 request.",
)
TIMED_OUT = Refusal(
    408,
    "request-timeout",
    "The request did not arrive in time",
    "The head of a request, and then its body, must be complete within a time each.",
)
HEADERS_TOO_LARGE = Refusal(
    431,
    "headers-too-large",
    "The request line or the headers are too large",
    "Their size together and the number of headers are limited.",
)
REFUSALS = (BAD_REQUEST, TIMED_OUT, HEADERS_TOO_LARGE)


@cache
def _settings() -> Settings:
    """Each worker process has read its environment by the time it accepts a connection."""
    return load_settings()


class BoundedProtocol(HttpToolsProtocol):
    """Closes connections that stay silent, drip, or send headers without end.

    The head of a request must be complete some seconds after the connection opens or, on a kept
    one, after its first byte; the body some seconds after the head.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as uvicorn's
        super().__init__(*args, **kwargs)
        settings = _settings()
        self._head_seconds = settings.header_timeout_seconds
        self._body_seconds = settings.body_timeout_seconds
        self._head_limit = settings.header_max_bytes
        self._header_limit = settings.header_max_count
        self._deadline: asyncio.TimerHandle | None = None
        self._in_head = True
        self._head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect(self._head_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self._in_head:
            if self._deadline is None:
                self._expect(self._head_seconds)
            self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > self._head_limit:
            self._refuse(HEADERS_TOO_LARGE)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True

    def on_header(self, name: bytes, value: bytes) -> None:
        if len(self.headers) >= self._header_limit:
            self._refuse(HEADERS_TOO_LARGE)
            return
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        if self.transport.is_closing():
            return
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if size > self._head_limit:
            self._refuse(HEADERS_TOO_LARGE)
            return
        self._expect(self._body_seconds)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if not self.transport.is_closing():
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._expect(None)
        # What follows on this connection is the next request's head.
        self._in_head = True
        self._head_bytes = 0
        if not self.transport.is_closing():
            super().on_message_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's words, not ours
        """Called for what the parser refuses."""
        self._refuse(BAD_REQUEST)

    def _expect(self, seconds: float | None) -> None:
        """The client has that long for what comes next; None: it owes nothing now."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(seconds, self._time_out) if seconds else None

    def _time_out(self) -> None:
        self._refuse(TIMED_OUT)

    def _refuse(self, refusal: Refusal) -> None:
        """Answers if the application has not begun to, and closes the connection."""
        if self.transport.is_closing():
            return
        # uvicorn's annotation leaves out that there is none before the first request.
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and not cycle.response_complete:
            # The application, waiting for the body, learns that its client has gone.
            cycle.disconnected = True
            cycle.message_event.set()
        if cycle is None or cycle.response_complete or not cycle.response_started:
            self.transport.write(refusal.answer())
        self._expect(None)
        self.transport.close()
