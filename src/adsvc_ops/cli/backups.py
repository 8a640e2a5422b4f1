import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from adsvc.db.database import Database
from adsvc.services import installation
from adsvc.settings import Settings, load_settings
from adsvc.storage import open_store
from adsvc_ops.backup import making, vault, verifying
from adsvc_ops.backup.locations import (
    open_place,
    require_elsewhere,
    resolve_generation,
    split_address,
)
from adsvc_ops.backup.making import Backup
from adsvc_ops.backup.restoring import Restore
from adsvc_ops.backup.store import Manifest, Progress
from adsvc_ops.backup.verifying import SiteCheck
from adsvc_ops.cli.environment import (
    database_running,
    database_to_fill,
    prepared_store,
    with_database,
)
from adsvc_ops.cli.terminal import progress_bars, say

# Statements that read or write all rows take longer than those of requests.
STATEMENT_SECONDS = 3600

Programs = Annotated[
    Path | None,
    typer.Option(help="Directory of pg_dump, pg_restore and psql; see ADSVC_POSTGRES_BIN."),
]
KeyFile = Annotated[
    Path | None,
    typer.Option(help="The key of encrypted backups, made by adsvc backup-key."),
]
Keep = typer.Option(
    min=1, metavar="N", help="Keep only the newest N backups, and remove the others."
)
PLACE = "A directory, or s3://bucket/prefix: "


def backup(
    place: Annotated[
        str, typer.Argument(metavar="PLACE", help=PLACE + "where the backups are kept.")
    ],
    keep: Annotated[int | None, Keep] = None,
    key_file: KeyFile = None,
    postgres_bin: Programs = None,
) -> None:
    """Back up the database and the pictures, beside a running service.

    Pictures that PLACE has already are not copied again. With a key everything is encrypted; a
    bucket requires a key. If the store lacks pictures that rows name, the backup is made without
    them. The command then lists them, and its exit code is 1.
    """
    given = load_settings(postgres_bin=postgres_bin)
    require_elsewhere(place, given)
    backups = open_place(place, _key(key_file), given)
    with database_running(given) as settings, progress_bars() as progress:
        slow = _with_long_timeouts(settings)

        async def work(database: Database) -> tuple[str, Manifest, list[str]]:
            await backups.prepare()
            async with backups.locked(exclusive=True):
                store = open_store(settings)
                await installation.require_match(database, store)
                url = slow.database_session_url()
                backup = Backup(database, url, store, backups, slow.postgres_bin, progress)
                generation, manifest = await backup.make()
                removed = await making.prune(backups, keep) if keep else []
            return generation, manifest, removed

        generation, manifest, removed = asyncio.run(with_database(slow, work))
    say(f"{backups.where(generation)}: the database and {manifest.pictures} files of pictures.")
    _say_removed(removed)
    if manifest.missing:
        for name in manifest.missing:
            say(name)
        say(f"{len(manifest.missing)} files that rows name are not in the store.", to_errors=True)
        raise typer.Exit(1)


def backup_key(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Must not exist yet.")],
) -> None:
    """Make a key for encrypted backups, readable by its owner alone."""
    vault.make_key(file)
    say(
        f"{file} contains a new key. Keep a copy elsewhere: without it no backup can be read.",
        to_errors=True,
    )


def prune(
    place: Annotated[
        str, typer.Argument(metavar="PLACE", help=PLACE + "where the backups are kept.")
    ],
    keep: Annotated[int, Keep],
    key_file: KeyFile = None,
) -> None:
    """Remove old backups, and the pictures that no remaining one needs."""
    backups = open_place(place, _key(key_file), load_settings())

    async def work() -> list[str]:
        async with backups.locked(exclusive=True):
            return await making.prune(backups, keep)

    _say_removed(asyncio.run(work()))


def restore(
    place: Annotated[
        str,
        typer.Argument(
            metavar="PLACE",
            help="Where the backups are kept: restores the newest one. Or one backup in it.",
        ),
    ],
    replace: Annotated[bool, typer.Option("--replace", help="Replace all existing rows.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    key_file: KeyFile = None,
    postgres_bin: Programs = None,
) -> None:
    """Restore a backup, into an empty database and an empty store unless --replace is given.

    First the whole backup is compared with its digests. After an interruption, run it again.
    """
    given = load_settings(postgres_bin=postgres_bin)
    address, name = split_address(place)
    backups = open_place(address, _key(key_file), given)
    generation = asyncio.run(resolve_generation(backups, name))
    if replace and not yes:
        manifest = asyncio.run(backups.manifest(generation))
        date = manifest.made_at.isoformat(timespec="seconds")
        typer.confirm(f"Replace all accounts and ads by those of {date}?", abort=True)
    with database_to_fill(given) as settings, progress_bars() as progress:
        slow = _with_long_timeouts(settings)
        store = prepared_store(settings)

        async def work(database: Database) -> Manifest:
            put = Restore(
                backups, generation, database, slow.database_session_url(), store,
                slow.postgres_bin, progress,
            )  # fmt: skip
            async with backups.locked(exclusive=False):
                return await put.run(replace=replace, language=settings.search_language)

        restored = asyncio.run(with_database(slow, work))
    say(f"Restored {generation}: the database and {restored.pictures} files of pictures.")
    if replace:
        say("Files that no row names any more remain. To remove them: adsvc sweep", to_errors=True)


def verify(
    place: Annotated[
        str | None,
        typer.Argument(metavar="[PLACE]", help=PLACE + "its backups, or one backup in it."),
    ] = None,
    key_file: KeyFile = None,
) -> None:
    """Read every picture that a row names, or, with PLACE, everything in its backups.

    Names what is missing or damaged; then the exit code is 1.
    """
    with progress_bars() as progress:
        if place is None:
            found = _of_site(progress)
        else:
            found = asyncio.run(_of_backups(place, _key(key_file), progress))
    if found:
        say(f"Found {found} faults.", to_errors=True)
        raise typer.Exit(1)
    say("Found nothing wrong.", to_errors=True)


def _key(file: Path | None) -> bytes | None:
    if file is None:
        return None
    key, warning = vault.read_key(file)
    if warning is not None:
        say(warning, to_errors=True)
    return key


def _say_removed(generations: Sequence[str]) -> None:
    for gone in generations:
        say(f"Removed {gone}.", to_errors=True)


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

        found: int = asyncio.run(with_database(_with_long_timeouts(settings), work))
    return found


async def _of_backups(place: str, key: bytes | None, progress: Progress) -> int:
    address, name = split_address(place)
    backups = open_place(address, key, load_settings())
    newest = await resolve_generation(backups, name)
    async with backups.locked(exclusive=False):
        generations = await backups.generations() if name is None else [newest]
        found = 0
        async for fault in verifying.faults(backups, generations, progress):
            say(fault)
            found += 1
        for left in await backups.leftovers():
            say(f"{left} was not finished. The next backup removes it.", to_errors=True)
    return found


def _with_long_timeouts(settings: Settings) -> Settings:
    return settings.model_copy(update={"database_timeout_seconds": float(STATEMENT_SECONDS)})
