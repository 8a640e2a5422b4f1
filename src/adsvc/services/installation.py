"""What an installation has of its own: the id that ties an image store to its database, and the key
of links in mails.

A migration gives the database an id, and the first start writes it into the store. So no command
changes the pictures of one installation by the rows of another.
"""

import asyncio
import logging
import math
import os

from adsvc.errors import ImageStoreUnavailableError, OperatorError
from adsvc.kit.db.database import Database, DatabaseSession
from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.invalidation import SharedValue
from adsvc.kit.process.drain import end_process
from adsvc.kit.security.tokens import Purpose, SignedLinks
from adsvc.kit.storage import ImageStore
from adsvc.repositories import images as image_rows
from adsvc.repositories.operation import server as server_rows

logger = logging.getLogger("adsvc.images")

# A store without an id is checked for so many pictures that rows name.
SAMPLE = 100
SETTINGS = "ADSVC_DATABASE_URL, ADSVC_DATA_DIR and ADSVC_IMAGE_STORE"
ADOPT = "If the two do belong together: adsvc adopt"
UNCHECKED = "The image store has not been reachable since the process started."
# How long a start waits for the check.
START_SECONDS = 5.0
# How soon a check that failed is repeated.
RETRY_SECONDS = 2.0
# While a restore is not finished, the store has this before the id of the backup.
RESTORING = "restore of "


async def bind(database: Database, store: ImageStore) -> None:
    """Writes the database's id into the store, or raises an `OperatorError` with the reason.

    If several processes bind one store at once, the first one wins and the others compare.
    """
    ours = await _id(database)
    if ours is None:
        return
    theirs = await store.owner()
    if theirs is None:
        await require_kinship(database, store)
        theirs = await store.claim(ours)
        await _hide_again(database)
    if theirs != ours:
        raise OperatorError(_difference(database, store, ours, theirs))


async def _hide_again(database: Database) -> None:
    """The store may have hidden pictures under their public names, from before they were hidden."""
    await image_rows.queue_all(database.writer)


class Ownership:
    """The check that the store belongs to the database, for processes that run on.

    These start without the store. Until the check has succeeded once, the store neither stores nor
    deletes pictures. A store that belongs to another installation ends the process.
    """

    def __init__(self, database: Database, store: ImageStore) -> None:
        self._database = database
        self._store = store
        self._fault = SharedValue(self._check, lambda fault: RETRY_SECONDS if fault else math.inf)
        store.before_change = self._require

    async def start(self) -> None:
        """Raises an `OperatorError` if the store belongs to another installation.

        A store that does not answer soon is checked further by `watch`.
        """
        fault: Exception | None
        try:
            async with asyncio.timeout(START_SECONDS):
                fault = await self._fault.get()
        except TimeoutError as error:
            fault = error
        if isinstance(fault, OperatorError):
            raise fault
        if fault is not None:
            logger.warning(
                "Could not check which installation owns the image store, which stores no picture "
                "until then: %s",
                type(fault).__name__,
            )

    async def watch(self) -> None:
        """Repeats the check until it succeeds, or ends the process."""
        while (fault := await self._fault.get()) is not None:
            if isinstance(fault, OperatorError):
                logger.critical("The process ends. %s", fault)
                end_process()
                return
            await asyncio.sleep(RETRY_SECONDS)

    async def _check(self) -> Exception | None:
        try:
            await bind(self._database, self._store)
        except (ImageStoreUnavailableError, OperatorError) as error:
            return error
        except Exception as error:
            if not is_database_fault(error):
                raise
            return error
        return None

    async def _require(self) -> None:
        if (fault := await self._fault.get()) is not None:
            raise ImageStoreUnavailableError(UNCHECKED) from fault


async def require_match(database: Database, store: ImageStore) -> None:
    """Required before pictures are removed. A store without an id is refused."""
    ours, theirs = await _id(database), await store.owner()
    if theirs != ours or ours is None:
        raise OperatorError(_difference(database, store, ours, theirs))


async def mismatch(database: Database, store: ImageStore) -> str | None:
    """A message if the store belongs to another database.

    A missing store is fine, because a command may need no pictures.
    """
    ours, theirs = await _id(database), await store.owner()
    if theirs is None or theirs == ours:
        return None
    return _difference(database, store, ours, theirs)


async def require_no_restore(store: ImageStore) -> None:
    """Raises an `OperatorError` if a restore into the store has begun and not ended.

    Its database may still be empty, so there is nothing to compare.
    """
    try:
        owner = await store.owner()
    except ImageStoreUnavailableError:
        # The store cannot be read. Requests that need it are refused with that reason.
        return
    if owner is not None and owner.startswith(RESTORING):
        raise OperatorError(_unfinished(store, owner))


def _unfinished(store: ImageStore, owner: str) -> str:
    return (
        f"The image store {store.location} belongs to the {owner}, which did not end. Nothing was "
        "changed. Run it again: adsvc restore"
    )


async def adopt(database: Database, store: ImageStore, *, renew: bool) -> tuple[str, str | None]:
    """Makes the database the store's owner. Returns the owner's id now and before.

    With `renew` the database gets a new id first.
    """
    before = await store.owner()
    if renew:
        async with database.transaction() as transaction:
            await server_rows.renew(transaction)
    ours = await _id(database)
    if ours is None:
        raise OperatorError(f"The database {database.location} has no id yet. Run: adsvc migrate")
    await store.claim(ours, instead_of=before)
    await _hide_again(database)
    return ours, before


async def _id(database: Database) -> str | None:
    async with database.autocommit() as session:
        found = await server_rows.installation_id(session)
    return None if found is None else str(found)


async def require_kinship(database: Database, store: ImageStore) -> None:
    """Raises an `OperatorError` if a store without an id cannot be the database's.

    It cannot if only one of the two is empty, or if their pictures differ.
    """
    async with database.autocommit() as session:
        named = await server_rows.newest_pictures(session, SAMPLE)
    if not named:
        if await store.is_empty():
            return
        found = "the database names no picture, and the store holds some"
    else:
        present = len(await store.present(named))
        if present * 2 >= len(named):
            return
        found = f"of {len(named)} pictures that the database names, the store holds {present}"
    raise OperatorError(
        f"The image store {store.location} bears no installation's id, and it does not look like "
        f"that of the database {database.location}: {found}. Nothing was changed. Is the directory "
        f"mounted, and are {SETTINGS} those of the service? {ADOPT}"
    )


def _difference(database: Database, store: ImageStore, ours: str | None, theirs: str | None) -> str:
    if theirs is not None and theirs.startswith(RESTORING):
        return _unfinished(store, theirs)
    return (
        f"The database {database.location} is installation {ours or 'without id'}, and the image "
        f"store {store.location} belongs to {theirs or 'none'}. Nothing was changed. Are "
        f"{SETTINGS} those of the service? {ADOPT}"
    )


KEY_BYTES = 32


async def signed_links(session: DatabaseSession, purpose: Purpose) -> SignedLinks:
    """With the key of this installation, which is made at the first call."""
    return SignedLinks(await server_rows.link_key(session, os.urandom(KEY_BYTES)), purpose)
