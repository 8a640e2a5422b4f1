"""uvicorn's protocol class with deadlines and limits for what clients send."""

import asyncio
import logging
from functools import cache, partial
from typing import Any

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from adsvc.server.ready import READY, Foreseeing, Ready, encode, new_request_id
from adsvc.server.refusals import BAD_REQUEST, HEADERS_TOO_LARGE, TIMED_OUT, Refusal
from adsvc.settings import Settings, load_settings

access_log = logging.getLogger("adsvc.access")

# Each request that waits for its turn on a connection takes memory before anybody looks at it.
MAX_PIPELINED = 64
PIECE_BYTES = 16 * 1024
# How long clients keep a server that is to end: less than `cli.serve` gives it.
ENDING_SECONDS = 5


@cache
def _settings() -> Settings:
    """Each worker process has read its environment by the time it accepts a connection."""
    return load_settings()


class BoundedProtocol(HttpToolsProtocol):
    """Closes connections that stay silent, drip, send headers without end, or take no answer.

    The head of a request must be complete some seconds after the connection opens or, on a kept
    one, after its first byte; the body some seconds after the head. An answer must make way.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as uvicorn's
        super().__init__(*args, **kwargs)
        self._limits = _settings()
        app: object = self.app
        self._at_once = app.at_once if isinstance(app, Foreseeing) else None
        self._deadline: asyncio.TimerHandle | None = None
        self._send_deadline: asyncio.TimerHandle | None = None
        self._in_head = True
        # Whether nothing is read any more, because what has come last is no request.
        self._deaf = False
        # Whether nothing has come behind the last complete request.
        self._ends_here = False
        # Whether the request that is read has its answer, without a cycle of uvicorn's.
        self._answered = False
        # Bytes that have come since the last piece of a body: request lines, headers, framing.
        self._overhead = 0
        self._field_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect(self._limits.header_timeout_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect(None)
        self._cancel_send_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        # So that what follows the end of a head or of a chunk is counted too, piece by piece.
        for at in range(0, len(data), PIECE_BYTES):
            if not self._is_over():
                self._take(data[at : at + PIECE_BYTES])

    def _take(self, data: bytes) -> None:
        self._overhead += len(data)
        self._ends_here = False
        super().data_received(data)
        if self._in_head and self._deadline is None and not self._ends_here:
            self._expect(self._limits.header_timeout_seconds)
        if self._overhead > self._limits.header_max_bytes:
            self._refuse(HEADERS_TOO_LARGE)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True
        self._ends_here = False
        self._answered = False
        self._field_bytes = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_head:
            # Nothing here needs trailers, and they must not pass for headers (RFC 9110 §6.5.1).
            return
        self._field_bytes += len(name) + len(value)
        if len(self.headers) < self._limits.header_max_count:
            super().on_header(name, value)
        else:
            self._refuse(HEADERS_TOO_LARGE)

    def on_headers_complete(self) -> None:
        if self._is_over():
            return
        names = [name for name, _ in self.headers]
        hosts = names.count(b"host")
        if len(self.url) + self._field_bytes > self._limits.header_max_bytes:
            self._refuse(HEADERS_TOO_LARGE)
        elif hosts != 1 and (hosts or self.parser.get_http_version() != "1.0"):
            # RFC 9112 §3.2: or two servers in a row could disagree on whom it is for.
            self._refuse(BAD_REQUEST)
        elif len(self.pipeline) >= MAX_PIPELINED:
            self._refuse(BAD_REQUEST)
        else:
            ready = self._foreseen()
            if ready is None:
                super().on_headers_complete()
            else:
                self._send(ready)
            self._in_head = False
            if ready is None or b"content-length" in names or b"transfer-encoding" in names:
                self._expect(self._limits.body_timeout_seconds)

    def _foreseen(self) -> Ready | None:
        """The answer, if the application has it at once: only in turn, and if it can be taken."""
        # uvicorn's annotation leaves out that there is none before the first request.
        cycle: RequestResponseCycle | None = self.cycle
        busy = self.pipeline or (cycle is not None and not cycle.response_complete)
        if self._at_once is None or busy or self.flow.write_paused:
            return None
        if not self.url.startswith(b"/") or b"%" in self.url or b"#" in self.url:
            return None
        path, _, query = self.url.partition(b"?")
        self.scope["method"] = self.parser.get_method().decode("ascii")
        self.scope["path"] = path.decode("latin-1")
        self.scope["query_string"] = query
        return self._at_once(self.scope)

    def _send(self, ready: Ready) -> None:
        self._answered = True
        keep_alive = self.parser.should_keep_alive() and self.parser.get_http_version() != "1.0"
        self._write(ready, keep_alive=keep_alive)

    def _write(self, ready: Ready, *, keep_alive: bool) -> None:
        own = [*self.server_state.default_headers, *ready.own]
        if not keep_alive:
            own.append((b"connection", b"close"))
        self.transport.write(ready.head.encoded + encode(own) + b"\r\n" + ready.body)
        if not keep_alive:
            self.transport.close()
        self.on_response_complete()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """Uvicorn calls it when it is a request's turn."""
        extensions = {READY: partial(self._send_later, cycle)}
        cycle.scope["extensions"] = extensions  # type: ignore[typeddict-item]
        super()._start_asgi_task(cycle, app)

    def _send_later(self, cycle: RequestResponseCycle, ready: Ready) -> bool:
        """False if the answer cannot be taken yet, and must be sent as any other."""
        if self.flow.write_paused or cycle.disconnected:
            return False
        cycle.response_started = cycle.response_complete = True
        self._write(ready, keep_alive=cycle.keep_alive)
        return True

    def on_chunk_header(self) -> None:
        self._overhead = 0

    def on_body(self, body: bytes) -> None:
        self._overhead = 0
        if not (self._answered or self._is_over()):
            super().on_body(body)

    def on_message_complete(self) -> None:
        if self._is_over():
            return
        self._expect(None)
        # What follows on this connection is the next request's head.
        self._in_head = True
        self._ends_here = True
        self._overhead = 0
        if not self._answered:
            super().on_message_complete()
        cycle: RequestResponseCycle | None = self.cycle
        over = self._answered or cycle is None or cycle.response_complete
        if over and self.timeout_keep_alive_task is None:
            # uvicorn's rest began with the answer, and ended with what came of the request since.
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def pause_writing(self) -> None:
        super().pause_writing()
        self._cancel_send_deadline()
        self._send_deadline = self.loop.call_later(
            self._limits.send_timeout_seconds, self.transport.abort
        )

    def resume_writing(self) -> None:
        self._cancel_send_deadline()
        super().resume_writing()

    def shutdown(self) -> None:
        """The process is to end, and its client is told so before it is cut off with it."""
        super().shutdown()
        if self._deadline is not None:
            self._expect(min(ENDING_SECONDS, self._deadline.when() - self.loop.time()))
        if self._send_deadline is not None:
            self._cancel_send_deadline()
            self._send_deadline = self.loop.call_later(ENDING_SECONDS, self.transport.abort)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's words, not ours
        """Called for what the parser refuses."""
        self._refuse(BAD_REQUEST)

    def _unsupported_upgrade_warning(self) -> None:
        """Nobody is warned: a server may ignore that a client offers another protocol."""

    def _expect(self, seconds: float | None) -> None:
        """The client has that long for what comes next; None: it owes nothing now."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(seconds, self._time_out) if seconds else None

    def _cancel_send_deadline(self) -> None:
        if self._send_deadline is not None:
            self._send_deadline.cancel()
            self._send_deadline = None

    def _time_out(self) -> None:
        self._refuse(TIMED_OUT)

    def _is_over(self) -> bool:
        return self._deaf or self.transport.is_closing()

    def _refuse(self, refusal: Refusal) -> None:
        """Answers, if the application has not begun to, and closes the connection.

        Requests before this one, which may have been carried out, get their own answers first.
        """
        if self._is_over():
            return
        self._expect(None)
        # uvicorn's annotation leaves out that there is none before the first request.
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            if self._in_head:
                self._answer(refusal)
        elif self._in_head:
            self._deaf = True
            cycle.keep_alive = False
            return
        else:
            # The application, waiting for the body, learns that its client has gone.
            cycle.disconnected = True
            cycle.message_event.set()
            if not cycle.response_started and not self.pipeline:
                self._answer(refusal)
        self.transport.close()

    def _answer(self, refusal: Refusal) -> None:
        request_id = new_request_id()
        self.transport.write(refusal.answer(request_id))
        access_log.info("refused", extra={"request_id": request_id, "status": refusal.status})
