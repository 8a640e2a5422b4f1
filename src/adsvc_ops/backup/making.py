"""Makes a backup beside a running service.

The dump and the list of pictures are of one snapshot. Its pictures could be deleted before they are
copied, so deletions are suspended before the snapshot is taken. Most pictures are copied before, so
that deletions are suspended only while the new ones are copied.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy.engine import URL

from adsvc import __version__
from adsvc.db.database import Database, Transaction
from adsvc.errors import ImageStoreUnavailableError, OperatorError
from adsvc.repositories import InstallationRepository, SchemaRepository
from adsvc.repositories.operation.backups import DeletionHold
from adsvc.repositories.operation.jobs import BACKUP, JobRepository
from adsvc.storage import ImageStore
from adsvc.storage.local import SHARDS
from adsvc.storage.protocol import content_if_there
from adsvc_ops.backup import verifying
from adsvc_ops.backup.database import BackupQueries, NamedPicture
from adsvc_ops.backup.programs import Programs, dump, find_programs
from adsvc_ops.backup.store import (
    DUMP,
    LIST,
    NAME,
    Advance,
    BackupStore,
    DamagedError,
    Manifest,
    Progress,
    digest_of,
    in_order,
    rendered,
    shard_of,
)

# The number of files in a batch, and of batches that are copied at the same time. Files are in
# memory while they are copied, ten megabytes each at most. All files of a batch are synced
# together.
BATCH, BATCHES_AT_ONCE = 8, 4
# Directories whose known digests are read in advance.
SHARDS_AHEAD = 8


class Shard(NamedTuple):
    """The pictures of one directory that rows name: their digests by name."""

    name: str
    digests: dict[str, str]
    # The store did not have them.
    missing: list[str]


async def _by_shard(pictures: AsyncIterator[NamedPicture]) -> AsyncIterator[list[str]]:
    """The files of one directory after the other."""
    names: list[str] = []
    async for picture in pictures:
        if not NAME.fullmatch(picture.name):
            raise OperatorError(
                f"A row names the picture {picture.name!r}, which is not a name of a picture."
            )
        if names and shard_of(names[-1]) != shard_of(picture.name):
            yield names
            names = []
        names += picture.files()
    if names:
        yield names


@dataclass
class _Directory:
    """A directory whose pictures are being copied."""

    digests: dict[str, str]
    names: list[str]
    missing: list[str]
    # The number of copied files.
    new: int = 0


async def copy_pictures(
    store: ImageStore, place: BackupStore, pictures: AsyncIterator[NamedPicture], advance: Advance
) -> AsyncGenerator[Shard, None]:
    """Copies new pictures to `place`, a backup store.

    If the process is killed, each picture there is whole or absent.
    """

    async def known() -> AsyncIterator[Coroutine[Any, Any, _Directory]]:
        async for names in _by_shard(pictures):
            yield _known(place, names)

    async def batches() -> AsyncIterator[Coroutine[Any, Any, _Directory | None]]:
        async with aclosing(in_order(known(), SHARDS_AHEAD)) as directories:
            async for directory in directories:
                new = [name for name in directory.names if name not in directory.digests]
                advance(len(directory.names) - len(new), 0)
                several = list(batched(new, BATCH)) or [[]]
                for batch in several:
                    yield _copy(store, place, directory, batch, advance, last=batch is several[-1])

    async def finished() -> AsyncIterator[Coroutine[Any, Any, Shard]]:
        async with aclosing(in_order(batches(), BATCHES_AT_ONCE)) as copying:
            async for done in copying:
                if done is not None:
                    yield _finish(place, done)

    async with aclosing(in_order(finished(), SHARDS_AHEAD)) as shards:
        async for shard in shards:
            yield shard


async def _known(place: BackupStore, names: list[str]) -> _Directory:
    return _Directory(await place.known_digests(shard_of(names[0])), names, [])


async def _finish(place: BackupStore, directory: _Directory) -> Shard:
    """Writes the digests of a directory when all of its batches were copied."""
    shard, digests = shard_of(directory.names[0]), directory.digests
    if directory.new:
        await place.write_digests(shard, digests)
    named = {name: digests[name] for name in directory.names if name in digests}
    return Shard(shard, named, directory.missing)


async def _copy(
    store: ImageStore,
    place: BackupStore,
    directory: _Directory,
    names: Sequence[str],
    advance: Advance,
    *,
    last: bool,
) -> _Directory | None:
    """The directory after its last batch, else None."""
    try:
        contents = await asyncio.gather(*(content_if_there(store, name) for name in names))
    except ImageStoreUnavailableError as error:
        reason = error.__cause__ or error.detail
        message = f"The pictures in {store.location} cannot be read: {reason}"
        raise OperatorError(message) from error
    found = {
        name: content for name, content in zip(names, contents, strict=True) if content is not None
    }
    if found:
        await place.put(found)
    digests = await asyncio.to_thread(
        lambda: {name: digest_of(content) for name, content in found.items()}
    )
    directory.digests |= digests
    directory.missing += [name for name in names if name not in found]
    directory.new += len(found)
    advance(len(names), sum(map(len, found.values())))
    return directory if last else None


def batched(names: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), size):
        yield names[start : start + size]


async def prune(place: BackupStore, keep: int) -> list[str]:
    """Removes all backups but the newest `keep`, and returns their names."""
    generations = await place.generations()
    old, remaining = generations[:-keep], generations[-keep:]
    if not old:
        return []
    manifests = [(generation, await place.manifest(generation)) for generation in remaining]
    for generation, manifest in manifests:
        await _require_whole_list(place, generation, manifest)
    await place.remove(old)
    unnamed = set(SHARDS)
    async for shard, names in _pictures_of_all(place, manifests):
        unnamed.discard(shard)
        await place.retain_pictures(shard, names)
    for shard in unnamed:
        await place.retain_pictures(shard, frozenset())
    return old


async def _require_whole_list(place: BackupStore, generation: str, manifest: Manifest) -> None:
    """With a damaged list, pictures that are still needed would be removed."""
    try:
        async for _ in verifying.whole(place, generation, LIST, manifest.files[LIST]):
            pass
    except DamagedError as error:
        message = f"{place.where(generation)} is damaged. No older backup was removed."
        raise OperatorError(message) from error


async def _pictures_of_all(
    place: BackupStore, backups: Sequence[tuple[str, Manifest]]
) -> AsyncIterator[tuple[str, frozenset[str]]]:
    """The pictures that any of the backups needs, by shard: their lists are in that order."""
    lists = [verifying.pictures_of(place, *one) for one in backups]
    heads = [await anext(shards, None) for shards in lists]
    while shard := min((head[0] for head in heads if head is not None), default=None):
        names: set[str] = set()
        for number, head in enumerate(heads):
            if head is not None and head[0] == shard:
                names.update(head[1])
                heads[number] = await anext(lists[number], None)
        yield shard, frozenset(names)


# Far shorter than the silence after which PostgreSQL ends the transaction of the lock.
HEARTBEAT_SECONDS = 2.0


@dataclass
class _SnapshotSummary:
    """What a snapshot says about the schema, the installation and the pictures."""

    revision: str
    installation: str
    pictures: int = 0
    missing: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Backup:
    database: Database
    url: URL
    store: ImageStore
    place: BackupStore
    # The directory of pg_dump, if it is not the embedded PostgreSQL's.
    programs: Path | None
    progress: Progress

    async def make(self) -> tuple[str, Manifest]:
        """Makes one backup. Returns its name (the generation) and its manifest.

        If it raises `OperatorError`, only pictures were written.
        """
        began = time.monotonic()
        async with self._reading() as (_, looking):
            version = await looking.server_version()
            total = await looking.count_files()
        programs = find_programs(self.programs, at_least=version // 10_000)
        await self._require_same_installation()
        await self._copy_ahead(total)
        generation, manifest = await self._generate(programs, version)
        if not manifest.missing:
            await self._record(time.monotonic() - began)
        return generation, manifest

    async def _record(self, seconds: float) -> None:
        """For the metric and `adsvc doctor`, which read only the database."""
        async with self.database.transaction() as transaction:
            jobs = JobRepository(transaction.session)
            await jobs.record(BACKUP, seconds=seconds, succeeded=True)

    async def _generate(self, programs: Programs, version: int) -> tuple[str, Manifest]:
        generation = await self.place.begin()
        try:
            async with AsyncExitStack() as holding:
                # Its connection is taken before the one for reading, and returned before the dump.
                await holding.enter_async_context(deletions_on_hold(self.database))
                async with self._reading() as (transaction, reading):
                    # The first statement takes the snapshot, and returns its name.
                    snapshot = await reading.export_snapshot()
                    summary = await self._summary(transaction)
                    lines = self._lines(transaction, summary)
                    pictures = await self.place.write(generation, LIST, lines)
                    await holding.aclose()
                    rows = await self.place.write(
                        generation, DUMP, self._dumped(programs, snapshot)
                    )
            manifest = Manifest(
                made_at=datetime.now(UTC),
                version=__version__,
                revision=summary.revision,
                postgresql=f"{version // 10_000}.{version % 10_000}",
                installation=UUID(summary.installation),
                pictures=summary.pictures,
                missing=summary.missing,
                files={DUMP: rows, LIST: pictures},
            )
            await self.place.finish(generation, manifest)
        except BaseException:
            # The first error is the one to report.
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

    async def _require_same_installation(self) -> None:
        """A backup store contains the backups of one installation."""
        async with self.database.autocommit() as session:
            ours = str(await InstallationRepository(session).id())
        theirs = await self.place.claim(ours)
        if theirs != ours:
            raise OperatorError(
                f"{self.place.location} contains backups of installation {theirs}, and this is "
                f"{ours}. Give another place for backups."
            )

    @asynccontextmanager
    async def _reading(self) -> AsyncIterator[tuple[Transaction, BackupQueries]]:
        async with self.database.transaction() as transaction:
            await transaction.session.connection(
                execution_options={"isolation_level": "REPEATABLE READ"}
            )
            yield transaction, BackupQueries(transaction.session)

    async def _copy_ahead(self, total: int) -> None:
        """Pictures that are deleted meanwhile are missing, which does not matter."""
        advance = self.progress("Copying pictures", total)
        async with (
            self._reading() as (_, reading),
            aclosing(copy_pictures(self.store, self.place, reading.pictures(), advance)) as shards,
        ):
            async for _ in shards:
                pass

    async def _summary(self, transaction: Transaction) -> _SnapshotSummary:
        revision = await SchemaRepository(transaction.session).revision()
        installation = await InstallationRepository(transaction.session).id()
        return _SnapshotSummary(str(revision), str(installation))

    async def _lines(
        self, transaction: Transaction, summary: _SnapshotSummary
    ) -> AsyncIterator[bytes]:
        """The list of all pictures; those that have come meanwhile are copied."""
        advance = self.progress("Copying new pictures", None)
        pictures = BackupQueries(transaction.session).pictures()
        async with aclosing(copy_pictures(self.store, self.place, pictures, advance)) as shards:
            async for shard in shards:
                summary.pictures += len(shard.digests)
                summary.missing += shard.missing
                yield rendered(shard.digests)


@asynccontextmanager
async def deletions_on_hold(database: Database) -> AsyncIterator[None]:
    """No picture is deleted during the block; a database fault at its end if the lock was lost.

    The lock belongs to a transaction, so it also ends when this process is killed.
    """
    async with database.lasting_transaction() as transaction:
        hold = DeletionHold(transaction.session)
        await hold.hold_deletions()
        over = asyncio.Event()
        heartbeats = asyncio.create_task(_send_heartbeats(hold, over))
        try:
            yield
        finally:
            over.set()
            await heartbeats


async def _send_heartbeats(hold: DeletionHold, over: asyncio.Event) -> None:
    while not over.is_set():
        await hold.show_life()
        with suppress(TimeoutError):
            async with asyncio.timeout(HEARTBEAT_SECONDS):
                await over.wait()
