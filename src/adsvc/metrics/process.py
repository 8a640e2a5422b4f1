"""The metrics of processes and of the service, and the exporter of them."""

import asyncio
import platform
import resource
import time
from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asyncpg
from sqlalchemy.engine import URL

from adsvc import __version__, migrations
from adsvc.api.app_state import AppState
from adsvc.api.pipeline.app import CATEGORY_ROUTES, LISTING_PATH, FastPathApp
from adsvc.api.pipeline.dispatch import AD_ROUTE, DETAILS_ROUTE
from adsvc.errors import DatabaseUnavailableError
from adsvc.kit.counters import Figures, RequestCounts, WorkCounts
from adsvc.kit.db.replica import AT_PRIMARY, AT_REPLICA
from adsvc.kit.db.servers import ConnectionDefaults, Servers, each_alone
from adsvc.kit.db.statements import PooledStatements, PoolUsage, Statements
from adsvc.kit.http.connection import Traffic
from adsvc.kit.http.protocol import BoundedProtocol
from adsvc.kit.pictures.containers import TIMES
from adsvc.kit.process.server import listen
from adsvc.kit.storage.protocol import STORE_TIMES
from adsvc.metrics import METRICS
from adsvc.repositories.operation import server as server_rows
from adsvc.services.events import StreamKind
from adsvc.services.readiness import ReadinessPart
from adsvc.settings import Settings

if TYPE_CHECKING:
    from adsvc.kit.exporter import MetricsFiles

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

    async def now(self) -> Figures:
        """The figures that were read in time."""
        figures = Figures(METRICS)
        figures.set("adsvc_build_info", 1, __version__, platform.python_version())
        log, *replayed = await asyncio.gather(
            _in_time(self._read(figures)),
            *(_in_time(_log(reader, AT_REPLICA)) for reader in self._replicas.values()),
        )
        figures.set("adsvc_database_up", log is not None)
        for name, place in zip(self._replicas, replayed, strict=True):
            figures.set("adsvc_replica_up", place is not None, name)
            if log is not None and place is not None:
                # The replica may have replayed more since the primary was queried.
                figures.set("adsvc_replica_lag_bytes", max(0, log - place), name)
        return figures

    async def _read(self, figures: Figures) -> int:
        """Sets the figures of the primary. Returns its position in the log, in bytes."""
        log = await _log(self._primary, AT_PRIMARY) if self._replicas else 0
        revision, own = await server_rows.revision(self._primary), migrations.head()
        figures.set("adsvc_schema_info", 1, revision or "none", own)
        figures.set("adsvc_schema_current", revision == own)
        for name, labels, value in await server_rows.metric_figures(self._primary):
            figures.set(name, value, *labels)
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


# Only Linux has it.
MEMORY = Path("/proc/self/statm")

STARTED_AT = time.time()


def write_process(files: "MetricsFiles", pools: Mapping[str, PoolUsage], work: WorkCounts) -> None:
    """What every process has: itself, its database pools, the image store, and its work.

    `pools` are those of the database.
    """
    files.set("adsvc_process_start_time_seconds", STARTED_AT)
    files.set("adsvc_process_cpu_seconds_total", time.process_time())
    with suppress(OSError):
        pages = int(MEMORY.read_text().split()[1])
        files.set("adsvc_process_resident_memory_bytes", pages * resource.getpagesize())
    for pool, usage in pools.items():
        files.set("adsvc_database_pool_size", usage.size, pool)
        files.set("adsvc_database_pool_used", usage.used, pool)
        if usage.waiting is not None:
            files.set("adsvc_database_pool_waiting", usage.waiting, pool)
    if STORE_TIMES.is_up is not None:
        files.set("adsvc_image_store_up", STORE_TIMES.is_up)
    files.set_all("adsvc_image_store_errors_total", STORE_TIMES.errors)
    for operation, seconds in STORE_TIMES.seconds.items():
        files.set_histogram("adsvc_image_store_seconds", seconds, operation)
    _write_work(files, work)


def _write_work(files: "MetricsFiles", counts: WorkCounts) -> None:
    files.set_all("adsvc_outbox_delivered_total", counts.delivered)
    files.set_all("adsvc_outbox_failed_total", counts.failed)
    files.set_all("adsvc_outbox_died_total", counts.died)
    files.set("adsvc_outbox_unavailable_total", counts.unavailable)
    files.set_all("adsvc_retention_deleted_total", counts.cleaning.deleted)
    files.set_all("adsvc_retention_failures_total", counts.cleaning.failed)
    webhooks = counts.webhooks
    files.set("adsvc_webhook_attempts_total", webhooks.delivered, "delivered")
    files.set("adsvc_webhook_attempts_total", webhooks.failed, "failed")
    files.set("adsvc_webhooks_disabled_total", webhooks.disabled)
    sequencer = counts.sequencer
    files.set("adsvc_sequencer", sequencer.leads)
    files.set("adsvc_sequencer_elections_total", sequencer.elections)
    files.set_histogram("adsvc_event_log_batch_changes", sequencer.changes)
    files.set_histogram("adsvc_event_log_batch_seconds", sequencer.seconds)
    for outcome in ("answered", "away", "behind"):
        number = getattr(counts.searches, outcome)
        files.set("adsvc_search_engine_searches_total", number, outcome)
    for job, runs in counts.jobs.items():
        files.set("adsvc_job_runs_total", runs.runs, job)
        files.set("adsvc_job_failures_total", runs.failures, job)
    files.set("adsvc_ads_expired_total", counts.jobs["expiries"].done)


# The environment variable with the exporter's directory, for worker processes. It is not a setting.
DIRECTORY_VARIABLE = "_ADSVC_METRICS_DIRECTORY"


@contextmanager
def exporting_if_wanted(settings: Settings) -> Iterator[str | None]:
    """Runs the exporter, if there is a port for it. Yields its directory."""
    if settings.metrics_port is None:
        yield None
        return
    # It takes memory, and most processes need none.
    from adsvc.kit.exporter import exporting  # noqa: PLC0415 - see above

    ConnectionDefaults.node = settings.node_name
    sockets = listen(
        settings.metrics_host,
        settings.metrics_port,
        what="metrics",
        variables=("ADSVC_METRICS_HOST", "ADSVC_METRICS_PORT"),
    )
    reader = DatabaseFigures(settings.database_session_url(), settings.database_replica())
    with exporting(sockets, reader) as directory:
        yield directory


CACHES: Mapping[str, str] = {
    LISTING_PATH: "listings",
    AD_ROUTE: "ads",
    DETAILS_ROUTE: "details",
    **dict.fromkeys(CATEGORY_ROUTES, "categories"),
}

# The only other route whose responses are cached.
PICTURES = "pictures"


@asynccontextmanager
async def publishing_service(
    directory: str | None, state: AppState, fast_path: FastPathApp, requests: RequestCounts | None
) -> AsyncIterator[None]:
    """Writes the metrics of this process into the exporter's directory, if there is one."""
    if directory is None or requests is None:
        yield
        return
    from adsvc.kit.exporter import publishing  # noqa: PLC0415 - as above

    metrics = ServiceMetrics(state, fast_path, requests, BoundedProtocol.traffic)
    watching = asyncio.create_task(state.readiness.watch())
    try:
        async with publishing(directory, METRICS, metrics.write):
            yield
    finally:
        watching.cancel()
        await asyncio.wait([watching])


@dataclass(frozen=True, slots=True)
class ServiceMetrics:
    """The objects that count."""

    state: AppState
    fast_path: FastPathApp
    requests: RequestCounts
    traffic: Traffic

    def write(self, files: "MetricsFiles") -> None:
        write_process(files, self.state.database.pools, self.state.work_counts)
        self._write_requests(files)
        self._write_bulkheads(files)
        self._write_streams(files)
        self._write_caches(files)
        self._write_pictures(files)
        self._write_readiness(files)

    def _write_requests(self, files: "MetricsFiles") -> None:
        for (route, method, status), count in self.requests.totals.items():
            files.set("adsvc_http_requests_total", count, method, route, str(status))
        for (route, method), durations in self.requests.durations.items():
            name = "adsvc_http_request_duration_seconds"
            files.set_histogram(name, durations, method, route)
        for status, count in self.traffic.refused.items():
            files.set("adsvc_http_protocol_refusals_total", count, str(status))
        files.set_all("adsvc_http_shed_total", self.fast_path.shedding.shed)
        files.set("adsvc_http_connections", len(self.traffic.connections))
        files.set("adsvc_http_busy_requests", self.fast_path.shedding.places.admitted)
        files.set("adsvc_http_busy_requests_limit", self.fast_path.shedding.places.capacity)

    def _write_readiness(self, files: "MetricsFiles") -> None:
        readiness = self.state.readiness
        if (condition := readiness.found) is not None:
            files.set("adsvc_ready", condition.fault is None, "reads")
            for part in ReadinessPart:
                ready = condition.refusal([part]) is None
                files.set("adsvc_ready", ready, part.value)
        for directory, space in readiness.disks.items():
            files.set("adsvc_disk_free_bytes", space.free, directory)
            files.set("adsvc_disk_reserve_bytes", space.reserve, directory)

    def _write_bulkheads(self, files: "MetricsFiles") -> None:
        state = self.state
        files.set_all("adsvc_replica_reads_total", state.database.replica_reads)
        usages = {
            "passwords": state.password_pool.usage,
            "pictures": state.image_pool.usage,
            "feeds": state.feed_pool.usage,
            "searches": state.searches.usage,
            "relaxations": state.relaxations.usage,
        }
        for name, usage in usages.items():
            files.set("adsvc_bulkhead_capacity", usage.capacity, name)
            files.set("adsvc_bulkhead_running", usage.running, name)
            files.set("adsvc_bulkhead_waiting", usage.waiting, name)
            files.set("adsvc_bulkhead_refused_total", usage.refused, name)
        files.set("adsvc_upload_bytes", state.uploads.bytes_under_way)
        files.set("adsvc_upload_bytes_limit", state.uploads.max_bytes)

    def _write_streams(self, files: "MetricsFiles") -> None:
        streams = self.state.streams
        for kind in StreamKind:
            files.set("adsvc_streams", streams.count(kind), kind)
            files.set("adsvc_streams_dropped_total", streams.dropped[kind], kind)
        files.set("adsvc_streams_limit", streams.most)

    def _write_caches(self, files: "MetricsFiles") -> None:
        state, hits = self.state, dict.fromkeys((*CACHES.values(), PICTURES), 0)
        for route, count in self.fast_path.cache.hits.items():
            hits[CACHES.get(route, PICTURES)] += count
        misses = dict.fromkeys(hits, 0) | state.responses.misses
        callers = state.token_cache
        files.set_all("adsvc_cache_hits_total", {**hits, "callers": callers.hits})
        files.set_all("adsvc_cache_misses_total", {**misses, "callers": callers.misses})
        files.set_all("adsvc_cache_bytes", state.responses.sizes)
        changes = state.database.changes
        for kind, count in changes.generations.items():
            files.set("adsvc_cache_generations_total", count, kind)
        if state.settings.answers_max_bytes:
            # Without caches the process does not listen for changes.
            files.set("adsvc_listener_confirmation_age_seconds", changes.confirmation_age)

    def _write_pictures(self, files: "MetricsFiles") -> None:
        pool = self.state.image_pool
        for step, times in {**TIMES.steps, "wait": pool.waits, "process": pool.works}.items():
            files.set_histogram("adsvc_picture_seconds", times, step)
        files.set_all("adsvc_picture_failures_total", TIMES.failures)
