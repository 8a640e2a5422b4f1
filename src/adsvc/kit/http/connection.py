"""uvicorn's protocol class, with responses that need no task and a close that lingers.

Bytes that arrive on a closed connection are answered by a reset, and a reset can reach the client
before it has read the response that says what was wrong (RFC 9112 §9.6).
"""

import asyncio
import logging
import math
import socket
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import suppress
from heapq import nsmallest
from typing import Any, Protocol

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from adsvc.kit.http.messages import RAW_RESPONSE, STREAM, ImmediateApplication, RawResponse, encode
from adsvc.kit.process.setup import drain

LARGE_BYTES = 32 * 1024
# Of a stream, in the kernel, which otherwise keeps up to 4 MiB for a client that reads nothing. It
# counts twice as much for its own overhead.
STREAM_BUFFER_BYTES = 32 * 1024


class ClosingTransport:
    """The part of a transport that uvicorn's cycle uses, with another `close`."""

    __slots__ = ("close", "is_closing", "write")

    def __init__(self, transport: asyncio.Transport, close: Callable[[], None]) -> None:
        self.write = transport.write
        self.is_closing = transport.is_closing
        self.close = close


class ImmediateProtocol(HttpToolsProtocol):
    """Calls the application for an immediate response first, and makes a task only without one.

    Raw responses are written as they are, without checking each header again.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as uvicorn's
        super().__init__(*args, **kwargs)
        app: object = self.app
        self._respond = app.immediate_response if isinstance(app, ImmediateApplication) else None
        # Whether the request that is being read was answered, without uvicorn's cycle.
        self._answered = False
        # The oldest request without a complete response; uvicorn knows the one that was read last.
        self._oldest: RequestResponseCycle | None = None
        self._closing_transport: ClosingTransport
        # It refers to no request. Otherwise each would refer to itself, and wait for garbage
        # collection with all its objects.
        self._extensions = {RAW_RESPONSE: self._send_ready, STREAM: self._bound_buffer}

    @property
    def _newest(self) -> RequestResponseCycle | None:
        """The request that was read last, if its response is not complete."""
        # None before the first request, which uvicorn's annotation omits.
        cycle: RequestResponseCycle | None = self.cycle
        return None if cycle is None or cycle.response_complete else cycle

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._closing_transport = ClosingTransport(transport, self._leave)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._oldest is not None:
            # So that nothing more is written for this one, and the next ones do not begin.
            self._oldest.disconnected = True
            self._oldest.message_event.set()
        self.pipeline.clear()
        self._closing_transport.close = self.transport.close
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._answered = False

    def on_headers_complete(self) -> None:
        ready = self._immediate_response()
        if ready is None:
            super().on_headers_complete()
        else:
            self._answered = True
            keep_alive = self.parser.should_keep_alive()
            self._write(ready, keep_alive=keep_alive and self.parser.get_http_version() != "1.0")

    def on_body(self, body: bytes) -> None:
        if not self._answered:
            super().on_body(body)

    def on_message_complete(self) -> None:
        if not self._answered:
            super().on_message_complete()
        if self._newest is None and self.timeout_keep_alive_task is None:
            # uvicorn started its idle timer after the answer, and the rest of the request has
            # stopped it.
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def _immediate_response(self) -> RawResponse | None:
        """None while another request is unanswered, or for a path that needs decoding."""
        if self._respond is None or self._newest or self.pipeline or self.flow.write_paused:
            return None
        if not self.url.startswith(b"/") or b"%" in self.url or b"#" in self.url:
            return None
        path, _, query = self.url.partition(b"?")
        self.scope["method"] = self.parser.get_method().decode("ascii")
        self.scope["path"] = path.decode("latin-1")
        self.scope["query_string"] = query
        return self._respond(self.scope)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """Called by uvicorn when the requests before this one are answered."""
        cycle.scope["extensions"] = self._extensions  # type: ignore[typeddict-item]
        cycle.transport = self._closing_transport  # type: ignore[assignment]
        self._oldest = cycle
        super()._start_asgi_task(cycle, app)

    def _bound_buffer(self) -> None:
        connection: socket.socket = self.transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, STREAM_BUFFER_BYTES)

    def _send_ready(self, ready: RawResponse) -> bool:
        """False if it cannot be written now, and must be sent like any other response."""
        cycle = self._oldest
        if cycle is None or self.flow.write_paused or cycle.disconnected:
            return False
        cycle.response_started = cycle.response_complete = True
        self._write(ready, keep_alive=cycle.keep_alive)
        return True

    def _write(self, ready: RawResponse, *, keep_alive: bool) -> None:
        own = [*self.server_state.default_headers, *ready.own]
        if not keep_alive:
            own.append((b"connection", b"close"))
        head = ready.head.encoded + encode(own) + b"\r\n"
        if len(ready.body) < LARGE_BYTES:
            self.transport.write(head + ready.body)
        else:
            # Copying a picture takes longer than passing two pieces, which are sent together.
            self.transport.write(head)
            self.transport.write(ready.body)
        if not keep_alive:
            self._leave()
        self.on_response_complete()

    def _leave(self) -> None:
        """Called after the last response on this connection."""
        self.transport.close()


logger = logging.getLogger("adsvc.server")

# This part of all connections is closed at once, because choosing them reads all.
SHARE = 16

# The statuses of what the protocol class refuses.
REFUSALS = (400, 408, 431)


class Traffic:
    """The open connections of a process, and its refusals by their status."""

    def __init__(self) -> None:
        self.connections: Collection[object] = ()
        self.refused = Counter(dict.fromkeys(REFUSALS, 0))


class OpenConnection(Protocol):
    client_network: str

    @property
    def waits_until(self) -> float | None:
        """When an idle client is cut off. None while the service has to act."""

    def cut_off(self) -> None:
        """Closes the connection without a response."""


def make_room(connections: Collection[OpenConnection]) -> None:
    """Closes connections that wait for their clients.

    Those of the network with the most connections are first, and of these the ones that would time
    out soonest. So a client that takes all connections loses them to others.
    """
    held = Counter(connection.client_network for connection in connections)
    waiting = [
        (-held[connection.client_network], until, number, connection)
        for number, connection in enumerate(connections)
        if (until := connection.waits_until) is not None
    ]
    leaving = nsmallest(max(1, len(connections) // SHARE), waiting)
    for *_, connection in leaving:
        connection.cut_off()
    logger.warning(
        "There are %d connections, more than are allowed; %d that waited for their clients are "
        "closed.",
        len(connections),
        len(leaving),
    )


class Deadline:
    """A timer that can be extended. It calls `act` unless it is set anew or cancelled before."""

    __slots__ = ("_act", "_extension", "_loop", "_no_later", "_timer")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._act: Callable[[], object] | None = None
        self._timer: asyncio.TimerHandle | None = None
        # Seconds to add at the end of the running timer.
        self._extension = 0.0
        self._no_later = math.inf

    @property
    def when(self) -> float | None:
        """By the clock of the event loop."""
        return None if self._timer is None else self._timer.when()

    @property
    def is_set(self) -> bool:
        return self._timer is not None

    def set(self, seconds: float, act: Callable[[], object], *, at_most: float = math.inf) -> None:
        """`at_most` bounds the total with all extensions."""
        self._no_later = self._loop.time() + at_most
        self._start(min(seconds, at_most), act)

    def _start(self, seconds: float, act: Callable[[], object]) -> None:
        self.cancel()
        self._act = act
        self._extension = 0.0
        self._timer = self._loop.call_later(seconds, self._end)

    def extend(self, seconds: float) -> None:
        """Delays the end. It does nothing if no timer is set."""
        self._extension += seconds

    def _end(self) -> None:
        if self._act is None:
            return
        left = min(self._extension, self._no_later - self._loop.time())
        if left > 0:
            self._start(left, self._act)
        else:
            self._act()

    def cancel(self) -> None:
        """Cancels the timer and drops `act`, which refers to the connection."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = self._act = None

    def hurry(self, seconds: float) -> None:
        """Shortens the timer to at most `seconds`, if it is set."""
        if self._timer is not None and self._act is not None:
            self.set(min(seconds, self._timer.when() - self._loop.time()), self._act)


# Bytes to read and drop: more than any accepted body, so that its sender gets the response.
LINGER_BYTES = 32 * 1024 * 1024

# How long a client may be silent before the connection is closed.
QUIET_SECONDS = 5.0

# How long a new connection has for its first request when the process is to end.
FIRST_SECONDS = 1.0


class LingeringClose:
    """Closes our side once all is written, then drops what arrives until the client closes too.

    It ends after `seconds`, or `LINGER_BYTES`, at the latest.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, transport: asyncio.Transport, seconds: float
    ) -> None:
        self._loop = loop
        self._transport = transport
        self._ends = loop.time() + seconds
        self._left = LINGER_BYTES
        self._deadline = Deadline(loop)
        self.stop = self._deadline.cancel
        # The client may have disconnected already.
        with suppress(OSError):
            transport.write_eof()
        self._wait()

    @property
    def when(self) -> float | None:
        return self._deadline.when

    def drop(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            self._transport.close()
        else:
            self._wait()

    def _wait(self) -> None:
        seconds = min(self._ends - self._loop.time(), QUIET_SECONDS)
        self._deadline.set(seconds, self._transport.close)


class LingeringProtocol(ImmediateProtocol):
    """Closes connections so that the client can read the last response."""

    linger_seconds: float
    # Less when the process is ending.
    linger_at_most: float = math.inf

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as uvicorn's
        super().__init__(*args, **kwargs)
        self._linger: LingeringClose | None = None
        # Whether nothing has arrived after the last complete request.
        self._ends_here = False

    def connection_lost(self, exc: Exception | None) -> None:
        if self._linger is not None:
            self._linger.stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._linger is None:
            super().data_received(data)
        else:
            self._linger.drop(len(data))

    def on_response_complete(self) -> None:
        if self._linger is None:
            super().on_response_complete()

    def shutdown(self) -> None:
        # None before the first request, which uvicorn's annotation omits.
        cycle: object | None = self.cycle
        if drain.is_announced and cycle is None and self._linger is None:
            # Its first request may have arrived. All other connections were closed by their last
            # response.
            self.loop.call_later(FIRST_SECONDS, super().shutdown)
            return
        super().shutdown()
        if self._linger is not None:
            self.transport.close()

    def _leave(self, seconds: float | None = None) -> None:
        self._unset_keepalive_if_required()
        if self._linger is not None or self.transport.is_closing():
            return
        if self._ends_here:
            # Nothing is on its way that could cause a reset.
            self.transport.close()
            return
        self.flow.resume_reading()
        seconds = self.linger_seconds if seconds is None else seconds
        self._linger = LingeringClose(self.loop, self.transport, min(seconds, self.linger_at_most))
