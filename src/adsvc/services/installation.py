"""Ties an image store to its database.

A migration gives the database an id, and the first start writes it into the store. So no command
changes the pictures of one installation by the rows of another.
"""

import logging

from adsvc.db.database import Database
from adsvc.db.faults import is_database_fault
from adsvc.errors import ImageStoreUnavailableError, OperatorError
from adsvc.repositories import InstallationRepository
from adsvc.storage import ImageStore

logger = logging.getLogger("adsvc.images")

# A store without an id is checked for so many pictures that rows name.
SAMPLE = 100
SETTINGS = "ADSVC_DATABASE_URL, ADSVC_DATA_DIR and ADSVC_IMAGE_STORE"
ADOPT = "If the two do belong together: adsvc adopt"
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
    if theirs != ours:
        raise OperatorError(_difference(database, store, ours, theirs))


async def bind_if_reachable(database: Database, store: ImageStore) -> None:
    """As `bind`, for servers: these must start even without the database or the store."""
    try:
        await bind(database, store)
    except Exception as error:
        if not is_database_fault(error) and not isinstance(error, ImageStoreUnavailableError):
            raise
        logger.warning(
            "Could not check which installation owns the image store: %s", type(error).__name__
        )


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
            await InstallationRepository(transaction.session).renew()
    ours = await _id(database)
    if ours is None:
        raise OperatorError(f"The database {database.location} has no id yet. Run: adsvc migrate")
    await store.claim(ours, instead_of=before)
    return ours, before


async def _id(database: Database) -> str | None:
    async with database.autocommit() as session:
        found = await InstallationRepository(session).id()
    return None if found is None else str(found)


async def require_kinship(database: Database, store: ImageStore) -> None:
    """Raises an `OperatorError` if a store without an id cannot be the database's.

    It cannot if only one of the two is empty, or if their pictures differ.
    """
    async with database.autocommit() as session:
        named = await InstallationRepository(session).newest_pictures(SAMPLE)
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
