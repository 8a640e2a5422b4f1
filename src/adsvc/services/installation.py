"""Whether a database and an image store belong together.

The database has an id, which its migration makes; the store bears the same one from the first
start on. So nothing acts on the pictures of one installation by the rows of another.
"""

import logging

from adsvc.db.database import Database
from adsvc.db.faults import is_database_fault
from adsvc.errors import OperatorError
from adsvc.repositories import InstallationRepository
from adsvc.storage import ImageStore

logger = logging.getLogger("adsvc.images")

# So many of the pictures that rows name are looked for in a store that bears no id yet.
SAMPLE = 100
ADOPT = "If the two do belong together: adsvc adopt"


async def bind(database: Database, store: ImageStore) -> None:
    """The store bears the database's id afterwards, or an `OperatorError` says why not.

    Of several that bind one store at once the first wins, and the others compare.
    """
    ours = await _id(database)
    if ours is None:
        return
    theirs = await store.owner()
    if theirs is None:
        await _require_kinship(database, store)
        theirs = await store.claim(ours)
    if theirs != ours:
        raise OperatorError(_difference(database, store, ours, theirs))


async def bind_if_reachable(database: Database, store: ImageStore) -> None:
    """For each process that serves: one that is started anew has to do without the database."""
    try:
        await bind(database, store)
    except Exception as error:
        if not is_database_fault(error):
            raise
        logger.warning("Whose the image store is was not looked up: %s", type(error).__name__)


async def require_match(database: Database, store: ImageStore) -> None:
    """For what removes pictures: a store that bears no id will not do."""
    ours, theirs = await _id(database), await store.owner()
    if theirs != ours or ours is None:
        raise OperatorError(_difference(database, store, ours, theirs))


async def mismatch(database: Database, store: ImageStore) -> str | None:
    """What is wrong, if the store there is belongs to another database.

    There may be none where a command runs that needs no pictures.
    """
    ours, theirs = await _id(database), await store.owner()
    if theirs is None or theirs == ours:
        return None
    return _difference(database, store, ours, theirs)


async def adopt(database: Database, store: ImageStore, *, renew: bool) -> tuple[str, str | None]:
    """Whose the store is now, and whose it was. With `renew` the database gets a new id first."""
    before = await store.owner()
    if renew:
        async with database.transaction() as transaction:
            await InstallationRepository(transaction.session).renew()
    ours = await _id(database)
    if ours is None:
        raise OperatorError(f"The database {database.place} has no id yet. Run: adsvc migrate")
    await store.claim(ours, instead_of=before)
    return ours, before


async def _id(database: Database) -> str | None:
    async with database.autocommit() as session:
        found = await InstallationRepository(session).id()
    return None if found is None else str(found)


async def _require_kinship(database: Database, store: ImageStore) -> None:
    """An installation from before there were ids, or a new one; not an empty half of one."""
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
        f"The image store {store.place} bears no installation's id, and it does not look like that "
        f"of the database {database.place}: {found}. Nothing was changed. Is the directory mounted,"
        f" and are ADSVC_DATABASE_URL and ADSVC_DATA_DIR those of the service? {ADOPT}"
    )


def _difference(database: Database, store: ImageStore, ours: str | None, theirs: str | None) -> str:
    return (
        f"The database {database.place} is installation {ours or 'without id'}, and the image store"
        f" {store.place} belongs to {theirs or 'none'}. Nothing was changed. Are ADSVC_DATABASE_URL"
        f" and ADSVC_DATA_DIR those of the service? {ADOPT}"
    )
