"""What a worker tells the exporter of metrics: there are no requests in it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adsvc.db.database import Database
from adsvc.observability.metrics.processes import add_pools, add_process, add_work
from adsvc.observability.metrics.publishing import Publisher
from adsvc.observability.metrics.snapshots import Snapshot
from adsvc.observability.work_counts import WorkCounts
from adsvc.storage.times import STORE_TIMES


@asynccontextmanager
async def publishing(
    path: str | None, database: Database, counts: WorkCounts
) -> AsyncIterator[None]:
    """Tells them at that path during the block, and once more at its end."""
    if path is None:
        yield
        return

    def take() -> Snapshot:
        snapshot = Snapshot()
        add_process(snapshot)
        add_pools(snapshot, database.pools)
        add_work(snapshot, counts)
        STORE_TIMES.add_to(snapshot)
        return snapshot

    async with Publisher(path, take).running():
        yield
