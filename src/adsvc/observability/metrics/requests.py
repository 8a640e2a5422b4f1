"""How many requests of each kind a process has answered, and how long that took."""

from bisect import bisect_left
from collections.abc import Mapping

from adsvc.measures import Histogram
from adsvc.observability.metrics.definitions import REQUEST_SECONDS

# Anybody may send any method that the parser knows, to any route.
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
    """Counts in plain numbers: some answers take 40 µs in all, and counting has to cost nothing.

    The labels are templates of routes, known methods and the statuses of answers, so that no
    client can make up new ones.
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
        """Odd methods share what is counted of them."""
        route, method, status = key[0] or UNMATCHED, key[1], key[2]
        if method not in METHODS:
            method = OTHER_METHOD
        durations = self._durations.setdefault((route, method), Histogram(REQUEST_SECONDS))
        # Those of errors begin at 0, so that their first burst shows as an increase.
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
