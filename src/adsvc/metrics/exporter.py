"""Prometheus metrics of all processes together, on a listener of their own.

The listener is a thread of the first process with an event loop of its own: a worker that hangs, a
database that is away and a slow client do not block it. Its HTTP is the service's, with its
deadlines and limits. However many clients scrape, a process makes at most one snapshot in
`KNOWN_SECONDS`.
"""

import asyncio
import logging
import platform
import socket
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, ClassVar

import asyncpg
import uvicorn
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.core import Metric as Family
from prometheus_client.registry import Collector
from sqlalchemy.engine import URL

from adsvc import __version__
from adsvc.cache import SharedValue
from adsvc.db import migrations
from adsvc.db.replica import AT_PRIMARY, AT_REPLICA
from adsvc.db.servers import Servers, each_alone
from adsvc.db.statements import PooledStatements, Statements
from adsvc.errors import DatabaseUnavailableError, OperatorError
from adsvc.http.connection import Traffic
from adsvc.http.protocol import BoundedProtocol
from adsvc.metrics.definitions import METRICS, Metric, Type
from adsvc.metrics.snapshot import SIZE_BYTES, Buckets, Labels, MetricsSnapshot, Value, merged
from adsvc.repositories.operation import server as server_rows

logger = logging.getLogger("adsvc.metrics")

# How long a scrape waits for new snapshots. Then it takes the last ones.
FRESH_SECONDS = 0.5


class _Process:
    """A connected process, with its last snapshot."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.snapshot = MetricsSnapshot()
        self.is_fresh = asyncio.Event()

    def request(self) -> None:
        self.is_fresh.clear()
        self._writer.write(b"?")


class Totals:
    """The snapshots of all processes. A connection that ends is a process that has ended.

    The counters of a process that has ended stay in the sum. Otherwise the sum would fall, and
    Prometheus would take the rest of it for new requests.
    """

    def __init__(self) -> None:
        self._ended = MetricsSnapshot()
        self._live: set[_Process] = set()

    async def receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """For `asyncio.start_unix_server`."""
        process = _Process(writer)
        self._live.add(process)
        try:
            while True:
                size = int.from_bytes(await reader.readexactly(SIZE_BYTES), "big")
                process.snapshot = MetricsSnapshot.decoded(await reader.readexactly(size))
                process.is_fresh.set()
        except (OSError, asyncio.IncompleteReadError):
            # It has ended.
            pass
        except ValueError:
            logger.exception("The metrics of a process cannot be read.")
        finally:
            self._live.discard(process)
            self._ended.add(process.snapshot.cumulative())
            process.is_fresh.set()
            writer.close()

    async def now(self) -> MetricsSnapshot:
        processes = list(self._live)
        for process in processes:
            process.request()
        with suppress(TimeoutError):
            async with asyncio.timeout(FRESH_SECONDS):
                for process in processes:
                    await process.is_fresh.wait()
        # A process that has ended meanwhile is in `_ended`.
        together = merged([self._ended, *(process.snapshot for process in self._live)])
        together.set("adsvc_processes", len(self._live))
        return together


# A scrape without a database must not hang: Prometheus gives it ten seconds, by default.
ALL_SECONDS = 2.0

STATEMENT_SECONDS = 1.0


def _reader(servers: Servers) -> PooledStatements:
    milliseconds = str(round(STATEMENT_SECONDS * 1000))
    return PooledStatements(
        servers,
        "metrics",
        pool_size=1,
        timeout=STATEMENT_SECONDS,
        server_settings={"statement_timeout": milliseconds},
    )


class DatabaseFigures:
    """Figures that each database server is queried for, on one connection to each."""

    def __init__(self, url: URL, replica_url: URL | None = None) -> None:
        self._primary = _reader(Servers(url))
        replicas = {} if replica_url is None else each_alone(replica_url)
        self._replicas = {name: _reader(Servers(alone)) for name, alone in replicas.items()}

    async def now(self) -> MetricsSnapshot:
        """The figures that were read in time."""
        snapshot = MetricsSnapshot()
        log, *replayed = await asyncio.gather(
            _in_time(self._read(snapshot)),
            *(_in_time(_log(reader, AT_REPLICA)) for reader in self._replicas.values()),
        )
        snapshot.set("adsvc_database_up", log is not None)
        for name, place in zip(self._replicas, replayed, strict=True):
            snapshot.set("adsvc_replica_up", place is not None, name)
            if log is not None and place is not None:
                # The replica may have replayed more since the primary was queried.
                snapshot.set("adsvc_replica_lag_bytes", max(0, log - place), name)
        return snapshot

    async def _read(self, snapshot: MetricsSnapshot) -> int:
        """Sets the figures of the primary. Returns its position in the log, in bytes."""
        log = await _log(self._primary, AT_PRIMARY) if self._replicas else 0
        revision, own = await server_rows.revision(self._primary), migrations.head()
        snapshot.set("adsvc_schema_info", 1, revision or "none", own)
        snapshot.set("adsvc_schema_current", revision == own)
        for name, series in (await server_rows.metric_figures(self._primary)).items():
            for labels, value in series.items():
                snapshot.set(name, value, *labels)
        return log

    def close(self) -> None:
        for reader in (self._primary, *self._replicas.values()):
            reader.close()


async def _log(reader: Statements, sql: str) -> int:
    """A server's position in the write-ahead log, in bytes."""
    row: Any = await reader.fetchrow(sql, keep_plan=True)
    return int(row["log"])


async def _in_time(log: Awaitable[int]) -> int | None:
    """None if the server does not answer in time."""
    try:
        async with asyncio.timeout(ALL_SECONDS):
            return await log
    except (DatabaseUnavailableError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
        # `TimeoutError` is an `OSError`.
        return None


CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"


class _Families(Collector):
    def __init__(self, snapshot: MetricsSnapshot) -> None:
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
            # Prometheus' buckets contain all below them.
            bounds = [*map(repr, metric.bounds), "+Inf"]
            buckets = list(zip(bounds, accumulate(value.counts), strict=True))
            histogram.add_metric(labels, buckets, value.total)
        return histogram
    kind = CounterMetricFamily if metric.type is Type.COUNTER else GaugeMetricFamily
    family = kind(metric.name, metric.help, labels=metric.labels)
    for labels, value in sorted(series.items()):
        assert not isinstance(value, Buckets)  # noqa: S101 - as its definition says
        family.add_metric(labels, value)
    return family


def text(snapshot: MetricsSnapshot) -> bytes:
    """With the help of every metric, even one without a value."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Families(snapshot))
    return generate_latest(registry)


PATH = "/metrics"
KNOWN_SECONDS = 0.25

# How long the figures of the database are reused, so that many scrapes are no load for it.
FIGURES_KNOWN_SECONDS = 5.0

START_SECONDS = 10
STOP_SECONDS = 2
KEEP_ALIVE_SECONDS = 5

Send = Callable[[dict[str, Any]], Any]


class ExporterProtocol(BoundedProtocol):
    """The protocol of the service, with counts of its own: scrapes are not clients' traffic."""

    traffic: ClassVar[Traffic] = Traffic()


class Exporter:
    """The ASGI application of the listener."""

    def __init__(self, figures: DatabaseFigures) -> None:
        self._totals = Totals()
        self._figures = figures
        self._known_figures = SharedValue(self._figures.now, lambda _: FIGURES_KNOWN_SECONDS)
        self._known = SharedValue(self._exposition, lambda _: KNOWN_SECONDS)

    @property
    def totals(self) -> Totals:
        return self._totals

    def close(self) -> None:
        self._figures.close()

    async def _exposition(self) -> bytes:
        totals, figures = await asyncio.gather(self._totals.now(), self._known_figures.get())
        snapshot = merged([totals, figures])
        snapshot.set("adsvc_build_info", 1, __version__, platform.python_version())
        return text(snapshot)

    async def __call__(self, scope: dict[str, Any], _receive: object, send: Send) -> None:
        if scope["path"] != PATH:
            await _answer(send, 404, b"There is nothing but /metrics.\n")
        elif scope["method"] not in {"GET", "HEAD"}:
            await _answer(send, 405, b"/metrics is only read.\n", (b"allow", b"GET, HEAD"))
        else:
            body = await self._known.get()
            body = b"" if scope["method"] == "HEAD" else body
            await _answer(send, 200, body, content_type=CONTENT_TYPE)


async def _answer(
    send: Send,
    status: int,
    body: bytes,
    *more: tuple[bytes, bytes],
    content_type: bytes = b"text/plain; charset=utf-8",
) -> None:
    headers = [
        (b"content-type", content_type),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        *more,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def exporting(
    sockets: Sequence[socket.socket], database: URL, replica: URL | None = None
) -> Iterator[str]:
    """Serves `/metrics` on these sockets during the block.

    Yields the path of the socket to which processes send their metrics.
    """
    # Only this user may enter the directory, so only its processes can send metrics.
    with tempfile.TemporaryDirectory(prefix="adsvc-metrics-") as directory:
        path = Path(directory) / "socket"
        thread = _Thread(list(sockets), str(path), partial(DatabaseFigures, database, replica))
        thread.start()
        try:
            if not thread.ready.wait(START_SECONDS) or thread.failed:
                raise OperatorError("The listener for /metrics did not start; the log says why.")
            yield str(path)
        finally:
            thread.stop()


class _Thread(threading.Thread):
    def __init__(
        self, sockets: list[socket.socket], path: str, figures: Callable[[], DatabaseFigures]
    ) -> None:
        super().__init__(name="metrics", daemon=True)
        self.ready = threading.Event()
        self.failed = False
        self._sockets = sockets
        self._path = path
        # Called in the thread, because its result belongs to that thread's event loop.
        self._figures = figures
        self._server: uvicorn.Server

    def run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception:
            self.failed = True
            logger.exception("The listener for /metrics has failed.")
        finally:
            self.ready.set()

    async def _serve(self) -> None:
        exporter = Exporter(self._figures())
        self._server = uvicorn.Server(
            uvicorn.Config(
                exporter,
                http=ExporterProtocol,
                lifespan="off",
                ws="none",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=1,
            )
        )
        async with AsyncExitStack() as stack:
            stack.callback(exporter.close)
            receiving = await asyncio.start_unix_server(exporter.totals.receive, self._path)
            stack.callback(receiving.close)
            self.ready.set()
            await self._server.serve(self._sockets)

    def stop(self) -> None:
        """Waits some time for the thread to end. As a daemon it does not keep the process alive."""
        if self.is_alive() and not self.failed:
            self._server.should_exit = True
            self.join(STOP_SECONDS)
