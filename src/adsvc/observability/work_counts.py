"""What the work beside requests amounts to in this process, for those who measure."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass
class JobCounts:
    """Of one regular job; `done` is how much its runs found to do."""

    runs: int = 0
    failures: int = 0
    done: int = 0
    seconds: float = 0.0


@dataclass
class WorkCounts:
    """Attempts at entries of the outbox by their kind, and runs of jobs by their name.

    Prometheus sees how much a counter has grown only if it has seen it before, so they begin at 0.
    """

    delivered: Counter[str] = field(default_factory=Counter)
    # Tried again later.
    failed: Counter[str] = field(default_factory=Counter)
    # Given up.
    died: Counter[str] = field(default_factory=Counter)

    def begin(self, kinds: Iterable[str]) -> None:
        """Of these kinds entries may come."""
        for counter in (self.delivered, self.failed, self.died):
            counter.update(dict.fromkeys(kinds, 0))

    # Attempts at a time when nothing could be delivered, whatever it was.
    unavailable: int = 0
    jobs: defaultdict[str, JobCounts] = field(default_factory=lambda: defaultdict(JobCounts))
