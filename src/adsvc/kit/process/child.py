"""The program of a child process, which `process.offload` starts and calls.

It is run as a script without its parent's environment, so it imports nothing of this package before
it has received `sys.path`. Calls are pickled by the parent, which is trusted. Results are bytes and
never unpickled, because a compromised decoder may have written them.
"""

import pickle
import signal
import sys
from typing import BinaryIO

LENGTH = 8

DONE, FAILED = b"+", b"-"


def _read(source: BinaryIO) -> bytes:
    head = source.read(LENGTH)
    if len(head) < LENGTH:
        # The parent has ended.
        raise EOFError
    return source.read(int.from_bytes(head, "big"))


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Handles calls until its input ends. Each has the content of a file."""
    while True:
        try:
            call, content = _read(source), _read(source)
        except EOFError:
            return
        try:
            function, args = pickle.loads(call)  # noqa: S301 - by the parent
            answer = function(content, *args)
            status = DONE
        except Exception as error:  # noqa: BLE001 - whatever it is, the parent learns of it
            answer, status = type(error).__name__.encode(), FAILED
        sink.write(status + len(answer).to_bytes(LENGTH, "big") + answer)
        sink.flush()


def main() -> None:
    # Ctrl-C in a terminal is for the parent, which then stops its children in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sys.path[:] = _read(source).decode().split("\n")
    serve(source, sink)


if __name__ == "__main__":
    main()
