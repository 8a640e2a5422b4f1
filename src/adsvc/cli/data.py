import asyncio
import secrets
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from adsvc.cli.environment import database_running, hash_password, with_database
from adsvc.db import Database
from adsvc.services import images, seeding
from adsvc.settings import Settings, load_settings
from adsvc.storage import LocalImageStore


def _store(settings: Settings) -> LocalImageStore:
    store = LocalImageStore(settings.image_dir)
    store.prepare()
    return store


def seed(
    users: Annotated[int, typer.Option(min=1, help="How many accounts to make.")] = 10,
    ads: Annotated[int, typer.Option(min=0, help="How many ads to make.")] = 200,
    password: Annotated[
        str | None, typer.Option(help="The accounts' common password; made up if left out.")
    ] = None,
) -> None:
    """Add demonstration accounts and ads, with small generated pictures."""
    password = password or secrets.token_urlsafe(12)
    given = load_settings()
    password_hash = hash_password(given, password)
    with database_running(given) as settings, _progress() as progress:
        store = _store(settings)
        bar = progress.add_task("Posting ads", total=ads)

        async def work(database: Database) -> list[str]:
            return await seeding.seed(
                database,
                store,
                users=users,
                ads=ads,
                password_hash=password_hash,
                advance=lambda done: progress.advance(bar, done),
            )

        names = asyncio.run(with_database(settings, work))
    typer.echo(f"Made {users} accounts and {ads} ads.")
    typer.echo(f"Log in as {names[0]} with the password {password}")


def _progress() -> Progress:
    return Progress(console=Console(stderr=True))


def sweep(
    grace: Annotated[
        int | None,
        typer.Option(min=0, help="Spare files younger than this many seconds."),
    ] = None,
) -> None:
    """Remove image files that nothing in the database names, and say which."""
    with database_running(load_settings()) as settings:
        store = _store(settings)
        seconds = settings.image_grace_seconds if grace is None else grace

        async def work(database: Database) -> int:
            removed = 0
            async with database.autocommit() as session:
                async for name in images.sweep(session, store, grace_seconds=seconds):
                    typer.echo(name)
                    removed += 1
            return removed

        removed = asyncio.run(with_database(settings, work))
    typer.echo(f"Removed {removed} image files.", err=True)
