"""Sets limits, memory and who may read a process in the operating system; drains the process."""

import asyncio
import ctypes
import gc
import os
import resource
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import cache
from multiprocessing import parent_process
from pathlib import Path

# The limit to set; processes are rarely allowed less.
WANTED = 65_536

# For files that are always open besides the database: code, logs, child processes.
RESERVED = 128

# A connection may need a second one, for the picture that it sends or receives.
FOR_EACH_CONNECTION = 2

STANDARD_ERROR = 2

# From prctl.h.
PR_SET_DUMPABLE = 4

# From malloc.h.
M_MMAP_THRESHOLD = -3

LARGE_BLOCK_BYTES = 256 * 1024


def raise_limit() -> None:
    """Raises the soft limit, which is for select(2), as far as the operator's hard one allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


@cache
def room(database_connections: int) -> int:
    """How many client connections a process can have besides those to its database."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        soft = WANTED
    return max(1, (soft - RESERVED - database_connections) // FOR_EACH_CONNECTION)


def tune_malloc() -> None:
    """Makes glibc return the memory of an upload to the system. Each server process calls it.

    After the first free of a large block glibc takes the next ones from its heap, where later
    allocations keep them from being returned. An explicit threshold stays (mallopt(3)).
    """
    # Other C libraries have neither the function nor the behaviour.
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES)


def disable_ptrace() -> None:
    """Keeps other processes of the same user from reading this one. Each process calls it.

    A compromised decoder runs as that user. It must not read the secrets in the memory and the
    environment of the service. There is no core dump either.
    """
    # Only Linux has it.
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def freeze_gc() -> None:
    """Exempts all existing objects from garbage collection.

    Each server process calls it at its start. A full collection would block the event loop for a
    tenth of a second, and with the response cache there is one every few seconds.
    """
    gc.freeze()


def close_on_exec() -> None:
    """Keeps child processes from inheriting the listening socket. Each server process calls it.

    multiprocessing makes a server process's descriptors inheritable. A child that outlives it would
    keep the port open without serving it.
    """
    for descriptor in Path("/dev/fd").iterdir():
        # The descriptor of this listing itself is closed already.
        with suppress(OSError):
            if int(descriptor.name) > STANDARD_ERROR:
                os.set_inheritable(int(descriptor.name), False)  # noqa: FBT003 - positional only


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
