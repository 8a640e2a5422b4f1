"""Whether requests can be served now, for load balancers."""

import asyncio

import asyncpg

from adsvc.bulkheads.disk import DiskReserve
from adsvc.cache import SharedValue
from adsvc.db import migrations
from adsvc.db.database import Database
from adsvc.errors import DatabaseUnavailableError, ImageStoreUnavailableError, UnavailableError
from adsvc.process.ending import ending
from adsvc.repositories.operation.schema import oldest_head_by, revision_by, takes_writes
from adsvc.storage import ImageStore

# Anybody may ask, and each look writes to the disk and syncs it.
KNOWN_SECONDS = 2.0
# A service that works again should soon get requests.
FAULT_KNOWN_SECONDS = 0.5
# A store that hangs counts as unavailable.
STORE_SECONDS = 3.0


class Readiness:
    """The database takes writes, this version works on its schema, and a picture could be stored.

    Both need room on the disk, so its reserve is checked too.
    """

    def __init__(self, database: Database, store: ImageStore, reserve: DiskReserve) -> None:
        self._probe = database.probe
        self._store = store
        self._reserve = reserve
        self._known = SharedValue(
            self._fault, lambda fault: FAULT_KNOWN_SECONDS if fault else KNOWN_SECONDS
        )

    @property
    def looking(self) -> bool:
        return self._known.looking

    async def require(self) -> None:
        """Raises the `UnavailableError` that says what is not in order."""
        if ending.is_announced:
            raise UnavailableError("This process is about to end.")
        fault = await self._known.get()
        if fault is not None:
            # Many raise the same one.
            raise fault.with_traceback(None)

    async def _fault(self) -> UnavailableError | None:
        try:
            await self._look()
        except UnavailableError as error:
            return error
        return None

    async def _look(self) -> None:
        try:
            writable = await takes_writes(self._probe)
            revision = await revision_by(self._probe)
            # Another version may have brought the schema on.
            oldest = None
            if revision not in {None, migrations.head()}:
                oldest = await oldest_head_by(self._probe)
        except (DatabaseUnavailableError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            raise UnavailableError("The database cannot be reached.") from error
        if not writable:
            raise UnavailableError("The database can only be read: it takes no writes now.")
        if not migrations.serves(revision, oldest):
            raise UnavailableError("The database schema is not this version's; run: adsvc migrate")
        try:
            async with asyncio.timeout(STORE_SECONDS):
                await self._store.check()
                await self._reserve.require()
        except TimeoutError as error:
            raise ImageStoreUnavailableError("The image store does not answer.") from error
