"""Runs the work beside requests while the process lasts, in `adsvc serve` and `adsvc worker`."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adsvc.db.database import Database
from adsvc.observability.metrics.publishing import (
    Publisher,
    Snapshot,
    add_pools,
    add_process,
    add_work,
)
from adsvc.observability.work_counts import WorkCounts
from adsvc.services.mail.delivery import Deliveries, transport_of
from adsvc.services.recovery import Mailboxes
from adsvc.settings import Settings
from adsvc.storage import ImageStore
from adsvc.storage.times import STORE_TIMES
from adsvc.worker.jobs import jobs_of, keep_running
from adsvc.worker.outbox import Outbox


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


logger = logging.getLogger("adsvc.worker")

CHANNEL = "adsvc_outbox"

# The time that mails under way get when a service ends, whose clients wait for its successor.
FAREWELL_SECONDS = 5.0


@asynccontextmanager
async def working(
    settings: Settings,
    database: Database,
    store: ImageStore,
    counts: WorkCounts,
    *,
    farewell_seconds: float = FAREWELL_SECONDS,
) -> AsyncIterator[None]:
    """Needs a database that listens: otherwise an entry is found some seconds late."""
    transport = transport_of(settings)
    if settings.smtp_url is None:
        logger.warning("Mails are not sent (no ADSVC_SMTP_URL): they are in %s", settings.mail_dir)
    deliveries = Deliveries(database, settings, transport, Mailboxes(database, settings))
    counts.begin(deliveries.kinds)
    outbox = Outbox(
        database,
        deliveries.deliver,
        transport.rest,
        kinds=deliveries.kinds,
        at_once=settings.mail_connections,
        seconds=settings.mail_seconds,
        attempts=settings.outbox_attempts,
        farewell_seconds=farewell_seconds,
        counts=counts,
    )
    database.hear(CHANNEL, outbox.wake)
    jobs = jobs_of(settings, database, store)
    tasks = [
        asyncio.create_task(keep_running(database, job, counts.jobs[job.name])) for job in jobs
    ]
    tasks.append(asyncio.create_task(outbox.run()))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await transport.close()
