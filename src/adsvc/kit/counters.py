"""Counters of a process, in plain numbers, and what a metric is.

Counting costs almost nothing. `kit.exporter` has the library, which few processes load.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

# Upper bounds of buckets, in seconds: of requests, with cached responses in the first bucket, and
# of work off the event loop.
REQUEST_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
WORK_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
# How late the event loop was, and how long it was held.
LAG_SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)
STALL_SECONDS = (0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
# Upper bounds of the numbers of changes that the sequencer moves at once.
BATCH_CHANGES = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000)


class Histogram:
    """`counts[i]` is how many values are at most `bounds[i]` and above the bound before it.

    The last count is of values above all bounds. `total` is the sum of all values.
    """

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


# Clients may send any method that the parser knows, to any route.
METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})

OTHER_METHOD = "OTHER"
UNMATCHED = "unmatched"
ERRORS = (500, 503)


class _Series:
    __slots__ = ("count", "durations")

    def __init__(self, durations: Histogram) -> None:
        self.count = 0
        self.durations = durations


class RequestCounts:
    """Requests by route, method and status.

    A cached response takes 40 µs in all, so to count is a lookup and two additions. Routes are
    templates and unknown methods share one label, so that no client can make new series.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str | None, str, int], _Series] = {}
        self._series: dict[tuple[str, str, int], _Series] = {}
        self._durations: dict[tuple[str, str], Histogram] = {}

    def count(self, route: str | None, method: str, status: int, seconds: float) -> None:
        key = (route, method, status)
        series = self._found.get(key) or self._find(key)
        series.count += 1
        durations = series.durations
        # `Histogram.observe`, without the call.
        durations.counts[bisect_left(REQUEST_SECONDS, seconds)] += 1
        durations.total += seconds

    def _find(self, key: tuple[str | None, str, int]) -> _Series:
        route, method, status = key[0] or UNMATCHED, key[1], key[2]
        if method not in METHODS:
            method = OTHER_METHOD
        durations = self._durations.setdefault((route, method), Histogram(REQUEST_SECONDS))
        # Errors begin at 0: Prometheus sees no increase in a counter that begins above it.
        for other in (*ERRORS, status):
            series = self._series.setdefault((route, method, other), _Series(durations))
        self._found[key] = series
        return series

    @property
    def totals(self) -> Mapping[tuple[str, str, int], int]:
        """By route, method and status."""
        return {key: series.count for key, series in self._series.items()}

    @property
    def durations(self) -> Mapping[tuple[str, str], Histogram]:
        """By route and method."""
        return self._durations


@dataclass
class JobCounts:
    """Runs of one regular job. `done` is the number of things that they have handled."""

    runs: int = 0
    failures: int = 0
    done: int = 0
    seconds: float = 0.0


@dataclass
class CleaningCounts:
    """Rows whose retention has ended, by kind: those that were deleted, and failed attempts."""

    deleted: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)

    def begin(self, kinds: Iterable[str]) -> None:
        """As `WorkCounts.begin`."""
        for counter in (self.deleted, self.failed):
            counter.update(dict.fromkeys(kinds, 0))


@dataclass
class WebhookCounts:
    """Attempts of deliveries, and webhooks that were disabled because of them."""

    delivered: int = 0
    failed: int = 0
    disabled: int = 0


@dataclass
class SequencerCounts:
    """What this process did as the sequencer of the event log."""

    leads: bool = False
    # How often it became the sequencer.
    elections: int = 0
    # Of each batch: changes that were moved, and seconds until it was announced.
    changes: Histogram = field(default_factory=lambda: Histogram(BATCH_CHANGES))
    seconds: Histogram = field(default_factory=lambda: Histogram(REQUEST_SECONDS))


@dataclass
class SearchCounts:
    """Searches that were the search engine's to answer."""

    answered: int = 0
    # PostgreSQL answered them, because the engine was away, or its index was behind or is missing.
    away: int = 0
    behind: int = 0


@dataclass
class WorkCounts:
    """Attempts at outbox entries by kind, runs of jobs by name, deliveries to webhooks, batches."""

    delivered: Counter[str] = field(default_factory=Counter)
    # Attempts that will be repeated.
    failed: Counter[str] = field(default_factory=Counter)
    # Dead letters.
    died: Counter[str] = field(default_factory=Counter)
    # Attempts while no entry of any kind could be delivered.
    unavailable: int = 0
    cleaning: CleaningCounts = field(default_factory=CleaningCounts)
    webhooks: WebhookCounts = field(default_factory=WebhookCounts)
    sequencer: SequencerCounts = field(default_factory=SequencerCounts)
    searches: SearchCounts = field(default_factory=SearchCounts)
    jobs: defaultdict[str, JobCounts] = field(default_factory=lambda: defaultdict(JobCounts))

    def begin(self, kinds: Iterable[str]) -> None:
        """Sets the counters of these kinds to 0: Prometheus sees no increase from nothing."""
        for counter in (self.delivered, self.failed, self.died):
            counter.update(dict.fromkeys(kinds, 0))


@dataclass(frozen=True, slots=True)
class Metric:
    """`bounds` are those of a histogram's buckets, without infinity. `mode` says what becomes of
    the values that several processes have of a gauge; those that have ended do not count.
    """

    name: str
    type: Literal["counter", "gauge", "histogram"]
    help: str
    labels: Sequence[str] = ()
    bounds: Sequence[float] = ()
    mode: Literal["livesum", "livemax", "livemin"] = "livesum"

    @property
    def kind(self) -> str:
        """The beginning of the name of its file."""
        return f"gauge_{self.mode}" if self.type == "gauge" else self.type


# By name. Only what it lists can be set.
Table = Mapping[str, Metric]


class Figures:
    """Gauges that the exporter itself finds out, beside what processes write."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.values: list[tuple[Metric, tuple[str, ...], float]] = []

    def set(self, name: str, value: float, *labels: str) -> None:
        self.values.append((self._table[name], labels, value))
