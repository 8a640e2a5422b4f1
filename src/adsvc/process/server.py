"""The server of a single process. For several there is `adsvc.process.workers`."""

import asyncio
import signal
import socket
import time
from types import FrameType

import uvicorn

from adsvc.process.ending import ending
from adsvc.process.listening import refuse_new, settling


class Server(uvicorn.Server):
    """uvicorn's server, which on SIGTERM goes on for a while before it takes no more connections.

    Another signal cuts that short. SIGINT does without: it comes from somebody at a terminal.
    """

    def __init__(self, config: uvicorn.Config, unready_seconds: float) -> None:
        super().__init__(config)
        self._unready_seconds = unready_seconds
        self._ends_at: float | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if sig == signal.SIGTERM and self._unready_seconds and self._ends_at is None:
            ending.announce()
            self._ends_at = time.monotonic() + self._unready_seconds
        else:
            super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        """Called by uvicorn ten times a second; true to end."""
        is_over = self._ends_at is not None and time.monotonic() >= self._ends_at
        return await super().on_tick(counter) or is_over

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._ends_at is not None and sockets:
            refuse_new(sockets)
            for seconds in settling(sockets):
                await asyncio.sleep(seconds)
        await super().shutdown(sockets)
