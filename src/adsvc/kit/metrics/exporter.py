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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, ClassVar, Protocol

import uvicorn
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.core import Metric as Family
from prometheus_client.registry import Collector

from adsvc import __version__
from adsvc.kit.errors import OperatorError
from adsvc.kit.http.connection import Traffic
from adsvc.kit.http.protocol import BoundedProtocol
from adsvc.kit.invalidation import SharedValue
from adsvc.kit.metrics.snapshot import (
    SIZE_BYTES,
    Buckets,
    Labels,
    Metric,
    MetricsSnapshot,
    Table,
    Type,
    Value,
    merged,
)

logger = logging.getLogger("adsvc.metrics")

# How long a scrape waits for new snapshots. Then it takes the last ones.
FRESH_SECONDS = 0.5


class _Process:
    """A connected process, with its last snapshot."""

    def __init__(self, writer: asyncio.StreamWriter, table: Table) -> None:
        self._writer = writer
        self.snapshot = MetricsSnapshot(table)
        self.is_fresh = asyncio.Event()

    def request(self) -> None:
        self.is_fresh.clear()
        self._writer.write(b"?")


class Totals:
    """The snapshots of all processes. A connection that ends is a process that has ended.

    The counters of a process that has ended stay in the sum. Otherwise the sum would fall, and
    Prometheus would take the rest of it for new requests.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._ended = MetricsSnapshot(table)
        self._live: set[_Process] = set()

    async def receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """For `asyncio.start_unix_server`."""
        process = _Process(writer, self._table)
        self._live.add(process)
        try:
            while True:
                size = int.from_bytes(await reader.readexactly(SIZE_BYTES), "big")
                data = await reader.readexactly(size)
                process.snapshot = MetricsSnapshot.decoded(data, self._table)
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
        live = (process.snapshot for process in self._live)
        together = merged(self._table, [self._ended, *live])
        together.set("adsvc_processes", len(self._live))
        return together


class Figures(Protocol):
    """What the exporter itself finds out, beside what processes send."""

    async def now(self) -> MetricsSnapshot: ...

    def close(self) -> None: ...


CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"


class _Families(Collector):
    def __init__(self, snapshot: MetricsSnapshot) -> None:
        self._snapshot = snapshot

    def collect(self) -> Iterable[Family]:
        for name, metric in self._snapshot.table.items():
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

    def __init__(self, table: Table, figures: Figures) -> None:
        self._table = table
        self._totals = Totals(table)
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
        snapshot = merged(self._table, [totals, figures])
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
    sockets: Sequence[socket.socket], table: Table, figures: Callable[[], Figures]
) -> Iterator[str]:
    """Serves `/metrics` on these sockets during the block. `figures` is called in its thread.

    Yields the path of the socket to which processes send their metrics.
    """
    # Only this user may enter the directory, so only its processes can send metrics.
    with tempfile.TemporaryDirectory(prefix="adsvc-metrics-") as directory:
        path = Path(directory) / "socket"
        thread = _Thread(list(sockets), str(path), partial(Exporter, table), figures)
        thread.start()
        try:
            if not thread.ready.wait(START_SECONDS) or thread.failed:
                raise OperatorError("The listener for /metrics did not start; the log says why.")
            yield str(path)
        finally:
            thread.stop()


class _Thread(threading.Thread):
    def __init__(
        self,
        sockets: list[socket.socket],
        path: str,
        exporter: Callable[[Figures], Exporter],
        figures: Callable[[], Figures],
    ) -> None:
        super().__init__(name="metrics", daemon=True)
        self.ready = threading.Event()
        self.failed = False
        self._sockets = sockets
        self._path = path
        self._exporter = exporter
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
        exporter = self._exporter(self._figures())
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
