"""The end of a connection whose client may still be sending.

What comes on a connection that is closed is answered by a reset, and a reset can reach the client
before it has read the answer that was to tell it what was wrong (RFC 9112 §9.6).
"""

import asyncio
import math
from contextlib import suppress
from typing import Any

from adsvc.http.deadlines import Deadline
from adsvc.http.immediate import ImmediateProtocol
from adsvc.process.ending import ending

# What is read and dropped: more than any body that is taken, so that its sender can be told.
LINGER_BYTES = 32 * 1024 * 1024

# A client that has stopped sending has had this long to close.
QUIET_SECONDS = 5.0

# So long a new connection has for its first request when the port is closed.
FIRST_SECONDS = 1.0


class Linger:
    """Closes our side once all is written, then drops what comes until the client closes its own.

    At the latest after so many seconds, or `LINGER_BYTES`.
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
        # The client may have gone already.
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
    """Leaves so that the client can read the last answer."""

    linger_seconds: float
    # Less when the service is to end.
    linger_at_most: float = math.inf

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as uvicorn's
        super().__init__(*args, **kwargs)
        self._linger: Linger | None = None
        # Whether nothing has come behind the last complete request.
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
        # uvicorn's annotation leaves out that there is none before the first request.
        cycle: object | None = self.cycle
        if ending.is_announced and cycle is None and self._linger is None:
            # Its first request may be here already. All others were closed by their last answer.
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
            # Nothing is on its way that could be answered by a reset.
            self.transport.close()
            return
        self.flow.resume_reading()
        seconds = self.linger_seconds if seconds is None else seconds
        self._linger = Linger(self.loop, self.transport, min(seconds, self.linger_at_most))
