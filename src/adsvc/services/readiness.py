"""What this process can serve now, for load balancers and for metrics."""

import asyncio
import logging
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from tempfile import gettempdir

import asyncpg

from adsvc.bulkheads.uploads import RECOVERY_BYTES, DiskReserve, DiskSpace
from adsvc.cache import SharedValue
from adsvc.db import migrations
from adsvc.db.database import Database
from adsvc.errors import DatabaseUnavailableError, ImageStoreUnavailableError, UnavailableError
from adsvc.process.drain import drain
from adsvc.repositories.operation.server import oldest_head_by, revision_by, takes_writes
from adsvc.settings import Settings
from adsvc.settings.database_urls import embedded_socket_directory
from adsvc.storage import ImageStore

# Anybody may ask, and each look writes to the disk and syncs it.
KNOWN_SECONDS = 2.0
# A service that works again should soon get requests.
FAULT_KNOWN_SECONDS = 0.5
# A store that hangs counts as unavailable.
STORE_SECONDS = 3.0
# How often a process looks by itself, where its metrics are exported: they show a fault within
# half a minute, even if no request asks whether the process is ready.
WATCH_SECONDS = 10.0
# A connection may lead to a server that has just gone; the next one leads to another.
TRIES = 2


logger = logging.getLogger("adsvc.readiness")


class ReadinessPart(StrEnum):
    """A part of the service that may fail while reads work."""

    # Pictures can be stored.
    PICTURES = "pictures"
    # What adds text is taken: ads, comments, registrations.
    TEXT = "text"
    # The database takes changes.
    WRITES = "writes"


@dataclass(frozen=True, slots=True)
class Condition:
    """`fault` says why reads cannot be served, `degraded` why other parts are out of service."""

    fault: UnavailableError | None = None
    degraded: Mapping[ReadinessPart, UnavailableError] = field(default_factory=dict)

    def refusal(self, required: Iterable[ReadinessPart] = ()) -> UnavailableError | None:
        """Why not even reads are served, or one of the parts is not."""
        faults = (self.fault, *(self.degraded.get(part) for part in required))
        return next(filter(None, faults), None)

    @property
    def known_seconds(self) -> float:
        return FAULT_KNOWN_SECONDS if self.fault or self.degraded else KNOWN_SECONDS


class _ReadOnlyError(UnavailableError):
    detail = "The database can only be read: it takes no writes now."


class Readiness:
    """Reads are served while a database answers whose schema this version works on.

    `pictures` and `texts` are the reserves of the disks that hold them.
    """

    def __init__(
        self, database: Database, store: ImageStore, *, pictures: DiskReserve, texts: DiskReserve
    ) -> None:
        self._probe = database.probe
        self._store = store
        self._pictures = pictures
        self._texts = texts
        self._known = SharedValue(self._look, lambda condition: condition.known_seconds)
        # What was found last; None before the first look.
        self.found: Condition | None = None

    @property
    def looking(self) -> bool:
        return self._known.looking

    async def condition(self) -> Condition:
        """As it was found a moment ago, by one look for all who ask."""
        if drain.is_announced:
            return Condition(UnavailableError("This process is about to end."))
        return await self._known.get()

    @property
    def disks(self) -> Mapping[str, DiskSpace]:
        """Free bytes and reserves by directory, as they were at the last look."""
        return {**self._texts.found, **self._pictures.found}

    async def watch(self) -> None:
        """Looks again and again, until it is cancelled."""
        while True:
            try:
                await asyncio.gather(self.condition(), self._pictures.look(), self._texts.look())
            except Exception:
                logger.exception("Whether the process is ready was not found out.")
            await asyncio.sleep(WATCH_SECONDS)

    async def _look(self) -> Condition:
        self.found = await self._condition()
        return self.found

    async def _condition(self) -> Condition:
        fault, *degraded = await asyncio.gather(
            _refusal(self._require_database()),
            _refusal(self._require_room_for_pictures()),
            _refusal(self._texts.require()),
        )
        writes = fault if isinstance(fault, _ReadOnlyError) else None
        parts = zip(ReadinessPart, (*degraded, writes), strict=True)
        return Condition(
            None if writes else fault, {part: error for part, error in parts if error is not None}
        )

    async def _require_database(self) -> None:
        for left in reversed(range(TRIES)):
            try:
                await self._ask_database()
            except (DatabaseUnavailableError, asyncpg.PostgresError, asyncpg.InterfaceError) as e:
                if not left:
                    raise UnavailableError("The database cannot be reached.") from e
            else:
                return

    async def _ask_database(self) -> None:
        writable = await takes_writes(self._probe)
        revision = await revision_by(self._probe)
        # Another version may have brought the schema on.
        oldest = None
        if revision not in {None, migrations.head()}:
            oldest = await oldest_head_by(self._probe)
        if not migrations.serves(revision, oldest):
            remedy = migrations.remedy(revision)
            raise UnavailableError(f"The database schema is not this version's. {remedy}")
        if not writable:
            raise _ReadOnlyError

    async def _require_room_for_pictures(self) -> None:
        try:
            async with asyncio.timeout(STORE_SECONDS):
                await self._store.check()
                await self._pictures.require()
        except TimeoutError as error:
            raise ImageStoreUnavailableError("The image store does not answer.") from error


def disk_reserves(settings: Settings, store: ImageStore) -> tuple[DiskReserve, DiskReserve]:
    """For pictures and for text.

    The data directory counts only where it holds the database: pictures in a bucket and a server
    of one's own do not fill it.
    """
    cluster = (settings.data_dir / "postgres").expanduser().resolve()
    host = settings.required_database_url().query.get("host")
    held = host is not None and host == str(embedded_socket_directory(cluster))
    database = {"data directory": settings.data_dir} if held else {}
    pictures = {"image store": store.directory} if store.directory is not None else {}
    size, least = settings.disk_reserve_bytes, RECOVERY_BYTES if held else 0
    temporary = {"directory for temporary files": Path(gettempdir())}
    return (
        DiskReserve({**database, **pictures}, size, least=least, passing=temporary),
        DiskReserve(database, size, kept="text", least=least),
    )


async def _refusal(check: Awaitable[None]) -> UnavailableError | None:
    try:
        await check
    except UnavailableError as error:
        return error
    return None
