"""Makes a program end with the process that started it, even if that one is killed.

Run as a script with the parent's id and a program, it becomes that program. A function in the child
before the program (`preexec_fn`) could hang in a process with threads.
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
        # The parent ended before this call.
        os._exit(1)


def command(*words: str) -> tuple[str, ...]:
    """The command that starts a program so that it ends with this process."""
    return (sys.executable, "-I", "-S", __file__, str(os.getpid()), *words)


def main() -> None:
    parent, *words = sys.argv[1:]
    end_with(int(parent))
    os.execv(words[0], words)  # noqa: S606 - the words are the parent's own


if __name__ == "__main__":
    main()
