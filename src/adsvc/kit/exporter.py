"""Metrics of several processes, by the files of prometheus_client's multiprocess mode.

Objects count in plain numbers, and each process writes them into files of its own once a second.
The exporter is a thread of the first process, with an event loop and a listener of its own: a
worker that hangs, a database that is away and a slow client do not block it. Its HTTP is the
service's, with its deadlines and limits.
"""

import asyncio
import logging
import os
import secrets
import socket
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from math import inf
from pathlib import Path
from typing import Any, ClassVar, Protocol

import uvicorn
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from adsvc.kit.counters import LAG_SECONDS, STALL_SECONDS, Figures, Histogram, Metric, Table
from adsvc.kit.http.connection import Traffic
from adsvc.kit.http.protocol import BoundedProtocol
from adsvc.kit.invalidation import SharedValue

logger = logging.getLogger("adsvc.metrics")

# The disk of a file is allocated when it is made: the kernel ends a process that writes to a page
# of a mapped file for which there is no room. Labels are few, so files stay smaller than that.
FILE_BYTES, GAUGES_BYTES = 1 << 21, 1 << 16


class MetricsFiles:
    """The values of a process. Counters and histograms outlive it, gauges do not."""

    def __init__(self, directory: str, table: Table) -> None:
        self._directory = directory
        self._table = table
        # Another process may get the same pid later.
        self._owner = f"{os.getpid()}-{secrets.token_hex(4)}"
        kinds = {metric.kind for metric in table.values()}
        self._files = {kind: self._opened(kind) for kind in kinds}
        # By sample and labels, as to make a key takes longer than to write its value.
        self._keys: dict[tuple[str, tuple[str, ...]], str] = {}

    def _opened(self, kind: str) -> MmapedDict:
        path = Path(self._directory, f"{kind}_{self._owner}.db")
        with path.open("xb") as file:
            file.write(bytes(GAUGES_BYTES if kind.startswith("gauge") else FILE_BYTES))
        return MmapedDict(str(path))

    def set(self, name: str, value: float, *labels: str) -> None:
        metric = self._table[name]
        self._write(metric, name, metric.labels, labels, value)

    def set_all(self, name: str, values: Mapping[str, float]) -> None:
        """Sets a metric with one label; `values` are keyed by the label's value."""
        for label, value in values.items():
            self.set(name, value, label)

    def set_histogram(self, name: str, histogram: Histogram, *labels: str) -> None:
        metric = self._table[name]
        names = (*metric.labels, "le")
        for bound, count in zip((*metric.bounds, inf), histogram.counts, strict=True):
            self._write(metric, f"{name}_bucket", names, (*labels, str(bound)), count)
        self._write(metric, f"{name}_sum", metric.labels, labels, histogram.total)

    def _write(
        self,
        metric: Metric,
        sample: str,
        names: Sequence[str],
        labels: tuple[str, ...],
        value: float,
    ) -> None:
        key = self._keys.get((sample, labels))
        if key is None:
            if len(names) != len(labels):
                raise ValueError(sample)
            family = metric.name.removesuffix("_total")
            key = mmap_key(family, sample, list(names), list(labels), metric.help)
            self._keys[sample, labels] = key
        self._files[metric.kind].write_value(key, value, 0)

    def close(self) -> None:
        for file in self._files.values():
            file.close()
        mark_process_dead(self._owner, self._directory)


PERIOD_SECONDS = 1.0

# How often it is looked whether the event loop was held, and from which time on it counts.
WATCH_SECONDS = 0.1
SHORTEST_STALL_SECONDS = 0.25
# From that on it is in the log.
LONG_STALL_SECONDS = 1.0


@asynccontextmanager
async def publishing(
    directory: str | None, table: Table, write: Callable[[MetricsFiles], None]
) -> AsyncIterator[None]:
    """Lets `write` write the numbers of this process, if there is an exporter and its directory.

    It does so once a second until the end of the block, and once more then.
    """
    if directory is None:
        yield
        return
    try:
        files = MetricsFiles(directory, table)
    except OSError:
        # Requests matter more.
        logger.exception("The metrics of this process are not exported.")
        yield
        return
    lag, stalls = Histogram(LAG_SECONDS), Histogram(STALL_SECONDS)

    def write_all() -> None:
        write(files)
        files.set("adsvc_processes", 1)
        files.set_histogram("adsvc_event_loop_lag_seconds", lag)
        files.set_histogram("adsvc_event_loop_stall_seconds", stalls)

    tasks = [
        asyncio.create_task(_keep_writing(write_all, lag)),
        asyncio.create_task(_watch(stalls)),
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        write_all()
        files.close()


async def _keep_writing(write: Callable[[], None], lag: Histogram) -> None:
    loop = asyncio.get_running_loop()
    while True:
        write()
        due = loop.time() + PERIOD_SECONDS
        await asyncio.sleep(PERIOD_SECONDS)
        lag.observe(max(0.0, loop.time() - due))


async def _watch(stalls: Histogram) -> None:
    """Notices each stall: once a second would miss most of the short ones."""
    while True:
        began, worked = time.monotonic(), time.thread_time()
        await asyncio.sleep(WATCH_SECONDS)
        held = time.monotonic() - began - WATCH_SECONDS
        if held < SHORTEST_STALL_SECONDS:
            continue
        stalls.observe(held)
        if held >= LONG_STALL_SECONDS:
            worked = time.thread_time() - worked
            logger.warning(
                "The event loop was held for %.1f s, of which it worked %.1f s.", held, worked
            )


class FiguresReader(Protocol):
    async def now(self) -> Figures: ...

    def close(self) -> None: ...


class FiguresCollector(Collector):
    def __init__(self, figures: Figures) -> None:
        self._figures = figures

    def collect(self) -> Iterable[GaugeMetricFamily]:
        families: dict[str, GaugeMetricFamily] = {}
        for metric, labels, value in self._figures.values:
            family = GaugeMetricFamily(metric.name, metric.help, labels=metric.labels)
            families.setdefault(metric.name, family).add_metric(labels, value)
        return families.values()


PATH = "/metrics"
CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"

# However many clients scrape, files and database are read once in so many seconds.
KNOWN_SECONDS = 0.25
FIGURES_KNOWN_SECONDS = 5.0

STOP_SECONDS = 2
KEEP_ALIVE_SECONDS = 5

Send = Callable[[dict[str, Any]], Any]


class ExporterProtocol(BoundedProtocol):
    """The protocol of the service, with counts of its own: scrapes are not clients' traffic."""

    traffic: ClassVar[Traffic] = Traffic()


class Exporter:
    """The ASGI application of the listener."""

    def __init__(self, directory: str, reader: FiguresReader) -> None:
        self._directory = directory
        self._figures = SharedValue(reader.now, lambda _: FIGURES_KNOWN_SECONDS)
        self._known = SharedValue(self._exposition, lambda _: KNOWN_SECONDS)

    async def _exposition(self) -> bytes:
        registry = CollectorRegistry()
        registry.register(FiguresCollector(await self._figures.get()))
        forget_killed(self._directory)
        MultiProcessCollector(registry, self._directory)
        return generate_latest(registry)

    async def __call__(self, scope: dict[str, Any], _receive: object, send: Send) -> None:
        if scope["path"] != PATH:
            await _answer(send, 404, b"There is nothing but /metrics.\n")
        elif scope["method"] not in {"GET", "HEAD"}:
            await _answer(send, 405, b"/metrics is only read.\n", (b"allow", b"GET, HEAD"))
        else:
            body = await self._known.get()
            body = b"" if scope["method"] == "HEAD" else body
            await _answer(send, 200, body, content_type=CONTENT_TYPE)


def forget_killed(directory: str) -> None:
    """Removes the gauges of processes that were killed."""
    for file in Path(directory).glob("gauge_live*.db"):
        owner = file.stem.rpartition("_")[2]
        try:
            os.kill(int(owner.partition("-")[0]), 0)
        except ProcessLookupError:
            mark_process_dead(owner, directory)


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
def exporting(sockets: Sequence[socket.socket], reader: FiguresReader) -> Iterator[str]:
    """Serves `/metrics` on these sockets during the block.

    Yields the directory into which processes write their metrics.
    """
    for listener in sockets:
        # Who connects before the thread accepts waits for it.
        listener.listen()
    # Only this user may enter the directory, so only its processes can write metrics.
    with tempfile.TemporaryDirectory(prefix="adsvc-metrics-") as directory:
        server = uvicorn.Server(
            uvicorn.Config(
                Exporter(directory, reader),
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

        async def serve() -> None:
            try:
                await server.serve(list(sockets))
            finally:
                reader.close()

        # As a daemon it does not keep the process alive.
        thread = threading.Thread(target=lambda: asyncio.run(serve()), name="metrics", daemon=True)
        thread.start()
        try:
            yield directory
        finally:
            server.should_exit = True
            thread.join(STOP_SECONDS)
