"""Several processes that share a port."""

import ctypes
import gc
import os
from contextlib import suppress
from pathlib import Path

from uvicorn.supervisors.multiprocess import Multiprocess

STANDARD_ERROR = 2

# From prctl.h.
PR_SET_DUMPABLE = 4

# From malloc.h.
M_MMAP_THRESHOLD = -3

LARGE_BLOCK_BYTES = 256 * 1024


class Workers(Multiprocess):
    """uvicorn's, but the port is given up before the workers have finished.

    The first process holds the listening socket too, and would else leave whoever comes meanwhile
    waiting for nobody.
    """

    def join_all(self) -> None:
        for sock in self.sockets:
            sock.close()
        super().join_all()


def give_large_blocks_back() -> None:
    """Each worker calls it: memory that an upload took goes back to the system when it is done.

    Once a large block is freed, glibc takes the next ones of its heap, where whatever is allocated
    behind them keeps them from being given back. A threshold that is set stays (mallopt(3)).
    """
    # Other C libraries have no such function, nor such a habit.
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES)


def keep_from_peers() -> None:
    """Each process of the service calls it: others of the same user may not look into this one.

    A decoder that was taken over runs as that user, and could else read the secrets in our memory
    and in the environment that we were started with. There is no core dump either.
    """
    # Only Linux has it.
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def leave_what_is_there() -> None:
    """Each worker calls it when its application is made: whatever there is by then stays.

    A full collection goes through all of that, for a tenth of a second in which nobody is answered,
    and while answers are kept there is one every few seconds.
    """
    gc.freeze()


def keep_from_children() -> None:
    """Each worker calls it: what decodes its pictures shall not inherit the listening socket.

    multiprocessing makes what it hands to a worker inheritable, and a child that outlives the
    worker would keep the port open with nobody behind it.
    """
    for descriptor in Path("/dev/fd").iterdir():
        # That of this very listing is closed again.
        with suppress(OSError):
            if int(descriptor.name) > STANDARD_ERROR:
                os.set_inheritable(int(descriptor.name), False)  # noqa: FBT003 - positional only
