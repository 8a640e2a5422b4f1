"""Numbers that a process keeps of its own work, so plain that to count costs next to nothing."""

from bisect import bisect_left
from collections.abc import Sequence

# Bounds for work off the event loop, in seconds.
WORK_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Histogram:
    """How many observations lie at or below each bound and above the one before, and their sum.

    `counts` has one number more than there are bounds: for what lies above all of them.
    """

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value
