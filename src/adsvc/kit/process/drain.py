"""Draining: a process is to end after a signal, or when its parent has ended."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from multiprocessing import parent_process

# The supervisor sends it to the server processes.
ANNOUNCE = signal.SIGUSR1


class Drain:
    def __init__(self) -> None:
        self.is_announced = False
        # Called when the process begins to end, also in a signal handler.
        self.followers: set[Callable[[], None]] = set()

    def announce(self) -> None:
        self.is_announced = True
        self.end_streams()

    def end_streams(self) -> None:
        """Responses that would go on for ever, and that the end of the process would wait for."""
        for follower in tuple(self.followers):
            follower()


# Global: a signal handler sets it, also before there is an `AppState`.
drain = Drain()


def install_drain_signal() -> None:
    """Called in the main thread of each server process, which the signal would kill otherwise."""
    signal.signal(ANNOUNCE, lambda *_: drain.announce())


def end_process() -> None:
    """Ends the process in order, with its supervisor: that would only start another one."""
    parent = parent_process()
    pid = parent.pid if parent is not None else None
    os.kill(pid or os.getpid(), signal.SIGTERM)


@asynccontextmanager
async def ended_with_parent() -> AsyncIterator[None]:
    """Ends a server process whose supervisor was killed: it would keep the port open."""
    parent = parent_process()
    if parent is None:
        # This is the only process.
        yield
        return
    loop = asyncio.get_running_loop()

    def end() -> None:
        loop.remove_reader(parent.sentinel)
        signal.raise_signal(signal.SIGTERM)

    # The pid of the parent is not enough: the parent may have ended before it was read.
    loop.add_reader(parent.sentinel, end)
    try:
        yield
    finally:
        loop.remove_reader(parent.sentinel)
