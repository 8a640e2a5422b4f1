"""Processes that end with the one that started them, also if that one is killed.

Run as a script, it becomes the program that its arguments name behind the id of its parent. A
function that runs in the child before the program (`preexec_fn`) may hang where threads run.
"""

import ctypes
import os
import signal
import sys
from contextlib import suppress

# From prctl.h.
PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """The kernel kills this process when the thread of its parent ends that started it."""
    # Only Linux has it.
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        # It ended before it could take this one along.
        os._exit(1)


def command(*words: str) -> tuple[str, ...]:
    """What starts that program so that it ends with this process."""
    return (sys.executable, "-I", "-S", __file__, str(os.getpid()), *words)


def main() -> None:
    parent, *words = sys.argv[1:]
    end_with(int(parent))
    os.execv(words[0], words)  # noqa: S606 - the words are the parent's own


if __name__ == "__main__":
    main()
