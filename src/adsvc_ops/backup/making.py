"""Makes a backup beside a running service.

The dump and the list of pictures are of one snapshot. Its pictures could be deleted before they are
copied, so deletions are suspended before the snapshot is taken. Most pictures are copied before, so
that deletions are suspended only while the new ones are copied.
"""

import asyncio
import os
import shutil
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy.engine import URL

from adsvc import __version__
from adsvc.errors import ImageStoreUnavailableError, OperatorError
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.db.statements import Statements
from adsvc.kit.storage import ImageStore
from adsvc.kit.storage.local import write_all
from adsvc.kit.storage.protocol import content_if_there
from adsvc.repositories.operation import jobs as job_rows
from adsvc.repositories.operation import server as server_rows
from adsvc.repositories.operation.jobs import BACKUP
from adsvc_ops.backup import plain
from adsvc_ops.backup.database import BackupQueries, NamedPicture
from adsvc_ops.backup.plain import (
    DUMP,
    LIST,
    NAME,
    PICTURES,
    Advance,
    BackupDirectory,
    Manifest,
    Progress,
)
from adsvc_ops.backup.programs import Programs, dump, find_programs
from adsvc_ops.backup.restic import Repository

# The number of files in a batch, and of batches that are copied at the same time. Files are in
# memory while they are copied, ten megabytes each at most. All files of a batch are synced
# together.
BATCH, BATCHES_AT_ONCE = 8, 4
# The pictures that were copied before the snapshot was taken.
AHEAD = "ahead.sha256"
# After all names of directories.
END: tuple[str, dict[str, str]] = ("~", {})


@dataclass
class PictureCopy:
    """Copies pictures from a store into a backup, directory by directory."""

    store: ImageStore
    target: Path
    advance: Advance
    # Whose files are of the same content under the same name: an earlier backup, or the target.
    known: Path | None = None
    # With the digests of those files.
    known_list: Path | None = None
    # Whether files of a local store are linked instead of copied.
    links: bool = False
    copied: int = 0
    missing: list[str] = field(default_factory=list)

    async def lines(self, rows: AsyncIterator[NamedPicture]) -> AsyncGenerator[bytes, None]:
        """Copies what the rows name. Yields the list of these files and their digests."""
        known = plain.listed(self.known_list) if self.known_list else _nothing()
        async with aclosing(known):
            head: tuple[str, dict[str, str]] = ("", {})
            async for names in _by_shard(rows):
                shard = plain.shard_of(names[0])
                while head[0] < shard:
                    head = await _next(known)
                with plain.disk_faults(self.target):
                    (self.target / shard).mkdir(exist_ok=True)
                yield plain.rendered(await self._copy(names, head[1] if head[0] == shard else {}))

    async def _copy(self, names: Sequence[str], known: dict[str, str]) -> dict[str, str]:
        digests = await asyncio.to_thread(self._reuse, [name for name in names if name in known])
        found = {name: known[name] for name in digests}
        self.advance(len(found), 0)
        new = [name for name in names if name not in found]
        for several in plain.batched(new, BATCH * BATCHES_AT_ONCE):
            batches = [self._copy_batch(batch) for batch in plain.batched(several, BATCH)]
            for made in await asyncio.gather(*batches):
                found |= made
        self.copied += len(found)
        return found

    def _path(self, name: str) -> Path:
        return self.target / plain.shard_of(name) / name

    def _reuse(self, names: Sequence[str]) -> list[str]:
        assert self.known is not None or not names  # noqa: S101 - without it none is known
        with plain.disk_faults(self.target):
            return [
                name
                for name in names
                if self.known and _link(self.known / plain.shard_of(name) / name, self._path(name))
            ]

    async def _copy_batch(self, names: Sequence[str]) -> dict[str, str]:
        contents = await asyncio.gather(*(self._content(name) for name in names))
        found = {
            name: content
            for name, content in zip(names, contents, strict=True)
            if content is not None
        }
        self.missing += [name for name in names if name not in found]

        def put() -> dict[str, str]:
            files = {self._path(name): content for name, content in found.items()}
            with plain.disk_faults(self.target):
                write_all({path: data for path, data in files.items() if not path.exists()})
            return {name: plain.digest_of(content) for name, content in found.items()}

        digests = await asyncio.to_thread(put)
        self.advance(len(names), sum(map(len, found.values())))
        return digests

    async def _content(self, name: str) -> bytes | None:
        """None if the store has no such picture."""
        path, directory = self._path(name), self.store.directory
        with suppress(FileNotFoundError):
            if self.links and directory is not None:
                _link(directory / plain.shard_of(name) / name, path)
            # It may be there from a command that was killed.
            return await asyncio.to_thread(path.read_bytes)
        try:
            return await content_if_there(self.store, name)
        except ImageStoreUnavailableError as error:
            reason = error.__cause__ or error.detail
            message = f"The pictures in {self.store.location} cannot be read: {reason}"
            raise OperatorError(message) from error


async def _next(shards: AsyncIterator[tuple[str, dict[str, str]]]) -> tuple[str, dict[str, str]]:
    async for shard in shards:
        return shard
    return END


async def _nothing() -> AsyncGenerator[Any, None]:
    return
    yield


async def _by_shard(pictures: AsyncIterator[NamedPicture]) -> AsyncIterator[list[str]]:
    """The files of one directory after the other."""
    names: list[str] = []
    async for picture in pictures:
        if not NAME.fullmatch(picture.name):
            raise OperatorError(
                f"A row names the picture {picture.name!r}, which is not a name of a picture."
            )
        if names and plain.shard_of(names[-1]) != plain.shard_of(picture.name):
            yield names
            names = []
        names += picture.files()
    if names:
        yield names


def _link(source: Path, target: Path) -> bool:
    """Whether `target` is there afterwards: as a link, or a copy where links are impossible."""
    try:
        os.link(source, target)
    except FileExistsError:
        return True
    except FileNotFoundError:
        return False
    except OSError:
        draft = target.with_name(f".{target.name}.tmp")
        shutil.copyfile(source, draft)
        draft.replace(target)
    return True


# Far shorter than the silence after which PostgreSQL ends the transaction of the lock.
HEARTBEAT_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Backup:
    database: Database
    url: URL
    store: ImageStore
    place: BackupDirectory
    # Where it is stored too, if it is.
    repository: Repository | None
    # The directory of pg_dump, if it is not the embedded PostgreSQL's.
    programs: Path | None
    progress: Progress
    # Not if a bucket with versions, or a replicated one, is their backup.
    copies_pictures: bool = True

    async def make(self) -> tuple[Path, Manifest]:
        """Makes one backup."""
        began = time.monotonic()
        async with self._reading() as (_, looking):
            version = await looking.server_version()
            total = await looking.count_files()
        programs = find_programs(self.programs, at_least=version // 10_000)
        earlier = await self._earlier()
        await self._require_same_installation(earlier)
        partial = self.place.begin()
        await self._copy_ahead(partial, earlier[0] if earlier else None, total)
        made, manifest = await self._generate(partial, programs, version)
        if self.repository is not None:
            self.progress(f"Storing it in {self.repository.location}", None)
            # It blocks: the kernel ends what a thread has started when that thread ends.
            self.repository.add(made, str(manifest.installation))
        if not manifest.missing:
            await self._record(time.monotonic() - began)
        return made, manifest

    async def _record(self, seconds: float) -> None:
        """For the metric and `adsvc doctor`, which read only the database."""
        async with self.database.transaction() as transaction:
            await job_rows.record(transaction, BACKUP, seconds=seconds, succeeded=True)

    async def _generate(
        self, partial: Path, programs: Programs, version: int
    ) -> tuple[Path, Manifest]:
        pictures = partial / PICTURES
        copy = PictureCopy(
            self.store,
            pictures,
            self.progress("Copying new pictures", None),
            known=pictures,
            known_list=partial / AHEAD,
            links=self.repository is not None,
        )
        async with AsyncExitStack() as holding:
            # Its connection is taken before the one for reading, and returned before the dump.
            await holding.enter_async_context(deletions_on_hold(self.database))
            async with self._reading() as (transaction, reading):
                # The first statement takes the snapshot, and returns its name.
                snapshot = await reading.export_snapshot()
                revision = await server_rows.revision(transaction)
                installation = await server_rows.installation_id(transaction)
                listed = await plain.write(partial / LIST, copy.lines(self._pictures(reading)))
                await holding.aclose()
                rows = await plain.write(partial / DUMP, self._dumped(programs, snapshot))
        (partial / AHEAD).unlink()
        manifest = Manifest(
            made_at=datetime.now(UTC),
            version=__version__,
            revision=str(revision),
            postgresql=f"{version // 10_000}.{version % 10_000}",
            installation=UUID(str(installation)),
            pictures=copy.copied,
            missing=copy.missing,
            files={DUMP: rows, LIST: listed},
        )
        return self.place.finish(partial, manifest), manifest

    def _pictures(self, reading: BackupQueries) -> AsyncIterator[NamedPicture]:
        return reading.pictures() if self.copies_pictures else _nothing()

    async def _dumped(self, programs: Programs, snapshot: str) -> AsyncIterator[bytes]:
        advance = self.progress("Dumping the database", None)
        # restic compresses, and finds what a compressed dump has in common with the one before.
        compress = self.repository is None
        dumping = dump(programs, self.url, snapshot=snapshot, compress=compress)
        async with aclosing(dumping) as chunks:
            async for chunk in chunks:
                advance(0, len(chunk))
                yield chunk

    async def _require_same_installation(self, earlier: tuple[Path, Manifest] | None) -> None:
        """A place has the backups of one installation, as has a repository."""
        async with self.database.autocommit() as session:
            ours = str(await server_rows.installation_id(session))
        found = [(str(self.place.path), str(earlier[1].installation))] if earlier else []
        if self.repository is not None:
            stored = self.repository.backups()[-1:]
            found += [(self.repository.location, snapshot.installation) for snapshot in stored]
        for location, theirs in found:
            if theirs != ours:
                raise OperatorError(
                    f"{location} contains backups of installation {theirs}, and this is {ours}. "
                    "Give another place for backups."
                )

    async def _earlier(self) -> tuple[Path, Manifest] | None:
        """The newest backup of the place whose manifest and list are as they were written."""
        for backup in reversed(self.place.backups()):
            with suppress(OperatorError):
                manifest = Manifest.of(backup)
                if await plain.stored(backup / LIST) == manifest.files.get(LIST):
                    return backup, manifest
        return None

    @asynccontextmanager
    async def _reading(self) -> AsyncIterator[tuple[Transaction, BackupQueries]]:
        async with self.database.transaction() as transaction:
            await transaction.connection(execution_options={"isolation_level": "REPEATABLE READ"})
            yield transaction, BackupQueries(transaction)

    async def _copy_ahead(self, partial: Path, earlier: Path | None, total: int) -> None:
        """Pictures that are deleted meanwhile are missing, which does not matter."""
        copy = PictureCopy(
            self.store,
            partial / PICTURES,
            self.progress("Copying pictures", total),
            known=earlier / PICTURES if earlier else None,
            known_list=earlier / LIST if earlier else None,
            links=self.repository is not None,
        )
        async with self._reading() as (_, reading):
            await plain.write(partial / AHEAD, copy.lines(self._pictures(reading)))


@asynccontextmanager
async def deletions_on_hold(database: Database) -> AsyncIterator[None]:
    """No picture is deleted during the block; a database fault at its end if the lock was lost.

    The lock belongs to a transaction, so it also ends when this process is killed.
    """
    async with database.lasting_transaction() as transaction:
        await job_rows.hold_deletions(transaction)
        over = asyncio.Event()
        heartbeats = asyncio.create_task(_send_heartbeats(transaction, over))
        try:
            yield
        finally:
            over.set()
            await heartbeats


async def _send_heartbeats(db: Statements, over: asyncio.Event) -> None:
    while not over.is_set():
        await job_rows.show_life(db)
        with suppress(TimeoutError):
            async with asyncio.timeout(HEARTBEAT_SECONDS):
                await over.wait()
