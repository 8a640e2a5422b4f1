import asyncio
import logging as stdlib_logging
import os
import signal
from collections.abc import Awaitable
from pathlib import Path
from typing import Annotated

import typer
from uvicorn.loops.auto import auto_loop_factory

from adsvc.db.database import Database
from adsvc.exporter.server import metrics_if_wanted
from adsvc.observability import logging
from adsvc.observability.tracing import traced, tracing_from
from adsvc.observability.work_counts import WorkCounts
from adsvc.process.setup import disable_ptrace
from adsvc.services import installation
from adsvc.settings import Settings, load_settings
from adsvc.storage import ImageStore
from adsvc.worker.running import FAREWELL_SECONDS, publishing, working
from adsvc_ops.cli.environment import database_running, prepared_store, with_database

logger = stdlib_logging.getLogger("adsvc.worker")


def worker(
    data_dir: Annotated[
        Path | None, typer.Option(help="Where images, and the embedded database, are kept.")
    ] = None,
) -> None:
    """Send mails and do the regular work until interrupted, beside services with ADSVC_JOBS=off.

    Any number may run: they share the work.
    """
    settings = load_settings(data_dir=data_dir)
    logging.configure(settings.log_format)
    disable_ptrace()
    with (
        database_running(settings, language=settings.search_language) as ready,
        metrics_if_wanted(ready) as metrics_path,
        # As the service's own, it is quicker with uvloop, where there is one.
        asyncio.Runner(loop_factory=auto_loop_factory()) as runner,
    ):
        store = prepared_store(ready)
        runner.run(_traced(with_database(ready, lambda it: _work(ready, it, store, metrics_path))))


async def _traced(work: Awaitable[None]) -> None:
    # Before the first connection is made.
    async with traced(tracing_from(os.environ)):
        await work


async def _work(
    settings: Settings, database: Database, store: ImageStore, metrics_path: str | None
) -> None:
    """Until a signal comes. What is under way then ends: nobody waits for this process."""
    # Pictures are deleted by the rows of this database.
    await installation.bind(database, store)
    database.listen()
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    counts = WorkCounts()
    farewell = settings.mail_seconds + FAREWELL_SECONDS
    async with (
        publishing(metrics_path, database, counts),
        working(settings, database, store, counts, farewell_seconds=farewell),
    ):
        logger.info("The worker has begun.")
        await ended.wait()
    logger.info("The worker has ended.")
