"""The metrics of one process, and how it sends them to the exporter.

It sends them once a second and on demand. So the exporter has the last values of a process that was
killed, and a process that hangs does not delay a scrape.
"""

import asyncio
import logging
import resource
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from adsvc.db.pools import PoolUsage
from adsvc.db.servers import ConnectionDefaults
from adsvc.measures import Histogram, WorkCounts
from adsvc.metrics.definitions import LAG_SECONDS, STALL_SECONDS
from adsvc.metrics.snapshot import MetricsSnapshot
from adsvc.process.server import listen
from adsvc.settings import Settings
from adsvc.storage.protocol import STORE_TIMES

# Only Linux has it.
MEMORY = Path("/proc/self/statm")

STARTED_AT = time.time()


def process_snapshot(pools: Mapping[str, PoolUsage], work: WorkCounts) -> MetricsSnapshot:
    """What every process has: itself, its database pools, the image store, and its work.

    `pools` are those of the database.
    """
    snapshot = MetricsSnapshot()
    _add_process(snapshot)
    _add_pools(snapshot, pools)
    _add_store(snapshot)
    _add_work(snapshot, work)
    return snapshot


def _add_process(snapshot: MetricsSnapshot) -> None:
    snapshot.set("adsvc_process_start_time_seconds", STARTED_AT)
    snapshot.set("adsvc_process_cpu_seconds_total", time.process_time())
    with suppress(OSError):
        pages = int(MEMORY.read_text().split()[1])
        snapshot.set("adsvc_process_resident_memory_bytes", pages * resource.getpagesize())


def _add_pools(snapshot: MetricsSnapshot, pools: Mapping[str, PoolUsage]) -> None:
    for pool, usage in pools.items():
        snapshot.set("adsvc_database_pool_size", usage.size, pool)
        snapshot.set("adsvc_database_pool_used", usage.used, pool)
        if usage.waiting is not None:
            snapshot.set("adsvc_database_pool_waiting", usage.waiting, pool)


def _add_store(snapshot: MetricsSnapshot) -> None:
    if STORE_TIMES.is_up is not None:
        snapshot.set("adsvc_image_store_up", STORE_TIMES.is_up)
    snapshot.set_all("adsvc_image_store_errors_total", STORE_TIMES.errors)
    for operation, seconds in STORE_TIMES.seconds.items():
        snapshot.set_histogram("adsvc_image_store_seconds", seconds, operation)


def _add_work(snapshot: MetricsSnapshot, counts: WorkCounts) -> None:
    snapshot.set_all("adsvc_outbox_delivered_total", counts.delivered)
    snapshot.set_all("adsvc_outbox_failed_total", counts.failed)
    snapshot.set_all("adsvc_outbox_died_total", counts.died)
    snapshot.set("adsvc_outbox_unavailable_total", counts.unavailable)
    snapshot.set_all("adsvc_retention_deleted_total", counts.cleaning.deleted)
    snapshot.set_all("adsvc_retention_failures_total", counts.cleaning.failed)
    webhooks = counts.webhooks
    snapshot.set("adsvc_webhook_attempts_total", webhooks.delivered, "delivered")
    snapshot.set("adsvc_webhook_attempts_total", webhooks.failed, "failed")
    snapshot.set("adsvc_webhooks_disabled_total", webhooks.disabled)
    sequencer = counts.sequencer
    snapshot.set("adsvc_sequencer", sequencer.leads)
    snapshot.set("adsvc_sequencer_elections_total", sequencer.elections)
    snapshot.set_histogram("adsvc_event_log_batch_changes", sequencer.changes)
    snapshot.set_histogram("adsvc_event_log_batch_seconds", sequencer.seconds)
    for job, runs in counts.jobs.items():
        snapshot.set("adsvc_job_runs_total", runs.runs, job)
        snapshot.set("adsvc_job_failures_total", runs.failures, job)
    snapshot.set("adsvc_ads_expired_total", counts.jobs["expiries"].done)


logger = logging.getLogger("adsvc.metrics")

# The environment variable with the path of the exporter's socket, for worker processes. It is not a
# setting.
SOCKET_VARIABLE = "_ADSVC_METRICS_SOCKET"

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


@contextmanager
def exporting_if_wanted(settings: Settings) -> Iterator[str | None]:
    """Runs the exporter, if there is a port for it. Yields the path of its socket."""
    if settings.metrics_port is None:
        yield None
        return
    from adsvc.metrics.exporter import exporting  # noqa: PLC0415 - takes memory, and most need none

    ConnectionDefaults.node = settings.node_name
    sockets = listen(
        settings.metrics_host,
        settings.metrics_port,
        what="metrics",
        variables=("ADSVC_METRICS_HOST", "ADSVC_METRICS_PORT"),
    )
    database, replica = settings.database_session_url(), settings.database_replica()
    with exporting(sockets, database, replica) as path:
        yield path
