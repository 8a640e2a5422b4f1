"""Makes a backup beside a running service.

The dump and the list of pictures are of one snapshot. Pictures that it names could be deleted
before they are copied, so deletions are put on hold before the snapshot is taken. Most pictures are
copied before that, so that the hold lasts only for what has come meanwhile.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from sqlalchemy.engine import URL

from adsvc import __version__
from adsvc.db.database import Database, Transaction
from adsvc.errors import OperatorError
from adsvc.repositories import InstallationRepository, SchemaRepository
from adsvc.repositories.operation.backups import DeletionHold
from adsvc.repositories.operation.jobs import BACKUP, JobRepository
from adsvc.storage import ImageStore
from adsvc_ops.backup.database import BackupQueries
from adsvc_ops.backup.digests import rendered
from adsvc_ops.backup.manifest import DUMP, LIST, Manifest
from adsvc_ops.backup.pictures import Progress, copied
from adsvc_ops.backup.place import Place
from adsvc_ops.backup.programs import Programs, dump, find_programs

# Far more often than a hold has to be heard of.
HEARTBEAT_SECONDS = 2.0


@dataclass
class _Named:
    """What a snapshot says of itself and of the pictures."""

    revision: str
    installation: str
    pictures: int = 0
    missing: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Backup:
    database: Database
    url: URL
    store: ImageStore
    place: Place
    # Of pg_dump, if it is not the package's.
    programs: Path | None
    progress: Progress

    async def make(self) -> tuple[str, Manifest]:
        """Its name. `OperatorError` if it cannot be made; then only pictures have been written."""
        began = time.monotonic()
        async with self._reading() as (_, looking):
            version = await looking.server_version()
            total = await looking.count_files()
        programs = find_programs(self.programs, at_least=version // 10_000)
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

    async def _generate(self, programs: Programs, version: int) -> tuple[str, Manifest]:
        generation = await self.place.begin()
        try:
            async with self._reading() as (transaction, reading):
                # It is taken by the first statement, which is the name of the snapshot.
                async with deletions_on_hold(self.database):
                    snapshot = await reading.export_snapshot()
                    named = await self._named(transaction)
                    lines = self._lines(transaction, named)
                    pictures = await self.place.write(generation, LIST, lines)
                rows = await self.place.write(generation, DUMP, self._dumped(programs, snapshot))
            manifest = Manifest(
                made_at=datetime.now(UTC),
                version=__version__,
                revision=named.revision,
                postgresql=f"{version // 10_000}.{version % 10_000}",
                installation=UUID(named.installation),
                pictures=named.pictures,
                missing=named.missing,
                files={DUMP: rows, LIST: pictures},
            )
            await self.place.finish(generation, manifest)
        except BaseException:
            # What made it fail is what matters.
            with suppress(OperatorError):
                await self.place.discard(generation)
            raise
        return generation, manifest

    async def _dumped(self, programs: Programs, snapshot: str) -> AsyncIterator[bytes]:
        advance = self.progress("Dumping the database", None)
        async with aclosing(dump(programs, self.url, snapshot=snapshot)) as chunks:
            async for chunk in chunks:
                advance(0, len(chunk))
                yield chunk

    async def _belong_together(self) -> None:
        """One place holds the backups of one installation."""
        async with self.database.autocommit() as session:
            ours = str(await InstallationRepository(session).id())
        theirs = await self.place.claim(ours)
        if theirs != ours:
            raise OperatorError(
                f"{self.place.location} holds backups of installation {theirs}, and this is "
                f"{ours}. Name another place."
            )

    @asynccontextmanager
    async def _reading(self) -> AsyncIterator[tuple[Transaction, BackupQueries]]:
        async with self.database.transaction() as transaction:
            await transaction.session.connection(
                execution_options={"isolation_level": "REPEATABLE READ"}
            )
            yield transaction, BackupQueries(transaction.session)

    async def _copy_ahead(self, total: int) -> None:
        """What is deleted meanwhile is missing, and nobody minds."""
        advance = self.progress("Copying pictures", total)
        async with (
            self._reading() as (_, reading),
            aclosing(copied(self.store, self.place, reading.pictures(), advance)) as shards,
        ):
            async for _ in shards:
                pass

    async def _named(self, transaction: Transaction) -> _Named:
        revision = await SchemaRepository(transaction.session).revision()
        installation = await InstallationRepository(transaction.session).id()
        return _Named(str(revision), str(installation))

    async def _lines(self, transaction: Transaction, named: _Named) -> AsyncIterator[bytes]:
        """The list of all pictures; those that have come meanwhile are copied."""
        advance = self.progress("Copying new pictures", None)
        pictures = BackupQueries(transaction.session).pictures()
        async with aclosing(copied(self.store, self.place, pictures, advance)) as shards:
            async for shard in shards:
                named.pictures += len(shard.digests)
                named.missing += shard.missing
                yield rendered(shard.digests)


@asynccontextmanager
async def deletions_on_hold(database: Database) -> AsyncIterator[None]:
    """No picture is deleted while the block runs; a database fault at its end if one may have been.

    The hold is a lock of a transaction: it ends with its connection, whoever is killed.
    """
    async with database.transaction() as transaction:
        hold = DeletionHold(transaction.session)
        await hold.hold_deletions()
        over = asyncio.Event()
        beating = asyncio.create_task(_beat(hold, over))
        try:
            yield
        finally:
            over.set()
            await beating


async def _beat(hold: DeletionHold, over: asyncio.Event) -> None:
    while not over.is_set():
        await hold.show_life()
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), HEARTBEAT_SECONDS)
