import asyncio
import os

import typer
from rich.console import Console
from rich.progress import Progress

from adsvc.bulkheads.disk import DiskReserve
from adsvc.bulkheads.pools import ProcessPool
from adsvc.cli.environment import database_running, image_store, with_database
from adsvc.cli.terminal import say
from adsvc.db.database import Database
from adsvc.pictures.sandbox import confine
from adsvc.services import installation
from adsvc.services.rebuilding import Rebuilding
from adsvc.settings import Settings, load_settings

app = typer.Typer(help="Pictures of ads.", no_args_is_help=True)


@app.callback()
def images() -> None:
    """Pictures of ads."""


@app.command()
def rebuild() -> None:
    """Make the variants of pictures that were stored before there were any.

    It may be interrupted and started again, beside a running service. Pictures that cannot be read
    are named and left as they are; then the exit code is 1.
    """
    with database_running(load_settings()) as settings:

        async def work(database: Database) -> tuple[int, int]:
            await installation.require_match(database, image_store(settings))
            return await _rebuild(settings, database)

        made, failed = asyncio.run(with_database(settings, work))
    say(f"Rebuilt {made} pictures.", to_errors=True)
    if failed:
        say(f"{failed} cannot be read and stay as they are.", to_errors=True)
        raise typer.Exit(1)


async def _rebuild(settings: Settings, database: Database) -> tuple[int, int]:
    """How many were rebuilt, and how many could not be."""
    workers = settings.image_workers
    pool = ProcessPool(
        workers=workers,
        queue=workers,
        seconds=settings.image_seconds,
        prepare=(confine, (settings.image_memory_bytes, os.getpid())),
    )
    reserve = DiskReserve({"image store": settings.image_dir}, settings.disk_reserve_bytes)
    rebuilding = Rebuilding(database, settings, image_store(settings), pool, reserve)
    made = failed = 0
    try:
        with Progress(console=Console(stderr=True)) as progress:
            bar = progress.add_task("Rebuilding pictures", total=await rebuilding.left())
            async for name, fault in rebuilding.run():
                progress.advance(bar)
                if fault is None:
                    made += 1
                else:
                    failed += 1
                    say(f"{name}: {fault}")
    finally:
        await pool.close()
    return made, failed
