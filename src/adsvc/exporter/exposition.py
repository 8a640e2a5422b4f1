"""Snapshots in Prometheus' text format."""

import asyncio
import logging
from collections.abc import Awaitable, Iterable, Iterator
from contextlib import suppress
from itertools import accumulate
from typing import Any

import asyncpg
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.core import (
    Metric as Family,
)
from prometheus_client.registry import Collector
from sqlalchemy.engine import URL

from adsvc.db import migrations
from adsvc.db.connections.connection import each_alone
from adsvc.db.connections.servers import Servers
from adsvc.db.read_pool import Reader
from adsvc.db.replica import AT_PRIMARY, AT_REPLICA
from adsvc.errors import DatabaseUnavailableError
from adsvc.observability.metrics.definitions import METRICS, Metric, Type
from adsvc.observability.metrics.publishing import (
    SIZE_BYTES,
    Buckets,
    Labels,
    Snapshot,
    Value,
    merged,
)
from adsvc.repositories.operation.server import FIGURES, FigureRepository, revision_by

logger = logging.getLogger("adsvc.metrics")

# How long a scrape waits for processes that are slow to tell. Then what they told last counts.
FRESH_SECONDS = 0.5


class _Process:
    """One that is connected, with the last it has told."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.snapshot = Snapshot()
        self.has_told = asyncio.Event()

    def ask(self) -> None:
        self.has_told.clear()
        self._writer.write(b"?")


class Totals:
    """A connection is a process: when it ends, so has the process.

    Counters never fall: what a process has counted stays counted when it ends. Otherwise
    Prometheus would take each restart of a worker for as many new requests as the rest has had.
    """

    def __init__(self) -> None:
        self._ended = Snapshot()
        self._live: set[_Process] = set()

    async def hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """For `asyncio.start_unix_server`."""
        process = _Process(writer)
        self._live.add(process)
        try:
            while True:
                size = int.from_bytes(await reader.readexactly(SIZE_BYTES), "big")
                process.snapshot = Snapshot.decoded(await reader.readexactly(size))
                process.has_told.set()
        except (OSError, asyncio.IncompleteReadError):
            # It has ended.
            pass
        except ValueError:
            logger.exception("A process tells its metrics in other words.")
        finally:
            self._live.discard(process)
            self._ended.add(process.snapshot.cumulative())
            process.has_told.set()
            writer.close()

    async def now(self) -> Snapshot:
        processes = list(self._live)
        for process in processes:
            process.ask()
        with suppress(TimeoutError):
            async with asyncio.timeout(FRESH_SECONDS):
                for process in processes:
                    await process.has_told.wait()
        # One that has ended meanwhile is among the ended.
        together = merged([self._ended, *(process.snapshot for process in self._live)])
        together.set("adsvc_processes", len(self._live))
        return together


# A scrape without a database must not hang: Prometheus gives it ten seconds, by default.
ALL_SECONDS = 2.0

STATEMENT_SECONDS = 1.0


def _reader(servers: Servers) -> Reader:
    milliseconds = str(round(STATEMENT_SECONDS * 1000))
    return Reader(
        servers,
        pool_size=1,
        timeout=STATEMENT_SECONDS,
        server_settings={"statement_timeout": milliseconds},
        names=("metrics", "metrics"),
    )


class DatabaseFigures:
    """Asks each server on one connection, which is opened again when it breaks."""

    def __init__(self, url: URL, replica_url: URL | None = None) -> None:
        self._primary = _reader(Servers(url))
        replicas = {} if replica_url is None else each_alone(replica_url)
        self._replicas = {name: _reader(Servers(alone)) for name, alone in replicas.items()}

    async def now(self) -> Snapshot:
        """What could be read in time."""
        snapshot = Snapshot()
        log, *replayed = await asyncio.gather(
            _known(self._read(snapshot)),
            *(_known(_log(reader, AT_REPLICA)) for reader in self._replicas.values()),
        )
        snapshot.set("adsvc_database_up", log is not None)
        for name, place in zip(self._replicas, replayed, strict=True):
            snapshot.set("adsvc_replica_up", place is not None, name)
            if log is not None and place is not None:
                # The replica may have gone on since the primary was asked.
                snapshot.set("adsvc_replica_lag_bytes", max(0, log - place), name)
        return snapshot

    async def _read(self, snapshot: Snapshot) -> int:
        """Sets what the primary tells, and gives how far its log is."""
        log = await _log(self._primary, AT_PRIMARY) if self._replicas else 0
        revision, own = await revision_by(self._primary), migrations.head()
        snapshot.set("adsvc_schema_info", 1, revision or "none", own)
        snapshot.set("adsvc_schema_current", revision == own)
        figures = FigureRepository(self._primary)
        for figure in FIGURES:
            for labels, value in (await figures.read(figure)).items():
                snapshot.set(figure.name, value, *labels)
        return log

    def close(self) -> None:
        for reader in (self._primary, *self._replicas.values()):
            reader.close()


async def _log(reader: Reader, sql: str) -> int:
    """A server's place in the write-ahead log, in bytes."""
    row: Any = await reader.fetchrow(sql, keep_plan=True)
    return int(row["log"])


async def _known(log: Awaitable[int]) -> int | None:
    """None if the server does not tell it in time."""
    try:
        async with asyncio.timeout(ALL_SECONDS):
            return await log
    except (DatabaseUnavailableError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
        # A timeout is an `OSError` too.
        return None


CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"


class _Families(Collector):
    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def collect(self) -> Iterable[Family]:
        for name, metric in METRICS.items():
            series = self._snapshot.values.get(name, {})
            yield _family(metric, series)


def _family(metric: Metric, series: dict[Labels, Value]) -> Family:
    if metric.type is Type.HISTOGRAM:
        histogram = HistogramMetricFamily(metric.name, metric.help, labels=metric.labels)
        for labels, value in sorted(series.items()):
            assert isinstance(value, Buckets)  # noqa: S101 - as its definition says
            histogram.add_metric(labels, list(_cumulative(metric, value)), value.total)
        return histogram
    kind = CounterMetricFamily if metric.type is Type.COUNTER else GaugeMetricFamily
    family = kind(metric.name, metric.help, labels=metric.labels)
    for labels, value in sorted(series.items()):
        assert not isinstance(value, Buckets)  # noqa: S101 - as its definition says
        family.add_metric(labels, value)
    return family


def _cumulative(metric: Metric, value: Buckets) -> Iterator[tuple[str, float]]:
    """Prometheus' buckets contain all below them."""
    bounds = [*map(repr, metric.bounds), "+Inf"]
    return zip(bounds, accumulate(value.counts), strict=True)


def text(snapshot: Snapshot) -> bytes:
    """Every metric has its help, also one without a value."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Families(snapshot))
    return generate_latest(registry)
