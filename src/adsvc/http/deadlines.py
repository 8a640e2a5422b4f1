"""Timers of a connection."""

import asyncio
import math
from collections.abc import Callable


class Deadline:
    """Does something when a time is over, unless it is set anew or cancelled before."""

    __slots__ = ("_act", "_extension", "_loop", "_no_later", "_timer")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._act: Callable[[], object] | None = None
        self._timer: asyncio.TimerHandle | None = None
        # Seconds that count from the end of the timer that runs.
        self._extension = 0.0
        self._no_later = math.inf

    @property
    def when(self) -> float | None:
        """By the clock of the event loop."""
        return None if self._timer is None else self._timer.when()

    @property
    def is_set(self) -> bool:
        return self._timer is not None

    def set(self, seconds: float, act: Callable[[], object], *, at_most: float = math.inf) -> None:
        """`at_most` is how long all extensions can make it."""
        self._no_later = self._loop.time() + at_most
        self._start(min(seconds, at_most), act)

    def _start(self, seconds: float, act: Callable[[], object]) -> None:
        self.cancel()
        self._act = act
        self._extension = 0.0
        self._timer = self._loop.call_later(seconds, self._end)

    def extend(self, seconds: float) -> None:
        """By so much later than it would be. It does nothing where none is set."""
        self._extension += seconds

    def _end(self) -> None:
        if self._act is None:
            return
        left = min(self._extension, self._no_later - self._loop.time())
        if left > 0:
            self._start(left, self._act)
        else:
            self._act()

    def cancel(self) -> None:
        """Also lets go of what was to be done, which knows the connection."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = self._act = None

    def hurry(self, seconds: float) -> None:
        """No later than that, if it is set at all."""
        if self._timer is not None and self._act is not None:
            self.set(min(seconds, self._timer.when() - self._loop.time()), self._act)
