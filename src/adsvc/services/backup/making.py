"""Makes a backup beside a running service.

The dump and the list of pictures are of one snapshot. Pictures that it names could be deleted
before they are copied, so deletions are put on hold before the snapshot is taken. Most pictures are
copied before that, so that the hold lasts only for what has come meanwhile.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from sqlalchemy.engine import URL

from adsvc import __version__
from adsvc.db.database import Database, Transaction
from adsvc.errors import OperatorError
from adsvc.repositories import InstallationRepository, SchemaRepository
from adsvc.repositories.operation.backups import BackupRepository
from adsvc.repositories.operation.jobs import BACKUP, JobRepository
from adsvc.services.backup.digests import ListWriter, lines_of
from adsvc.services.backup.directory import BackupDirectory, Generation
from adsvc.services.backup.manifest import DUMP, LIST, MANIFEST, Manifest, StoredFile
from adsvc.services.backup.pictures import Advance, copied
from adsvc.services.backup.programs import Programs, dump, find_programs
from adsvc.storage import ImageStore

# Far more often than a hold has to be heard of.
HEARTBEAT_SECONDS = 2.0

# Begins a step of so many parts, None if nobody knows; what it returns is told of each part.
Progress = Callable[[str, int | None], Advance]


class _Named(NamedTuple):
    """What a snapshot says of itself and of the pictures."""

    revision: str
    installation: str
    pictures: int
    missing: list[str]


@dataclass(frozen=True, slots=True)
class Backup:
    database: Database
    url: URL
    store: ImageStore
    directory: BackupDirectory
    # Of pg_dump, if it is not the package's.
    programs: Path | None
    progress: Progress

    async def make(self) -> tuple[Generation, Manifest]:
        """`OperatorError` if it cannot be made; then nothing but pictures has been written."""
        began = time.monotonic()
        async with self._reading() as (_, looking):
            version = await looking.server_version()
            total = await looking.count_pictures()
        programs = find_programs(self.programs, at_least=version // 10_000)
        with self.directory.written():
            await self._belong_together()
            await self._copy_ahead(total)
            generation, manifest = await self._generate(programs, version)
        if not manifest.missing:
            await self._record(time.monotonic() - began)
        return generation, manifest

    async def _record(self, seconds: float) -> None:
        """For the metric and `adsvc doctor`, which know the database alone."""
        async with self.database.transaction() as transaction:
            jobs = JobRepository(transaction.session)
            await jobs.record(BACKUP, seconds=seconds, succeeded=True)

    async def _generate(self, programs: Programs, version: int) -> tuple[Generation, Manifest]:
        partial = self.directory.begin()
        try:
            async with self._reading() as (transaction, reading):
                # It is taken by the first statement, which is the name of the snapshot.
                async with deletions_on_hold(self.database):
                    snapshot = await reading.export_snapshot()
                    named = await self._list(transaction, partial)
                self.progress("Dumping the database", None)
                await dump(programs, self.url, partial / DUMP, snapshot=snapshot)
            manifest = await asyncio.to_thread(_manifest, partial, named, version)
            manifest.write(partial / MANIFEST)
            return self.directory.finish(partial), manifest
        finally:
            self.directory.discard(partial)

    async def _belong_together(self) -> None:
        """One directory holds the backups of one installation."""
        async with self.database.autocommit() as session:
            ours = str(await InstallationRepository(session).id())
        theirs = await self.directory.pictures.claim(ours)
        if theirs != ours:
            raise OperatorError(
                f"{self.directory.path} holds backups of installation {theirs}, and this is "
                f"{ours}. Name another directory."
            )

    @asynccontextmanager
    async def _reading(self) -> AsyncIterator[tuple[Transaction, BackupRepository]]:
        async with self.database.transaction() as transaction:
            await transaction.session.connection(
                execution_options={"isolation_level": "REPEATABLE READ"}
            )
            yield transaction, BackupRepository(transaction.session)

    async def _copy_ahead(self, total: int) -> None:
        """What is deleted meanwhile is missing, and nobody minds."""
        advance = self.progress("Copying pictures", total)
        async with self._reading() as (_, reading):
            async for _ in copied(self.store, self.directory, reading.pictures(), advance):
                pass

    async def _list(self, transaction: Transaction, partial: Path) -> _Named:
        """Copies the rest, and writes the list of them all."""
        session = transaction.session
        revision = await SchemaRepository(session).revision()
        installation = await InstallationRepository(session).id()
        total, missing = 0, []
        advance = self.progress("Copying new pictures", None)
        with ListWriter(partial / LIST) as writer:
            pictures = BackupRepository(session).pictures()
            async for shard in copied(self.store, self.directory, pictures, advance):
                writer.add(lines_of(shard.digests))
                total += len(shard.digests)
                missing += shard.missing
        return _Named(str(revision), str(installation), total, missing)


@asynccontextmanager
async def deletions_on_hold(database: Database) -> AsyncIterator[None]:
    """No picture is deleted while the block runs; a database fault at its end if one may have been.

    The hold is a lock of a transaction: it ends with its connection, whoever is killed.
    """
    async with database.transaction() as transaction:
        hold = BackupRepository(transaction.session)
        await hold.hold_deletions()
        over = asyncio.Event()
        beating = asyncio.create_task(_beat(hold, over))
        try:
            yield
        finally:
            over.set()
            await beating


async def _beat(hold: BackupRepository, over: asyncio.Event) -> None:
    while not over.is_set():
        await hold.show_life()
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), HEARTBEAT_SECONDS)


def _manifest(partial: Path, named: _Named, server_version: int) -> Manifest:
    return Manifest(
        made_at=datetime.now(UTC),
        version=__version__,
        revision=named.revision,
        postgresql=f"{server_version // 10_000}.{server_version % 10_000}",
        installation=named.installation,
        pictures=named.pictures,
        missing=named.missing,
        files={name: StoredFile.of(partial / name) for name in (DUMP, LIST)},
    )
