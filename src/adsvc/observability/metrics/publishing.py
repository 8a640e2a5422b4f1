"""How a process tells its numbers to the exporter: once a second, and when it is asked.

The exporter has the last numbers of a process that was killed, and none that hangs holds it up.
"""

import asyncio
import json
import logging
import resource
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple, Self

from adsvc.db.connections.pool import PoolUsage
from adsvc.measures import Histogram
from adsvc.observability.metrics.definitions import LAG_SECONDS, METRICS, Merge, Type
from adsvc.observability.work_counts import WorkCounts

Labels = tuple[str, ...]


class Buckets(NamedTuple):
    """Of a histogram: `counts` as `Histogram` has them, and the sum of all observations."""

    counts: list[int]
    total: float


Value = float | Buckets

MERGES: Mapping[Merge, Callable[[float, float], float]] = {
    Merge.SUM: lambda a, b: a + b,
    Merge.MAX: max,
    Merge.MIN: min,
}


class Snapshot:
    """Values by metric and labels. Only what `definitions` lists can be set."""

    def __init__(self) -> None:
        self.values: dict[str, dict[Labels, Value]] = {}

    def set(self, name: str, value: float, *labels: str) -> None:
        self._put(name, labels, value)

    def set_all(self, name: str, values: Mapping[str, float]) -> None:
        """Of a metric with one label, by its value."""
        for label, value in values.items():
            self._put(name, (label,), value)

    def set_histogram(self, name: str, histogram: Histogram, *labels: str) -> None:
        self._put(name, labels, Buckets(list(histogram.counts), histogram.total))

    def _put(self, name: str, labels: Labels, value: Value) -> None:
        if len(labels) != len(METRICS[name].labels):
            raise ValueError(name)
        self.values.setdefault(name, {})[labels] = value

    def add(self, other: "Snapshot") -> None:
        """Merges the other one into this."""
        for name, series in other.values.items():
            own = self.values.setdefault(name, {})
            merge = MERGES[METRICS[name].merge]
            for labels, value in series.items():
                before = own.get(labels)
                if before is None:
                    own[labels] = value
                elif isinstance(before, Buckets) and isinstance(value, Buckets):
                    counts = [a + b for a, b in zip(before.counts, value.counts, strict=True)]
                    own[labels] = Buckets(counts, before.total + value.total)
                elif not isinstance(before, Buckets) and not isinstance(value, Buckets):
                    own[labels] = merge(before, value)

    def cumulative(self) -> "Snapshot":
        """What stays true of a process that has ended: counters and histograms."""
        kept = Snapshot()
        for name, series in self.values.items():
            if METRICS[name].type is not Type.GAUGE:
                kept.values[name] = series
        return kept

    def encoded(self) -> bytes:
        series = [
            (name, labels, value)
            for name, values in self.values.items()
            for labels, value in values.items()
        ]
        return json.dumps(series, separators=(",", ":")).encode()

    @classmethod
    def decoded(cls, data: bytes) -> Self:
        """Raises `ValueError` if another program has written it."""
        snapshot = cls()
        try:
            for name, labels, value in json.loads(data):
                read = Buckets(*value) if isinstance(value, list) else float(value)
                snapshot._put(name, tuple(map(str, labels)), read)
        except (KeyError, TypeError) as error:
            raise ValueError(data[:100]) from error
        return snapshot


def merged(snapshots: Iterable[Snapshot]) -> Snapshot:
    together = Snapshot()
    for snapshot in snapshots:
        together.add(snapshot)
    return together


# Only Linux has it.
MEMORY = Path("/proc/self/statm")

STARTED_AT = time.time()


def add_process(snapshot: Snapshot) -> None:
    snapshot.set("adsvc_process_start_time_seconds", STARTED_AT)
    snapshot.set("adsvc_process_cpu_seconds_total", time.process_time())
    with suppress(OSError):
        pages = int(MEMORY.read_text().split()[1])
        snapshot.set("adsvc_process_resident_memory_bytes", pages * resource.getpagesize())


def add_pools(snapshot: Snapshot, pools: Mapping[str, PoolUsage]) -> None:
    """Those of the database."""
    for pool, usage in pools.items():
        snapshot.set("adsvc_database_pool_size", usage.size, pool)
        snapshot.set("adsvc_database_pool_used", usage.used, pool)
        if usage.waiting is not None:
            snapshot.set("adsvc_database_pool_waiting", usage.waiting, pool)


def add_work(snapshot: Snapshot, counts: WorkCounts) -> None:
    snapshot.set_all("adsvc_outbox_delivered_total", counts.delivered)
    snapshot.set_all("adsvc_outbox_failed_total", counts.failed)
    snapshot.set_all("adsvc_outbox_died_total", counts.died)
    snapshot.set("adsvc_outbox_unavailable_total", counts.unavailable)
    for job, runs in counts.jobs.items():
        snapshot.set("adsvc_job_runs_total", runs.runs, job)
        snapshot.set("adsvc_job_failures_total", runs.failures, job)
    snapshot.set("adsvc_ads_expired_total", counts.jobs["expiries"].done)


logger = logging.getLogger("adsvc.metrics")

# The variable by which worker processes learn where the exporter listens. No setting of operators.
SOCKET_VARIABLE = "_ADSVC_METRICS_SOCKET"

PERIOD_SECONDS = 1.0

# The last words of a process that ends.
LAST_SECONDS = 0.5

# Before each snapshot stands its size.
SIZE_BYTES = 4

# A question is any byte.
QUESTIONS_BYTES = 64


def framed(snapshot: Snapshot) -> bytes:
    data = snapshot.encoded()
    return len(data).to_bytes(SIZE_BYTES, "big") + data


class Publisher:
    """`take` makes a snapshot of the process as it is."""

    def __init__(self, path: str, take: Callable[[], Snapshot]) -> None:
        self._path = path
        self._take = take
        self._lag = Histogram(LAG_SECONDS)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Publishes until the end of the block, and once more then."""
        try:
            reader, writer = await asyncio.open_unix_connection(self._path)
        except OSError:
            # Requests matter more.
            logger.exception("The metrics of this process are not told.")
            yield
            return
        task = asyncio.create_task(self._publish(reader, writer))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(LAST_SECONDS):
                    await self._tell(writer)
            writer.close()

    async def _publish(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await self._tell(writer)
                if not await self._wait(reader):
                    return
        except OSError:
            logger.warning("The exporter of metrics has gone.")

    async def _tell(self, writer: asyncio.StreamWriter) -> None:
        snapshot = self._take()
        snapshot.set_histogram("adsvc_event_loop_lag_seconds", self._lag)
        writer.write(framed(snapshot))
        await writer.drain()

    async def _wait(self, reader: asyncio.StreamReader) -> bool:
        """Until it is time, or somebody asks; False if nobody ever will."""
        loop = asyncio.get_running_loop()
        due = loop.time() + PERIOD_SECONDS
        try:
            async with asyncio.timeout_at(due):
                return bool(await reader.read(QUESTIONS_BYTES))
        except TimeoutError:
            self._lag.observe(max(0.0, loop.time() - due))
            return True
