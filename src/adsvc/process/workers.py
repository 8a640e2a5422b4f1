"""Several processes that share a port."""

import ctypes
import gc
import os
import socket
import time
from contextlib import suppress
from pathlib import Path

from uvicorn import Config
from uvicorn.supervisors.multiprocess import Multiprocess

from adsvc.process.drain import ANNOUNCE
from adsvc.process.listening import refuse_new, settling

STANDARD_ERROR = 2

# From prctl.h.
PR_SET_DUMPABLE = 4

# From malloc.h.
M_MMAP_THRESHOLD = -3

LARGE_BLOCK_BYTES = 256 * 1024

# How often the first process looks for another signal.
POLL_SECONDS = 0.1


class Workers(Multiprocess):
    """uvicorn's supervisor, which here closes the port before the workers have finished.

    It holds the listening socket too. New clients would wait for an answer that never comes.

    SIGTERM and other signals do what they do to `adsvc.process.server.Server`.
    """

    def __init__(
        self, config: Config, sockets: list[socket.socket], unready_seconds: float
    ) -> None:
        super().__init__(config, sockets)
        self._unready_seconds = unready_seconds

    def handle_term(self) -> None:
        super().handle_term()
        if self._unready_seconds:
            self._serve_unready()

    def _serve_unready(self) -> None:
        for process in self.processes:
            assert process.pid is not None  # noqa: S101 - it was started
            with suppress(ProcessLookupError):
                os.kill(process.pid, ANNOUNCE)
        ends_at = time.monotonic() + self._unready_seconds
        while time.monotonic() < ends_at and not self.signal_queue:
            time.sleep(POLL_SECONDS)
        refuse_new(self.sockets)
        for seconds in settling(self.sockets):
            time.sleep(seconds)

    def join_all(self) -> None:
        for sock in self.sockets:
            sock.close()
        super().join_all()


def give_large_blocks_back() -> None:
    """Makes glibc return the memory of an upload to the system. Each worker calls it.

    After the first free of a large block glibc takes the next ones from its heap, where later
    allocations keep them from being returned. An explicit threshold stays (mallopt(3)).
    """
    # Other C libraries have no such function and no such behaviour.
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
    """Exempts all objects made so far from garbage collection. Each worker calls it at its start.

    A full collection would walk them for a tenth of a second, without an answer to anybody. With
    the response cache there is one every few seconds.
    """
    gc.freeze()


def keep_from_children() -> None:
    """Keeps the processes that decode from inheriting the listening socket. Each worker calls it.

    multiprocessing makes the descriptors of a worker inheritable. A child that outlives the worker
    would keep the port open without serving it.
    """
    for descriptor in Path("/dev/fd").iterdir():
        # The descriptor of this very listing is closed again.
        with suppress(OSError):
            if int(descriptor.name) > STANDARD_ERROR:
                os.set_inheritable(int(descriptor.name), False)  # noqa: FBT003 - positional only
