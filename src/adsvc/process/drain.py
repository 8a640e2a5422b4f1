"""How a process learns that it is to end: a signal that announces it, or the end of its parent."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from multiprocessing import parent_process

# From the first process to its workers.
ANNOUNCE = signal.SIGUSR1


class Drain:
    def __init__(self) -> None:
        self.is_announced = False

    def announce(self) -> None:
        self.is_announced = True


# Global: a signal handler sets it, also before there is an `AppState`.
drain = Drain()


def install_drain_signal() -> None:
    """Each worker calls it in its main thread. Without it the signal would kill the worker."""
    signal.signal(ANNOUNCE, lambda *_: drain.announce())


@asynccontextmanager
async def ended_with_parent() -> AsyncIterator[None]:
    """Ends a worker process whose parent was killed: it would keep the port open, unsupervised."""
    parent = parent_process()
    if parent is None:
        # This is the only process, and no worker.
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
