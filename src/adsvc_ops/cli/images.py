import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import typer

from adsvc.errors import OperatorError
from adsvc.kit.db.database import Database
from adsvc.kit.pictures.containers import files_of
from adsvc.kit.settings.validators import store_address
from adsvc.kit.storage import CopyResult, ImageStore, copy_all, count, open_store, open_store_at
from adsvc.kit.storage.protocol import PARALLEL
from adsvc.repositories import images as image_rows
from adsvc.schemas.base import IMAGE_PATH
from adsvc.services import installation, picture_deletion
from adsvc.services.images import Rebuilding, picture_pool
from adsvc.services.readiness import disk_reserves
from adsvc.settings import Settings, load_settings
from adsvc_ops.cli.environment import database_running, prepared_store, with_database
from adsvc_ops.cli.terminal import progress_bar, say

SCHEME = re.compile("[A-Za-z][A-Za-z0-9+.-]*:")

app = typer.Typer(help="Pictures of ads.", no_args_is_help=True)


@app.callback()
def images() -> None:
    """Pictures of ads."""


@app.command()
def rebuild() -> None:
    """Make the variants that older pictures lack.

    It may be interrupted and repeated, beside a running service. Pictures that cannot be read are
    named and stay as they are; then the exit code is 1.
    """
    with database_running(load_settings()) as settings:

        async def work(database: Database) -> tuple[int, int]:
            await installation.require_match(database, open_store(settings))
            return await _rebuild(settings, database)

        made, failed = asyncio.run(with_database(settings, work))
    say(f"Rebuilt {made} pictures.", to_errors=True)
    if failed:
        say(f"{failed} cannot be read and stay as they are.", to_errors=True)
        raise typer.Exit(1)


@app.command()
def hidden() -> None:
    """Print the addresses of all pictures that only moderators may see, to purge caches of them."""
    with database_running(load_settings()) as settings:

        async def work(database: Database) -> Sequence[str]:
            async with database.autocommit() as session:
                return await image_rows.names(session)

        names = asyncio.run(with_database(settings, work))
    for file in files_of(names):
        say(f"{IMAGE_PATH}{file}")


Address = Annotated[
    str,
    typer.Argument(help="`local` for the data directory, s3://bucket/prefix, or a directory."),
]


@app.command()
def copy(source: Address, target: Address) -> None:
    """Copy all pictures from one image store into another, and verify each by its digest.

    It may be interrupted and repeated, beside a running service: pictures in the target stay.
    Pictures that cannot be copied are named; then the exit code is 1.
    """
    settings = load_settings()
    stores = [_store_at(settings, at) for at in (source, target)]
    copied, there, wrong = asyncio.run(_copy(*stores))
    say(f"Copied {copied} files; {there} were there already.", to_errors=True)
    if wrong:
        say(f"{wrong} are not in the target as they are in the source.", to_errors=True)
        raise typer.Exit(1)


def _store_at(settings: Settings, address: str) -> ImageStore:
    """Refuses a misspelled bucket, which would otherwise become a directory."""
    if SCHEME.match(address):
        try:
            store_address(address)
        except ValueError as error:
            raise OperatorError(
                f"{address} {error}. A directory of that name is ./{address}"
            ) from None
    return open_store_at(settings, address, reads=PARALLEL)


async def _copy(source: ImageStore, target: ImageStore) -> tuple[int, int, int]:
    """How many were copied, were there, and could not be copied."""
    if source.location == target.location:
        raise OperatorError("Source and target are the same.")
    if source.directory is not None and not source.directory.is_dir():
        raise OperatorError(f"There is no directory {source.location}.")
    await _require_same_owner(source, target)
    found = Counter[CopyResult]()
    with progress_bar() as progress:
        bar = progress.add_task("Copying pictures", total=await count(source))
        target.prepare()
        async for name, result in copy_all(source, target):
            progress.advance(bar)
            found[result] += 1
            if result is CopyResult.DAMAGED:
                say(name)
    return found[CopyResult.COPIED], found[CopyResult.PRESENT], found[CopyResult.DAMAGED]


async def _require_same_owner(source: ImageStore, target: ImageStore) -> None:
    """Pictures of two installations in one store could not be separated again."""
    ours, theirs = await source.owner(), await target.owner()
    if theirs is not None and theirs != ours:
        raise OperatorError(
            f"{target.location} belongs to installation {theirs}, and {source.location} to "
            f"{ours or 'none'}. Nothing was copied."
        )


async def _rebuild(settings: Settings, database: Database) -> tuple[int, int]:
    """How many were rebuilt, and how many could not be."""
    pool, store = picture_pool(settings, queue=settings.image_workers), open_store(settings)
    reserve, _ = disk_reserves(settings, store)
    rebuilding = Rebuilding(database, settings, store, pool, reserve)
    made = failed = 0
    try:
        with progress_bar() as progress:
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
                found = await picture_deletion.orphans(session, store, grace_seconds=seconds)
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
                async for name in picture_deletion.sweep(session, store, grace_seconds=seconds):
                    say(name)
                    removed += 1
            say(f"Removed {removed} image files.", to_errors=True)

        asyncio.run(with_database(settings, work))


def _refusal(found: picture_deletion.Orphans, database: Database, store: ImageStore) -> str:
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
    """Make this database the owner of the image store, even if it has another owner."""
    with database_running(load_settings()) as settings:
        store = prepared_store(settings)

        async def work(database: Database) -> tuple[str, str, str | None]:
            ours, before = await installation.adopt(database, store, renew=new_id)
            return database.location, ours, before

        place, ours, before = asyncio.run(with_database(settings, work))
    say(f"{store.location} belongs to installation {ours} now, the database {place}.")
    say(f"Before, it belonged to {before or 'none'}.")
