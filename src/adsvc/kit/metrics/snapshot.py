"""The table of metrics, their values at one moment, and how a process publishes them."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Self

from adsvc.kit.counters import Histogram

LAG_SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)
STALL_SECONDS = (0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Type(StrEnum):
    """As Prometheus names them."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Merge(StrEnum):
    """What becomes of the values of several processes. Counters and histograms are summed."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"


@dataclass(frozen=True, slots=True)
class Metric:
    """`bounds` are those of a histogram's buckets, without infinity."""

    name: str
    type: Type
    help: str
    labels: Sequence[str] = ()
    bounds: Sequence[float] = ()
    merge: Merge = Merge.SUM


def counter(name: str, text: str, *labels: str) -> Metric:
    return Metric(name, Type.COUNTER, text, labels)


def gauge(name: str, text: str, *labels: str, merge: Merge = Merge.SUM) -> Metric:
    return Metric(name, Type.GAUGE, text, labels, merge=merge)


def histogram(name: str, text: str, bounds: Sequence[float], *labels: str) -> Metric:
    return Metric(name, Type.HISTOGRAM, text, labels, bounds)


# By name. Only what it lists can be set.
Table = Mapping[str, Metric]


SIZE_BYTES = 4

Labels = tuple[str, ...]


class Buckets(NamedTuple):
    """The values of a `Histogram`: its counts, and the sum of all observations."""

    counts: list[int]
    total: float


Value = float | Buckets

MERGES: Mapping[Merge, Callable[[float, float], float]] = {
    Merge.SUM: lambda a, b: a + b,
    Merge.MAX: max,
    Merge.MIN: min,
}


class MetricsSnapshot:
    """Values by metric and labels. `KeyError` for a metric that the table does not list."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.values: dict[str, dict[Labels, Value]] = {}

    def set(self, name: str, value: float, *labels: str) -> None:
        self._put(name, labels, value)

    def set_all(self, name: str, values: Mapping[str, float]) -> None:
        """Sets a metric with one label; `values` are keyed by the label's value."""
        for label, value in values.items():
            self._put(name, (label,), value)

    def set_histogram(self, name: str, histogram: Histogram, *labels: str) -> None:
        self._put(name, labels, Buckets(list(histogram.counts), histogram.total))

    def _put(self, name: str, labels: Labels, value: Value) -> None:
        if len(labels) != len(self.table[name].labels):
            raise ValueError(name)
        self.values.setdefault(name, {})[labels] = value

    def add(self, other: "MetricsSnapshot") -> None:
        """Merges the other one into this."""
        for name, series in other.values.items():
            own = self.values.setdefault(name, {})
            merge = MERGES[self.table[name].merge]
            for labels, value in series.items():
                before = own.get(labels)
                if before is None:
                    own[labels] = value
                elif isinstance(before, Buckets) and isinstance(value, Buckets):
                    counts = [a + b for a, b in zip(before.counts, value.counts, strict=True)]
                    own[labels] = Buckets(counts, before.total + value.total)
                elif not isinstance(before, Buckets) and not isinstance(value, Buckets):
                    own[labels] = merge(before, value)

    def cumulative(self) -> "MetricsSnapshot":
        """Counters and histograms, which outlive their process. Gauges do not."""
        cumulated = MetricsSnapshot(self.table)
        for name, series in self.values.items():
            if self.table[name].type is not Type.GAUGE:
                cumulated.values[name] = series
        return cumulated

    def encoded(self) -> bytes:
        series = [
            (name, labels, value)
            for name, values in self.values.items()
            for labels, value in values.items()
        ]
        return json.dumps(series, separators=(",", ":")).encode()

    def framed(self) -> bytes:
        """`encoded`, behind its size."""
        data = self.encoded()
        return len(data).to_bytes(SIZE_BYTES, "big") + data

    @classmethod
    def decoded(cls, data: bytes, table: Table) -> Self:
        """`ValueError` for data that `encoded` has not made."""
        snapshot = cls(table)
        try:
            for name, labels, value in json.loads(data):
                read = Buckets(*value) if isinstance(value, list) else float(value)
                snapshot._put(name, tuple(map(str, labels)), read)
        except (KeyError, TypeError) as error:
            raise ValueError(data[:100]) from error
        return snapshot


def merged(table: Table, snapshots: Iterable[MetricsSnapshot]) -> MetricsSnapshot:
    together = MetricsSnapshot(table)
    for snapshot in snapshots:
        together.add(snapshot)
    return together


logger = logging.getLogger("adsvc.metrics")

PERIOD_SECONDS = 1.0

# How often it is looked whether the event loop was held, and from which time on it counts.
WATCH_SECONDS = 0.1
SHORTEST_STALL_SECONDS = 0.25
# From that on it is in the log.
LONG_STALL_SECONDS = 1.0

# For the last snapshot of a process that ends.
LAST_SECONDS = 0.5

# The exporter sends one byte to have a snapshot at once.
REQUESTS_BYTES = 64


@asynccontextmanager
async def publishing(path: str | None, take: Callable[[], MetricsSnapshot]) -> AsyncIterator[None]:
    """Sends what `take` returns to the exporter's socket at `path`, if there is an exporter.

    It does so until the end of the block, and once more then.
    """
    if path is None:
        yield
        return
    async with Publisher(path, take).running():
        yield


class Publisher:
    """Sends the metrics of a process to the exporter: once a second, and on demand.

    So the exporter has the last values of a process that was killed, and a process that hangs does
    not delay a scrape.
    """

    def __init__(self, path: str, take: Callable[[], MetricsSnapshot]) -> None:
        self._path = path
        self._take = take
        self._lag = Histogram(LAG_SECONDS)
        self._stalls = Histogram(STALL_SECONDS)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        try:
            reader, writer = await asyncio.open_unix_connection(self._path)
        except OSError:
            # Requests matter more.
            logger.exception("The metrics of this process are not exported.")
            yield
            return
        tasks = [
            asyncio.create_task(self._publish(reader, writer)),
            asyncio.create_task(self._watch()),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(LAST_SECONDS):
                    await self._send(writer)
            writer.close()

    async def _publish(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await self._send(writer)
                if not await self._wait(reader):
                    return
        except OSError:
            logger.warning("The exporter of metrics has closed the connection.")

    async def _send(self, writer: asyncio.StreamWriter) -> None:
        snapshot = self._take()
        snapshot.set_histogram("adsvc_event_loop_lag_seconds", self._lag)
        snapshot.set_histogram("adsvc_event_loop_stall_seconds", self._stalls)
        writer.write(snapshot.framed())
        await writer.drain()

    async def _watch(self) -> None:
        """Notices each stall: once a second would miss most of the short ones."""
        while True:
            began, worked = time.monotonic(), time.thread_time()
            await asyncio.sleep(WATCH_SECONDS)
            held = time.monotonic() - began - WATCH_SECONDS
            if held < SHORTEST_STALL_SECONDS:
                continue
            self._stalls.observe(held)
            if held >= LONG_STALL_SECONDS:
                worked = time.thread_time() - worked
                logger.warning(
                    "The event loop was held for %.1f s, of which it worked %.1f s.", held, worked
                )

    async def _wait(self, reader: asyncio.StreamReader) -> bool:
        """Until the next snapshot is due. False if the exporter has closed the connection."""
        loop = asyncio.get_running_loop()
        due = loop.time() + PERIOD_SECONDS
        try:
            async with asyncio.timeout_at(due):
                return bool(await reader.read(REQUESTS_BYTES))
        except TimeoutError:
            self._lag.observe(max(0.0, loop.time() - due))
            return True
