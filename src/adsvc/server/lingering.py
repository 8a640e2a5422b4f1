"""The end of a connection whose client may still be sending.

What comes on a connection that is closed is answered by a reset, and a reset can reach the client
before it has read the answer that was to tell it what was wrong (RFC 9112 §9.6).
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from adsvc.server.deadlines import Deadline

# What is read and dropped: more than any body that is taken, so that its sender can be told.
LINGER_BYTES = 32 * 1024 * 1024
# A client that has stopped sending has had this long to close.
QUIET_SECONDS = 5.0


class Exit:
    """The part of a transport that uvicorn's cycle uses, with a close of our own."""

    __slots__ = ("close", "is_closing", "write")

    def __init__(self, transport: asyncio.Transport, close: Callable[[], None]) -> None:
        self.write = transport.write
        self.is_closing = transport.is_closing
        self.close = close


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

    def drop(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            self._transport.close()
        else:
            self._wait()

    def _wait(self) -> None:
        seconds = min(self._ends - self._loop.time(), QUIET_SECONDS)
        self._deadline.set(seconds, self._transport.close)
