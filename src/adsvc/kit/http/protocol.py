"""The protocol class with deadlines and limits for what clients send."""

import asyncio
import json
import logging
import re
import socket
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar, Protocol, cast

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from adsvc.kit.addresses import client_network, unmapped
from adsvc.kit.bulkheads.admission import CONNECTION, ClientConnection
from adsvc.kit.http.connection import (
    LINGER_BYTES,
    QUIET_SECONDS,
    Deadline,
    LingeringProtocol,
    Traffic,
    make_room,
)
from adsvc.kit.http.messages import Header, encode, new_request_id, secured
from adsvc.kit.process.setup import drain, room
from adsvc.kit.settings.groups import ProtocolSettings

VERSIONS = {"1.0", "1.1"}

# RFC 9110 §7.2: a name or an address, and a port. It may be empty.
HOST = re.compile(rb"(?:[\w.~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?")

# Headers that the parser obeys even in trailers, where they mean nothing (RFC 9110 §6.5.1).
NO_TRAILERS = {b"connection", b"proxy-connection", b"upgrade"}


def is_clear(version: str, headers: Iterable[Header]) -> bool:
    """Whether version and headers are clearly one request. The parser has checked the lengths."""
    hosts = 0
    for name, value in headers:
        if name == b"host":
            hosts += 1
            if HOST.fullmatch(value) is None:
                return False
        elif name == b"transfer-encoding" and (value.lower() != b"chunked" or version != "1.1"):
            # Only `chunked` is decoded, and HTTP/1.0 has no transfer codings (RFC 9112 §6.1).
            return False
    return version in VERSIONS and (hosts == 1 or (hosts == 0 and version == "1.0"))


@dataclass(frozen=True, slots=True)
class ProtocolProblem:
    """A problem (RFC 9457) that ends the connection before the application sees a request."""

    status: int
    slug: str
    title: str
    explanation: str

    def answer(self, request_id: str, root_path: str) -> bytes:
        body = json.dumps(
            {
                "type": f"{root_path}/problems#{self.slug}",
                "title": self.title,
                "status": self.status,
                "detail": self.explanation,
                "instance": f"urn:uuid:{request_id}",
            }
        ).encode()
        headers = [
            (b"content-type", b"application/problem+json"),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            (b"x-request-id", request_id.encode()),
            (b"connection", b"close"),
        ]
        return STATUS_LINE[self.status] + encode(secured(headers)) + b"\r\n" + body


BAD_REQUEST = ProtocolProblem(
    400,
    "malformed-http",
    "The request is not valid HTTP",
    "What arrived cannot be read as an HTTP/1.1 request.",
)

TIMED_OUT = ProtocolProblem(
    408,
    "request-timeout",
    "The request did not arrive in time",
    "The head of a request, and then its body, must be complete within a time each.",
)

HEADERS_TOO_LARGE = ProtocolProblem(
    431,
    "headers-too-large",
    "The request line or the headers are too large",
    "Their size together and the number of headers are limited.",
)

PROTOCOL_PROBLEMS = (BAD_REQUEST, TIMED_OUT, HEADERS_TOO_LARGE)

UPGRADE = b"upgrade"


class ParserCallbacks(Protocol):
    """What the parser calls: the protocol class of a connection."""

    url: bytes
    headers: list[tuple[bytes, bytes]]

    def is_over(self) -> bool:
        """Whether reading has stopped."""


class RequestParser:
    """Parses requests, and ignores offers of other protocols, as a server may (RFC 9110 §7.8).

    llhttp does not ignore them. It ends such a message with its head, because the rest would be in
    the other protocol, and then takes the body for the next request. So the head is parsed again,
    without `Upgrade`, by a new parser, which goes on with the body. The protocol class ignores the
    first pass, in which `should_upgrade()` is true, and then gets the head a second time.
    """

    def __init__(self, callbacks: ParserCallbacks) -> None:
        self._callbacks = callbacks
        self._begin()

    def _begin(self) -> None:
        parser = httptools.HttpRequestParser(self._callbacks)
        # As in uvicorn: bytes after the last request are not an error.
        parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._parser = parser
        self.get_http_version = parser.get_http_version
        self.get_method = parser.get_method
        self.should_upgrade = parser.should_upgrade

    def should_keep_alive(self) -> bool:
        """False when the process is ending: a proxy then connects to another one."""
        return not drain.is_announced and self._parser.should_keep_alive()

    def feed_data(self, data: bytes) -> None:
        while data:
            try:
                self._parser.feed_data(data)
            except httptools.HttpParserUpgrade as offer:
                rest = data[offer.args[0] :]
            else:
                return
            if self._callbacks.is_over():
                return
            head = self._head_without_upgrade()
            self._begin()
            data = head + rest

    def _head_without_upgrade(self) -> bytes:
        method = self._parser.get_method()
        version = self._parser.get_http_version().encode()
        fields = [
            b"%b: %b\r\n" % (name, value)
            for name, value in self._callbacks.headers
            if name != UPGRADE
        ]
        return b"%b %b HTTP/%b\r\n%b\r\n" % (method, self._callbacks.url, version, b"".join(fields))


access_log = logging.getLogger("adsvc.access")

# Each pipelined request takes memory before the application sees it.
MAX_PIPELINED = 64

# A request has a body only with one of these (RFC 9112 §6.3).
FRAMING = {b"content-length", b"transfer-encoding"}

PIECE_BYTES = 16 * 1024

# How long clients can delay the end of a server: less than `adsvc_ops.cli.serve` allows.
ENDING_SECONDS = 5
# How long after that a client can read the refusal.
LEAVING_SECONDS = 0.5

# Closing a connection drops what the client has not taken.
NO_LINGER = struct.pack("ii", 1, 0)

# One iteration of the event loop. Timers may run before readable sockets are read, so a process
# that was delayed would time out clients whose bytes have arrived.
LOOP_SECONDS = 0.001


@cache
def _settings() -> ProtocolSettings:
    """Read once, by the first connection: uvicorn makes the protocol without our settings."""
    return ProtocolSettings()


class BoundedProtocol(LingeringProtocol):
    """Closes connections that are silent, drip, send endless headers, or do not read responses.

    The head of a request must be complete some seconds after the connection opens or, on a reused
    connection, after its first byte. The body must follow within some seconds, or else at a minimum
    rate.
    """

    # A class variable: uvicorn makes the instances, without our state.
    traffic: ClassVar[Traffic] = Traffic()

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as uvicorn's
        super().__init__(*args, **kwargs)
        # A parser with uvicorn's interface, but another class.
        self.parser = RequestParser(self)  # type: ignore[assignment]
        self._limits = _settings()
        self._room = room(self._limits.database_connections)
        self.client_network = ""
        self._client_connection = ClientConnection()
        self._deadline = Deadline(self.loop)
        self._send_deadline = Deadline(self.loop)
        self._in_head = True
        # Set after bytes that are not a request.
        self._stopped_reading = False
        # Bytes since the last piece of a body: request lines, headers, framing.
        self._overhead = 0
        self._field_bytes = 0
        # Bytes of a body after its response.
        self._unwanted = 0
        self.linger_seconds = self._limits.body_timeout_seconds

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.traffic.connections = self.connections
        if self.client is not None:
            self.client = (unmapped(self.client[0]), self.client[1])
            self.client_network = client_network(self.client[0])
        self._deadline.set(self._limits.header_timeout_seconds, self._time_out)
        if len(self.connections) > min(self._limits.connections, self._room):
            make_room(cast("set[BoundedProtocol]", self.connections))

    def connection_lost(self, exc: Exception | None) -> None:
        self._deadline.cancel()
        self._send_deadline.cancel()
        super().connection_lost(exc)
        self._client_connection.leave()

    def data_received(self, data: bytes) -> None:
        if self._linger is not None:
            super().data_received(data)
            return
        # In pieces, so that bytes after the end of a head or of a chunk are counted too.
        for at in range(0, len(data), PIECE_BYTES):
            if not self.is_over():
                self._take(data[at : at + PIECE_BYTES])

    def _take(self, data: bytes) -> None:
        self._overhead += len(data)
        self._ends_here = False
        super().data_received(data)
        if self._in_head and not self._deadline.is_set and not self._ends_here:
            self._deadline.set(self._limits.header_timeout_seconds, self._time_out)
        if self._overhead > self._limits.header_max_bytes:
            self._refuse(HEADERS_TOO_LARGE)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["state"][CONNECTION] = self._client_connection
        self._in_head = True
        self._ends_here = False
        self._field_bytes = 0
        self._unwanted = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_head:
            # Trailers are not used, and must not be taken for headers (RFC 9110 §6.5.1).
            if name.lower() in NO_TRAILERS:
                self._refuse(BAD_REQUEST)
            return
        self._field_bytes += len(name) + len(value)
        if len(self.headers) < self._limits.header_max_count:
            super().on_header(name, value)
        else:
            self._refuse(HEADERS_TOO_LARGE)

    def on_headers_complete(self) -> None:
        if self.is_over():
            return
        if self.parser.should_upgrade():
            # `Upgrade` is ignored: see `RequestParser`. A tunnel cannot be.
            if self.parser.get_method() == b"CONNECT":
                self._refuse(BAD_REQUEST)
            return
        if len(self.url) + self._field_bytes > self._limits.header_max_bytes:
            self._refuse(HEADERS_TOO_LARGE)
        elif (
            not is_clear(self.parser.get_http_version(), self.headers)
            or len(self.pipeline) >= MAX_PIPELINED
        ):
            self._refuse(BAD_REQUEST)
        else:
            self._ends_here = not any(name in FRAMING for name, _ in self.headers)
            super().on_headers_complete()
            self._in_head = False
            if not self._ends_here and not self.is_over():
                limits = self._limits
                self._deadline.set(
                    limits.body_timeout_seconds, self._time_out, at_most=limits.body_max_seconds
                )

    def on_chunk_header(self) -> None:
        self._overhead = 0

    def on_body(self, body: bytes) -> None:
        self._overhead = 0
        if self.is_over():
            return
        self._deadline.extend(len(body) / self._limits.body_min_bytes_per_second)
        if self._newest is None:
            self._unwanted += len(body)
            if self._unwanted > LINGER_BYTES:
                self.transport.close()
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self.is_over() or self.parser.should_upgrade():
            return
        self._deadline.cancel()
        # The next bytes on this connection are the next request's head.
        self._in_head = True
        self._ends_here = True
        self._overhead = 0
        super().on_message_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._send_deadline.set(self._limits.send_timeout_seconds, self._reset)

    def resume_writing(self) -> None:
        self._send_deadline.cancel()
        super().resume_writing()

    def shutdown(self) -> None:
        """The process is ending. Its clients get some time before they are cut off."""
        drain.end_streams()
        super().shutdown()
        self.linger_at_most = LEAVING_SECONDS
        self._deadline.hurry(ENDING_SECONDS)
        self._send_deadline.hurry(ENDING_SECONDS)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's words, not ours
        """Called by uvicorn when the parser refuses a request."""
        self._refuse(BAD_REQUEST)

    def _time_out(self) -> None:
        self._deadline.set(LOOP_SECONDS, partial(self._refuse, TIMED_OUT))

    def timeout_keep_alive_handler(self) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            LOOP_SECONDS, super().timeout_keep_alive_handler
        )

    @property
    def waits_until(self) -> float | None:
        """When an idle client will be cut off. None while the service is the one to act."""
        oldest = self._oldest
        if oldest is not None and not oldest.response_complete and not oldest.more_body:
            return self._send_deadline.when
        timers = [self._deadline.when, self._send_deadline.when]
        if self._linger is not None:
            timers.append(self._linger.when)
        if self.timeout_keep_alive_task is not None:
            timers.append(self.timeout_keep_alive_task.when())
        return min((when for when in timers if when is not None), default=None)

    def cut_off(self) -> None:
        self.transport.abort()

    def _reset(self) -> None:
        """The kernel keeps nothing for the client, which has taken nothing for so long."""
        connection: socket.socket = self.transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        self.transport.abort()

    def is_over(self) -> bool:
        return self._stopped_reading or self._linger is not None or self.transport.is_closing()

    def _refuse(self, refusal: ProtocolProblem) -> None:
        """Sends the refusal, if the application has sent nothing, and closes the connection.

        Earlier requests, which may have been carried out, get their own responses first.
        """
        if self.is_over():
            return
        self._deadline.cancel()
        cycle = self._newest
        if cycle is None:
            if self._in_head:
                self._answer(refusal)
        elif self._in_head:
            self._stopped_reading = True
            cycle.keep_alive = False
            return
        else:
            # The application, which waits for the body, gets a disconnect.
            cycle.disconnected = True
            cycle.message_event.set()
            if not cycle.response_started and not self.pipeline:
                self._answer(refusal)
        # A client that has used up its time gets little more.
        self._leave(QUIET_SECONDS if refusal is TIMED_OUT else None)

    def _leave(self, seconds: float | None = None) -> None:
        self._deadline.cancel()
        super()._leave(seconds)

    def _answer(self, refusal: ProtocolProblem) -> None:
        request_id = new_request_id()
        self.traffic.refused[refusal.status] += 1
        self.transport.write(refusal.answer(request_id, self._limits.root_path))
        access_log.info("refused", extra={"request_id": request_id, "status": refusal.status})
