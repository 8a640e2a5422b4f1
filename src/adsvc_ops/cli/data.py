import asyncio
import logging
import secrets
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from adsvc.db.database import Database
from adsvc.errors import OperatorError
from adsvc.services import images, installation
from adsvc.services.categories import changes
from adsvc.services.categories.reading import CategoryMemory
from adsvc.settings import load_settings
from adsvc.storage import ImageStore, open_store
from adsvc_ops import seeding
from adsvc_ops.cli.categories import OPERATOR, categories_in
from adsvc_ops.cli.environment import (
    database_running,
    hash_password,
    prepared_store,
    with_database,
)
from adsvc_ops.cli.terminal import say
from adsvc_ops.seeding.rows import Leaf, leaves_of


def seed(
    users: Annotated[int, typer.Option(min=1, help="How many accounts to make.")] = 10,
    ads: Annotated[int, typer.Option(min=0, help="How many ads to make.")] = 200,
    password: Annotated[
        str | None, typer.Option(help="The accounts' common password; made up if left out.")
    ] = None,
    all_shown: Annotated[
        bool, typer.Option("--all-shown", help="No ad is sold, expired, withdrawn or a draft.")
    ] = False,
) -> None:
    """Add demonstration accounts and ads, with small generated pictures.

    They are of the categories that there are; without any, the starter tree is loaded first.
    """
    password = password or secrets.token_urlsafe(12)
    given = load_settings()
    password_hash = hash_password(given, password)
    with database_running(given, make=True) as settings, _progress() as progress:
        store = prepared_store(settings)
        bar = progress.add_task("Posting ads", total=ads)

        async def work(database: Database) -> list[str]:
            await installation.bind(database, store)
            return await seeding.seed(
                database,
                store,
                await _leaves(database) if ads else [],
                users=users,
                ads=ads,
                password_hash=password_hash,
                hidden=not all_shown,
                advance=lambda done: progress.advance(bar, done),
            )

        names = asyncio.run(with_database(settings, work))
    say(f"Made {users} accounts and {ads} ads.")
    say(f"Log in as {names[0]} with the password {password}")


async def _leaves(database: Database) -> list[Leaf]:
    tree = await CategoryMemory(database).tree()
    if not tree.nodes:
        # A line for each of them would hide what else is said.
        trail = logging.getLogger("adsvc.audit")
        trail.disabled = True
        try:
            async with database.transaction() as transaction:
                await changes.load(transaction, categories_in(None), actor=OPERATOR)
        finally:
            trail.disabled = False
        tree = await CategoryMemory(database).tree()
    return leaves_of(tree)


def _progress() -> Progress:
    return Progress(console=Console(stderr=True))


def sweep(
    grace: Annotated[
        int | None,
        typer.Option(min=0, help="Spare files younger than this many seconds."),
    ] = None,
    dry_run: Annotated[bool, typer.Option(help="Only say what would be removed.")] = False,
    force: Annotated[bool, typer.Option(help="Remove more than a tenth of all, too.")] = False,
) -> None:
    """Remove image files that nothing in the database names, and say which.

    More than a few files that are more than a tenth of all are removed only with --force.
    """
    with database_running(load_settings()) as settings:
        store = open_store(settings)
        seconds = settings.image_grace_seconds if grace is None else grace

        async def work(database: Database) -> None:
            await installation.require_match(database, store)
            async with database.autocommit() as session:
                found = await images.orphans(session, store, grace_seconds=seconds)
                refusal = _refusal(found, database, store) if found.suspicious else None
                if dry_run:
                    for name in found.names:
                        say(name)
                    say(f"Would remove {len(found.names)} of {found.total} files.", to_errors=True)
                    if refusal is not None:
                        say(refusal, to_errors=True)
                    return
                if refusal is not None and not force:
                    raise OperatorError(refusal)
                removed = 0
                async for name in images.sweep(session, store, grace_seconds=seconds):
                    say(name)
                    removed += 1
            say(f"Removed {removed} image files.", to_errors=True)

        asyncio.run(with_database(settings, work))


def _refusal(found: images.Orphans, database: Database, store: ImageStore) -> str:
    return (
        f"The database {database.location} names all but {len(found.names)} of the {found.total} "
        f"files in {store.location}, which is more than a tenth. Nothing was removed. If it is the "
        "right database: adsvc sweep --force. With --dry-run it prints their names."
    )


def adopt(
    new_id: Annotated[
        bool, typer.Option(help="Give the database a new id first: for a copy of another one.")
    ] = False,
) -> None:
    """Let the image store belong to the database, whatever it belonged to before."""
    with database_running(load_settings()) as settings:
        store = prepared_store(settings)

        async def work(database: Database) -> tuple[str, str, str | None]:
            ours, before = await installation.adopt(database, store, renew=new_id)
            return database.location, ours, before

        place, ours, before = asyncio.run(with_database(settings, work))
    say(f"{store.location} belongs to installation {ours} now, the database {place}.")
    say(f"Before, it belonged to {before or 'none'}.")
