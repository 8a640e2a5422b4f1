"""Whether this process has said that it is about to end.

`/readyz` then says 503, and each connection closes after its answer, while all is still served.
"""

import signal

# From the first process to its workers.
ANNOUNCE = signal.SIGUSR1


class Ending:
    def __init__(self) -> None:
        self.is_announced = False

    def announce(self) -> None:
        self.is_announced = True


# A process ends as a whole.
ending = Ending()


def heed_announcement() -> None:
    """Each worker calls it in its main thread. Without it the signal would kill the worker."""
    signal.signal(ANNOUNCE, lambda *_: ending.announce())
