"""What processes of all kinds tell: themselves, their connections, the work beside requests."""

import resource
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from adsvc.db.connections.pool import PoolUsage
from adsvc.observability.metrics.snapshots import Snapshot
from adsvc.observability.work_counts import WorkCounts

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
