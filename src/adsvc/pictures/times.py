"""How long the steps of a picture took, and how many came to nothing."""

import math
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple, Self

from adsvc.measures import WORK_SECONDS, Histogram


class Durations(NamedTuple):
    """In seconds, one after the other: decoding and scaling, encoding with all variants."""

    decode: float = 0.0
    encode: float = 0.0

    def within(self, seconds: float) -> Self:
        """None of them, unless they fit into that: who tells them may have been taken over."""
        if all(map(math.isfinite, self)) and min(self) >= 0 and sum(self) <= seconds:
            return self
        return type(self)()


class PictureTimes:
    """What one process has had; it counts for the metrics."""

    def __init__(self) -> None:
        self.steps = {name: Histogram(WORK_SECONDS) for name in ("decode", "encode", "store")}
        self.failures = Counter(dict.fromkeys(("invalid", "unsupported", "failed"), 0))
        # Is told of each picture just after it was made, if anybody is.
        self.observer: Callable[[Durations, float], None] | None = None

    def note(self, durations: Durations, seconds: float) -> None:
        """`seconds` is the time since the process was asked, the wait for one included."""
        durations = durations.within(seconds)
        self.steps["decode"].observe(durations.decode)
        self.steps["encode"].observe(durations.encode)
        if self.observer is not None:
            self.observer(durations, seconds)


TIMES = PictureTimes()
