"""The metrics of a process that serves requests."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from adsvc.api.app_state import AppState
from adsvc.api.pipeline.app import FastPathApp
from adsvc.api.pipeline.cached import AD_ROUTE, CATEGORY_ROUTES, DETAILS_ROUTE, LISTING_PATH
from adsvc.kit.counters import RequestCounts
from adsvc.kit.http.connection import Traffic
from adsvc.kit.http.protocol import BoundedProtocol
from adsvc.kit.metrics.publisher import publishing
from adsvc.kit.metrics.snapshot import MetricsSnapshot
from adsvc.kit.pictures.containers import TIMES
from adsvc.metrics.process import process_snapshot
from adsvc.services.events import StreamKind
from adsvc.services.readiness import ReadinessPart

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
    path: str | None, state: AppState, fast_path: FastPathApp, requests: RequestCounts | None
) -> AsyncIterator[None]:
    """Sends the metrics of this process to the exporter's socket at `path`, if there is one."""
    if path is None or requests is None:
        yield
        return
    metrics = ServiceMetrics(state, fast_path, requests, BoundedProtocol.traffic)
    watching = asyncio.create_task(state.readiness.watch())
    try:
        async with publishing(path, metrics.snapshot):
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

    def snapshot(self) -> MetricsSnapshot:
        snapshot = process_snapshot(self.state.database.pools, self.state.work_counts)
        self._add_requests(snapshot)
        self._add_bulkheads(snapshot)
        self._add_streams(snapshot)
        self._add_caches(snapshot)
        self._add_pictures(snapshot)
        self._add_readiness(snapshot)
        return snapshot

    def _add_requests(self, snapshot: MetricsSnapshot) -> None:
        for (route, method, status), count in self.requests.totals.items():
            snapshot.set("adsvc_http_requests_total", count, method, route, str(status))
        for (route, method), durations in self.requests.durations.items():
            name = "adsvc_http_request_duration_seconds"
            snapshot.set_histogram(name, durations, method, route)
        for status, count in self.traffic.refused.items():
            snapshot.set("adsvc_http_protocol_refusals_total", count, str(status))
        snapshot.set_all("adsvc_http_shed_total", self.fast_path.shedding.shed)
        snapshot.set("adsvc_http_connections", len(self.traffic.connections))
        snapshot.set("adsvc_http_busy_requests", self.fast_path.shedding.places.admitted)
        snapshot.set("adsvc_http_busy_requests_limit", self.fast_path.shedding.places.capacity)

    def _add_readiness(self, snapshot: MetricsSnapshot) -> None:
        readiness = self.state.readiness
        if (condition := readiness.found) is not None:
            snapshot.set("adsvc_ready", condition.fault is None, "reads")
            for part in ReadinessPart:
                ready = condition.refusal([part]) is None
                snapshot.set("adsvc_ready", ready, part.value)
        for directory, space in readiness.disks.items():
            snapshot.set("adsvc_disk_free_bytes", space.free, directory)
            snapshot.set("adsvc_disk_reserve_bytes", space.reserve, directory)

    def _add_bulkheads(self, snapshot: MetricsSnapshot) -> None:
        state = self.state
        snapshot.set_all("adsvc_replica_reads_total", state.database.replica_reads)
        usages = {
            "passwords": state.password_pool.usage,
            "pictures": state.image_pool.usage,
            "feeds": state.feed_pool.usage,
            "searches": state.searches.usage,
            "relaxations": state.relaxations.usage,
        }
        for name, usage in usages.items():
            snapshot.set("adsvc_bulkhead_capacity", usage.capacity, name)
            snapshot.set("adsvc_bulkhead_running", usage.running, name)
            snapshot.set("adsvc_bulkhead_waiting", usage.waiting, name)
            snapshot.set("adsvc_bulkhead_refused_total", usage.refused, name)
        snapshot.set("adsvc_upload_bytes", state.uploads.bytes_under_way)
        snapshot.set("adsvc_upload_bytes_limit", state.uploads.max_bytes)

    def _add_streams(self, snapshot: MetricsSnapshot) -> None:
        streams = self.state.streams
        for kind in StreamKind:
            snapshot.set("adsvc_streams", streams.count(kind), kind)
            snapshot.set("adsvc_streams_dropped_total", streams.dropped[kind], kind)
        snapshot.set("adsvc_streams_limit", streams.most)

    def _add_caches(self, snapshot: MetricsSnapshot) -> None:
        state, hits = self.state, dict.fromkeys((*CACHES.values(), PICTURES), 0)
        for route, count in self.fast_path.cache.hits.items():
            hits[CACHES.get(route, PICTURES)] += count
        misses = dict.fromkeys(hits, 0) | state.responses.misses
        callers = state.token_cache
        snapshot.set_all("adsvc_cache_hits_total", {**hits, "callers": callers.hits})
        snapshot.set_all("adsvc_cache_misses_total", {**misses, "callers": callers.misses})
        snapshot.set_all("adsvc_cache_bytes", state.responses.sizes)
        changes = state.database.changes
        for kind, count in changes.generations.items():
            snapshot.set("adsvc_cache_generations_total", count, kind)
        if state.settings.answers_max_bytes:
            # Without caches the process does not listen for changes.
            snapshot.set("adsvc_listener_confirmation_age_seconds", changes.confirmation_age)

    def _add_pictures(self, snapshot: MetricsSnapshot) -> None:
        pool = self.state.image_pool
        for step, times in {**TIMES.steps, "wait": pool.waits, "process": pool.works}.items():
            snapshot.set_histogram("adsvc_picture_seconds", times, step)
        snapshot.set_all("adsvc_picture_failures_total", TIMES.failures)
