import asyncio
from pathlib import Path
from typing import Annotated

import typer

from adsvc.cli.environment import (
    database_running,
    database_to_fill,
    prepared_store,
    with_database,
)
from adsvc.cli.terminal import say
from adsvc.cli.upkeep.progress import progress_bars
from adsvc.db.database import Database
from adsvc.errors import OperatorError
from adsvc.services import installation
from adsvc.services.backup import checking, pruning
from adsvc.services.backup.directory import BackupDirectory, Generation, located
from adsvc.services.backup.making import Backup, Progress
from adsvc.services.backup.manifest import Manifest
from adsvc.services.backup.restoring import Restore
from adsvc.services.backup.site import SiteCheck
from adsvc.settings import Settings, load_settings
from adsvc.storage import open_store

# Statements that read or write all rows take longer than those of requests.
STATEMENT_SECONDS = 3600

Programs = Annotated[
    Path | None,
    typer.Option(help="Directory of pg_dump, pg_restore and psql; see ADSVC_POSTGRES_BIN."),
]


def backup(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Holds any number of backups.")],
    keep: Annotated[
        int | None, typer.Option(min=1, help="Then remove all backups but so many, the newest.")
    ] = None,
    postgres_bin: Programs = None,
) -> None:
    """Back up the database and the pictures, beside a running service.

    Pictures that DIR holds already are not copied again. If rows name pictures that the store does
    not have, the backup is made without them, they are named, and the exit code is 1.
    """
    given = load_settings(postgres_bin=postgres_bin)
    place = BackupDirectory(directory)
    _require_elsewhere(place.path, given)
    place.prepare()
    with (
        place.locked(alone=True),
        database_running(given) as settings,
        progress_bars() as progress,
    ):
        slow = _patient(settings)

        async def work(database: Database) -> tuple[Generation, Manifest]:
            store = open_store(settings)
            await installation.require_match(database, store)
            url = slow.database_session_url()
            made = Backup(database, url, store, place, slow.postgres_bin, progress)
            return await made.make()

        generation, manifest = asyncio.run(with_database(slow, work))
        removed = pruning.prune(place, keep) if keep else []
    say(f"{generation.path}: the database and {manifest.pictures} files of pictures.")
    for gone in removed:
        say(f"Removed {gone}.", to_errors=True)
    if manifest.missing:
        for name in manifest.missing:
            say(name)
        say(f"{len(manifest.missing)} files that rows name are not in the store.", to_errors=True)
        raise typer.Exit(1)


def restore(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="The newest backup in it, or one of them itself.")
    ],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace all rows that there are.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before that.")] = False,
    postgres_bin: Programs = None,
) -> None:
    """Put a backup back, into an empty database and an empty store unless told otherwise.

    First the whole backup is held against its digests. Interrupted, it is run again.
    """
    place, generation = located(directory)
    given = load_settings(postgres_bin=postgres_bin)
    if replace and not yes:
        made = generation.manifest().made_at.isoformat(timespec="seconds")
        typer.confirm(f"Replace all accounts and ads by those of {made}?", abort=True)
    with (
        place.locked(alone=False),
        database_to_fill(given) as settings,
        progress_bars() as progress,
    ):
        slow = _patient(settings)
        store = prepared_store(settings)

        async def work(database: Database) -> Manifest:
            put = Restore(
                place, generation, database, slow.database_session_url(), store,
                slow.postgres_bin, progress,
            )  # fmt: skip
            return await put.run(replace=replace, language=settings.search_language)

        manifest = asyncio.run(with_database(slow, work))
    say(f"Restored {generation.name}: the database and {manifest.pictures} files of pictures.")
    if replace:
        say("Files that only later rows named are left to: adsvc sweep", to_errors=True)


def verify(
    directory: Annotated[
        Path | None,
        typer.Argument(metavar="[DIR]", help="A directory of backups, or one backup in it."),
    ] = None,
) -> None:
    """Read every picture that a row names, or, with DIR, everything in its backups.

    What is missing or damaged is named; then the exit code is 1.
    """
    with progress_bars() as progress:
        found = _of_site(progress) if directory is None else _of_backups(directory, progress)
    if found:
        say(f"Found {found} faults.", to_errors=True)
        raise typer.Exit(1)
    say("Found nothing wrong.", to_errors=True)


def _of_site(progress: Progress) -> int:
    with database_running(load_settings()) as settings:

        async def work(database: Database) -> int:
            store = open_store(settings)
            await installation.require_match(database, store)
            found = 0
            async for fault in SiteCheck(database, settings, store, progress).faults():
                say(fault)
                found += 1
            return found

        found: int = asyncio.run(with_database(_patient(settings), work))
    return found


def _of_backups(path: Path, progress: Progress) -> int:
    place, newest = located(path)
    one = newest.path == path.absolute()
    with place.locked(alone=False):
        generations = [newest] if one else place.generations()
        found = 0
        for fault in checking.faults(place, generations, progress):
            say(fault)
            found += 1
        for left in place.leftovers():
            say(f"{left} was not finished. The next backup removes it.", to_errors=True)
    return found


def _require_elsewhere(path: Path, settings: Settings) -> None:
    data = settings.data_dir.resolve()
    if path.resolve().is_relative_to(data):
        raise OperatorError(
            f"{path} is inside ADSVC_DATA_DIR, {data}, with which it would be lost. "
            "Name a directory elsewhere, on another disk at best."
        )


def _patient(settings: Settings) -> Settings:
    return settings.model_copy(update={"database_timeout_seconds": float(STATEMENT_SECONDS)})
