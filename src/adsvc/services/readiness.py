"""Readiness: what this process can serve now, for load balancers and metrics."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from tempfile import gettempdir

import asyncpg

from adsvc import migrations
from adsvc.errors import DatabaseUnavailableError, ImageStoreUnavailableError, UnavailableError
from adsvc.kit.bulkheads.uploads import RECOVERY_BYTES, DiskReserve, DiskSpace
from adsvc.kit.db.database import Database
from adsvc.kit.db.faults import PLAN_SQLSTATES
from adsvc.kit.invalidation import SharedValue
from adsvc.kit.process.setup import drain
from adsvc.kit.settings.validators import embedded_socket_directory
from adsvc.kit.storage import ImageStore
from adsvc.repositories.operation import server as server_rows
from adsvc.repositories.operation.server import takes_writes
from adsvc.settings import Settings

# Anyone may request it, and each check writes to the disk and syncs it.
KNOWN_SECONDS = 2.0
# A service that works again should get requests soon.
FAULT_KNOWN_SECONDS = 0.5
# A store that hangs counts as unavailable.
STORE_SECONDS = 3.0
# How often a process checks without requests, where its metrics are exported. They show a fault
# within half a minute.
WATCH_SECONDS = 10.0
# A connection may lead to a server that has just stopped; the next one leads to another.
TRIES = 2
# Behind a pooler in another mode than the settings say, only some checks fail.
POOLER = "A pooler lends connections for one transaction: set ADSVC_DATABASE_POOLING=transaction."
POOLER_KNOWN_SECONDS = 60.0


logger = logging.getLogger("adsvc.readiness")


class ReadinessPart(StrEnum):
    """A part of the service that may fail while reads work."""

    # Pictures can be stored.
    PICTURES = "pictures"
    # Ads, comments and registrations are accepted, which add text.
    TEXT = "text"
    # The database accepts changes.
    WRITES = "writes"


@dataclass(frozen=True, slots=True)
class Condition:
    """`fault` is why reads cannot be served, `degraded` why other parts are out of service."""

    fault: UnavailableError | None = None
    degraded: Mapping[ReadinessPart, UnavailableError] = field(default_factory=dict)

    def refusal(self, required: Iterable[ReadinessPart] = ()) -> UnavailableError | None:
        """The refusal if reads, or one of the required parts, cannot be served."""
        faults = (self.fault, *(self.degraded.get(part) for part in required))
        return next(filter(None, faults), None)

    @property
    def known_seconds(self) -> float:
        return FAULT_KNOWN_SECONDS if self.fault or self.degraded else KNOWN_SECONDS


class _ReadOnlyError(UnavailableError):
    detail = "The database can only be read: it takes no writes now."


class Readiness:
    """Reads are served while a database answers and its schema fits this version.

    `pictures` and `texts` are the reserves of their disks.
    """

    def __init__(
        self, database: Database, store: ImageStore, *, pictures: DiskReserve, texts: DiskReserve
    ) -> None:
        self._probe = database.probe
        self._store = store
        self._pictures = pictures
        self._texts = texts
        self._pooler_seen = float("-inf")
        self._known = SharedValue(self._look, lambda condition: condition.known_seconds)
        # The last result; None before the first check.
        self.found: Condition | None = None

    @property
    def looking(self) -> bool:
        return self._known.looking

    async def condition(self) -> Condition:
        """The condition of a moment ago. Requests at the same time share one check."""
        if drain.is_announced:
            return Condition(UnavailableError("This process is about to end."))
        return await self._known.get()

    @property
    def disks(self) -> Mapping[str, DiskSpace]:
        """Free bytes and reserves by directory, as of the last check."""
        return {**self._texts.found, **self._pictures.found}

    async def watch(self) -> None:
        """Repeats the check until it is cancelled."""
        while True:
            try:
                await asyncio.gather(self.condition(), self._pictures.look(), self._texts.look())
            except Exception:
                logger.exception("Could not check whether the process is ready.")
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
                if getattr(e, "sqlstate", None) in PLAN_SQLSTATES:
                    self._pooler_seen = time.monotonic()
                elif not left:
                    raise UnavailableError("The database cannot be reached.") from e
            else:
                break
        if time.monotonic() - self._pooler_seen < POOLER_KNOWN_SECONDS:
            raise UnavailableError(POOLER)

    async def _ask_database(self) -> None:
        writable = await takes_writes(self._probe)
        revision = await server_rows.revision(self._probe)
        # A newer version may have migrated the schema.
        oldest = None
        if revision not in {None, migrations.head()}:
            oldest = await server_rows.oldest_head(self._probe)
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
    """The reserves for pictures and for text.

    The data directory counts only if the database is in it: pictures in a bucket and another
    server's database do not fill it.
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
        DiskReserve(database, size, content="text", least=least),
    )


async def _refusal(check: Awaitable[None]) -> UnavailableError | None:
    try:
        await check
    except UnavailableError as error:
        return error
    return None
