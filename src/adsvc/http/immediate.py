"""uvicorn's protocol class, extended by responses that need no task."""

import asyncio
from collections.abc import Callable
from typing import Any

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from adsvc.http.raw import RAW_RESPONSE, ImmediateApplication, RawResponse, encode

LARGE_BYTES = 32 * 1024


class Exit:
    """The part of a transport that uvicorn's cycle uses, with a close of our own."""

    __slots__ = ("close", "is_closing", "write")

    def __init__(self, transport: asyncio.Transport, close: Callable[[], None]) -> None:
        self.write = transport.write
        self.is_closing = transport.is_closing
        self.close = close


class ImmediateProtocol(HttpToolsProtocol):
    """Asks the application for an immediate response first, and makes a task only without one.

    Raw responses are written as they are, without another look at each header.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as uvicorn's
        super().__init__(*args, **kwargs)
        app: object = self.app
        self._respond = app.immediate_response if isinstance(app, ImmediateApplication) else None
        # Whether the request that is read has its answer, without a cycle of uvicorn's.
        self._answered = False
        # The request that the application works at; uvicorn knows the one that was read last.
        self._at_work: RequestResponseCycle | None = None
        self._exit: Exit
        # Nothing in it refers to a request. Each would then refer to itself, and with all that was
        # made for it wait for garbage collection.
        self._extensions = {RAW_RESPONSE: self._send_ready}

    @property
    def _under_way(self) -> RequestResponseCycle | None:
        """The request that the application is busy with, if there is one."""
        # uvicorn's annotation leaves out that there is none before the first request.
        cycle: RequestResponseCycle | None = self.cycle
        return None if cycle is None or cycle.response_complete else cycle

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._exit = Exit(transport, self._leave)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._at_work is not None:
            # So that nothing is written any more for the one, nor the next ones begun.
            self._at_work.disconnected = True
            self._at_work.message_event.set()
        self.pipeline.clear()
        self._exit.close = self.transport.close
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
        if self._under_way is None and self.timeout_keep_alive_task is None:
            # uvicorn's rest began with the answer, and ended with what came of the request since.
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def _immediate_response(self) -> RawResponse | None:
        """None while another request is unanswered, or for a path that needs decoding."""
        if self._respond is None or self._under_way or self.pipeline or self.flow.write_paused:
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
        cycle.transport = self._exit  # type: ignore[assignment]
        self._at_work = cycle
        super()._start_asgi_task(cycle, app)

    def _send_ready(self, ready: RawResponse) -> bool:
        """False if it cannot be written now, and must be sent as any other response."""
        cycle = self._at_work
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
            # To copy a picture takes longer than to hand over two pieces, which go out as one.
            self.transport.write(head)
            self.transport.write(ready.body)
        if not keep_alive:
            self._leave()
        self.on_response_complete()

    def _leave(self) -> None:
        """After the last answer on this connection."""
        self.transport.close()
