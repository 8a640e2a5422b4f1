import asyncio
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from adsvc.errors import OperatorError
from adsvc.kit.db.database import Database
from adsvc.kit.settings.groups import BackupPictures
from adsvc.kit.storage import open_store
from adsvc.repositories.operation import jobs as job_rows
from adsvc.repositories.operation.jobs import PICTURE_CHECK
from adsvc.services import installation
from adsvc.settings import S3_SCHEME, Settings, load_settings
from adsvc_ops.backup import verifying
from adsvc_ops.backup.making import Backup
from adsvc_ops.backup.plain import (
    NAME_OF_BACKUP,
    BackupDirectory,
    Manifest,
    Progress,
    private_files,
)
from adsvc_ops.backup.programs import find_programs
from adsvc_ops.backup.restic import SCHEME, Repository
from adsvc_ops.backup.restoring import AdRestore, Restore
from adsvc_ops.backup.verifying import SiteCheck
from adsvc_ops.cli.environment import (
    database_running,
    database_to_fill,
    prepared_store,
    with_database,
)
from adsvc_ops.cli.terminal import progress_bars, say
from adsvc_ops.cli.users import OPERATOR

# Statements that read or write all rows take longer than those of requests.
STATEMENT_SECONDS = 3600

# What a directory has whose backups were encrypted by a key file.
KEY_FILE_MARK = "vault"

Programs = Annotated[
    Path | None,
    typer.Option(help="Directory of pg_dump, pg_restore and psql; see ADSVC_POSTGRES_BIN."),
]
Keep = typer.Option(
    min=1, metavar="N", help="Keep only the newest N backups, and remove the others."
)
PLACE = "A directory, or restic:REPOSITORY: "
Where = Annotated[str, typer.Argument(metavar="PLACE", help=PLACE + "where the backups are.")]


def backup(
    place: Annotated[
        Path | None,
        typer.Argument(metavar="[DIRECTORY]", help="Where the backups are kept.", show_default=""),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="restic:REPOSITORY",
            help="Store the backup there. DIRECTORY is for the newest one alone then.",
        ),
    ] = None,
    keep: Annotated[int | None, Keep] = None,
    postgres_bin: Programs = None,
) -> None:
    """Back up the database and the pictures, beside a running service.

    Pictures that the backup before has too are not copied again. If the store lacks pictures that
    rows name, the backup is made without them. The command then lists them, and its exit code is 1.
    """
    given = load_settings(postgres_bin=postgres_bin)
    repository = None if to is None else _repository(to, given)
    backups = BackupDirectory(_directory(place, given, staging=repository is not None))
    with database_running(given) as settings, progress_bars() as progress:
        slow = _with_long_timeouts(settings)

        async def work(database: Database) -> tuple[Path, Manifest]:
            store = open_store(settings)
            await installation.require_match(database, store)
            url, programs = slow.database_session_url(), slow.postgres_bin
            copies = settings.backup_pictures is BackupPictures.COPIED
            return await Backup(
                database, url, store, backups, repository, programs, progress, copies
            ).make()

        backups.prepare()
        with backups.locked(exclusive=True):
            made, manifest = asyncio.run(with_database(slow, work))
            removed = (repository or backups).prune(keep) if keep else []
            if repository is not None:
                backups.prune(1)
    where = made if repository is None else f"{repository.location}/{made.name}"
    say(f"{where}: the database and {manifest.pictures} files of pictures.")
    _say_removed(removed)
    if manifest.missing:
        for name in manifest.missing:
            say(name)
        say(f"{len(manifest.missing)} files that rows name are not in the store.", to_errors=True)
        raise typer.Exit(1)


def list_backups(place: Where) -> None:
    """Print the names of the backups in PLACE, which are their times, the oldest first."""
    for found in _backups_in(place, load_settings()).backups():
        say(found.name)


def prune(place: Where, keep: Annotated[int, Keep]) -> None:
    """Remove old backups, and the pictures that no remaining one needs."""
    backups = _backups_in(place, load_settings())
    if isinstance(backups, Repository):
        _say_removed(backups.prune(keep))
        return
    with backups.locked(exclusive=True):
        _say_removed(backups.prune(keep))


def restore(
    place: Annotated[
        str,
        typer.Argument(
            metavar="PLACE",
            help="Where the backups are: restores the newest one. Or one backup in it.",
        ),
    ],
    replace: Annotated[bool, typer.Option("--replace", help="Replace all existing rows.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    ad: Annotated[
        int | None,
        typer.Option(metavar="ID", help="Only this ad, which was deleted, beside the service."),
    ] = None,
    postgres_bin: Programs = None,
) -> None:
    """Restore a backup, into an empty database and an empty store unless --replace is given.

    First the whole backup is compared with its digests. After an interruption, run it again.
    """
    given = load_settings(postgres_bin=postgres_bin)
    with _plain_backup(place, given) as found:
        if ad is not None:
            _restore_ad(found, given, ad)
            return
        if replace and not yes:
            date = Manifest.of(found).made_at.isoformat(timespec="seconds")
            typer.confirm(f"Replace all accounts and ads by those of {date}?", abort=True)
        with database_to_fill(given) as settings, progress_bars() as progress:
            slow = _with_long_timeouts(settings)
            store = prepared_store(settings)

            async def work(database: Database) -> Manifest:
                url, programs = slow.database_session_url(), slow.postgres_bin
                put = Restore(found, database, url, store, programs, progress)
                return await put.run(replace=replace, language=settings.search_language)

            restored = asyncio.run(with_database(slow, work))
    say(f"Restored {found.name}: the database and {restored.pictures} files of pictures.")
    if replace:
        say("Files that no row names any more remain. To remove them: adsvc sweep", to_errors=True)


def _restore_ad(found: Path, given: Settings, ad_id: int) -> None:
    with database_running(given) as settings:

        async def work(database: Database) -> None:
            store = open_store(settings)
            await installation.require_match(database, store)
            programs = find_programs(settings.postgres_bin, at_least=0)
            await AdRestore(found, database, store, programs).run(ad_id, actor=OPERATOR)

        asyncio.run(with_database(settings, work))
    say(f"Restored ad {ad_id} of {found.name}.")


def verify(
    place: Annotated[
        str | None,
        typer.Argument(metavar="[PLACE]", help=PLACE + "its backups, or one backup in it."),
    ] = None,
    sample: Annotated[
        float,
        typer.Option(
            metavar="PERCENT",
            min=0,
            max=100,
            help="Read so many of a hundred of the site's pictures.",
        ),
    ] = 100.0,
) -> None:
    """Read every picture that a row names, or, with PLACE, everything in its backups.

    Names what is missing or damaged; then the exit code is 1. A fault of the site's pictures is a
    metric too, until a later run finds none.
    """
    with progress_bars() as progress:
        found = _of_site(progress, sample) if place is None else _of_backups(place, progress)
    if found:
        say(f"Found {found} faults.", to_errors=True)
        raise typer.Exit(1)
    say("Found nothing wrong.", to_errors=True)


def _staging(settings: Settings) -> Path:
    """Where backups are before they are in a repository, and after they were read from it."""
    return settings.data_dir / "backup"


def _repository(address: str, settings: Settings) -> Repository:
    if not address.startswith(SCHEME):
        raise OperatorError(f"{address} is no repository of restic: give --to restic:REPOSITORY")
    secret = settings.backup_s3_secret_access_key
    given = {
        "RESTIC_CACHE_DIR": os.environ.get("RESTIC_CACHE_DIR")
        or str(_staging(settings) / ".cache"),
        "AWS_ACCESS_KEY_ID": settings.backup_s3_access_key_id,
        "AWS_SECRET_ACCESS_KEY": secret.get_secret_value() if secret else None,
        "AWS_DEFAULT_REGION": settings.backup_s3_region,
    }
    return Repository(address, {name: text for name, text in given.items() if text})


def _directory(given: Path | None, settings: Settings, *, staging: bool) -> Path:
    """An `OperatorError` if the backups would be lost together with the data."""
    if given is None:
        if not staging:
            raise OperatorError("Name a directory, or --to restic:REPOSITORY, or both.")
        return _staging(settings)
    if str(given).startswith((SCHEME, S3_SCHEME.removesuffix("/"))):
        raise OperatorError(
            f"{given} is no directory. To store backups elsewhere: adsvc backup --to "
            "restic:REPOSITORY"
        )
    data = settings.data_dir.resolve()
    if not staging and given.resolve().is_relative_to(data):
        raise OperatorError(
            f"{given.absolute()} is inside ADSVC_DATA_DIR, {data}, with which it would be lost. "
            "Name a directory elsewhere, on another disk at best."
        )
    return given


def _backups_in(place: str, settings: Settings) -> BackupDirectory | Repository:
    return (
        _repository(place, settings) if place.startswith(SCHEME) else BackupDirectory(Path(place))
    )


def _split(address: str) -> tuple[str, str | None]:
    """The place, and the name of the backup if the address names one."""
    place, _, name = address.rstrip("/").rpartition("/")
    if NAME_OF_BACKUP.fullmatch(name):
        return place or ".", name
    return address.rstrip("/") or "/", None


@contextmanager
def _plain_backup(address: str, settings: Settings) -> Iterator[Path]:
    """The directory of that backup, or the newest; what is elsewhere is there for the block."""
    place, name = _split(address)
    backups = _backups_in(place, settings)
    if isinstance(backups, BackupDirectory):
        if place.startswith(S3_SCHEME) or (backups.path / KEY_FILE_MARK).exists():
            raise OperatorError(
                f"Backups that were encrypted by a key file are restored by 0.3.0: {place}"
            )
        found = backups.backup(name)
        with backups.locked(exclusive=False):
            yield found
        return
    directory = _staging(settings) / "restore"
    # An interrupted restore has left it.
    shutil.rmtree(directory, ignore_errors=True)
    try:
        with private_files():
            directory.mkdir(mode=0o700, parents=True)
            found = backups.fetch(name, directory)
        yield found
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _say_removed(generations: Sequence[str]) -> None:
    for gone in generations:
        say(f"Removed {gone}.", to_errors=True)


def _of_site(progress: Progress, percent: float) -> int:
    with database_running(load_settings()) as settings:

        async def work(database: Database) -> int:
            store = open_store(settings)
            await installation.require_match(database, store)
            found, began = 0, time.monotonic()
            async for fault in SiteCheck(database, settings, store, progress, percent).faults():
                say(fault)
                found += 1
            async with database.transaction() as transaction:
                seconds = time.monotonic() - began
                await job_rows.record(
                    transaction, PICTURE_CHECK, seconds=seconds, succeeded=not found
                )
            return found

        found: int = asyncio.run(with_database(_with_long_timeouts(settings), work))
    return found


def _of_backups(address: str, progress: Progress) -> int:
    place, name = _split(address)
    backups = _backups_in(place, load_settings())
    if isinstance(backups, Repository) and name is None:
        progress(f"Reading {place}", None)
        damaged = backups.faults()
        for fault in damaged:
            say(fault)
        return len(damaged)
    with _plain_backup(address, load_settings()) as found:
        if name is not None or isinstance(backups, Repository):
            return asyncio.run(_say_faults([found], progress))
        for left in backups.unfinished():
            say(f"{left} was not finished. The next backup goes on with it.", to_errors=True)
        return asyncio.run(_say_faults(backups.backups(), progress))


async def _say_faults(backups: Sequence[Path], progress: Progress) -> int:
    found = 0
    async for fault in verifying.faults(backups, progress):
        say(fault)
        found += 1
    return found


def _with_long_timeouts(settings: Settings) -> Settings:
    return settings.model_copy(update={"database_timeout_seconds": float(STATEMENT_SECONDS)})
