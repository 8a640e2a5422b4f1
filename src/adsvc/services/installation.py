"""What an installation has of its own: the id that ties an image store to its database, the key of
links in mails, and the fingerprint of its secret.

A migration gives the database an id, and the first start writes it into the store. So no command
changes the pictures of one installation by the rows of another.
"""

import asyncio
import hashlib
import hmac
import logging
import math
import os
from collections import Counter
from dataclasses import dataclass, field

from adsvc.enums import AuditKind
from adsvc.errors import ImageStoreUnavailableError, OperatorError
from adsvc.kit.db.database import Database, DatabaseSession
from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.invalidation import SharedValue
from adsvc.kit.process.setup import end_process
from adsvc.kit.security.encryption import Encryption, UnreadableSecretError
from adsvc.kit.security.tokens import Purpose, SignedLinks
from adsvc.kit.storage import ImageStore
from adsvc.repositories import images as image_rows
from adsvc.repositories.operation import server as server_rows
from adsvc.services import audit
from adsvc.settings import Settings

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


FOREIGN = (
    "ADSVC_JWT_SECRET is not the secret of this installation, and neither is "
    "ADSVC_JWT_SECRET_PREVIOUS. Nothing was changed. With another secret, tokens of other nodes "
    "would be refused, and authenticator apps and webhooks would fail. Set the secret that the "
    "other nodes have, or before a restore had. To replace it, set it as ADSVC_JWT_SECRET_PREVIOUS "
    "too. If it is lost: adsvc secrets rotate --force"
)


def _fingerprints(settings: Settings) -> list[bytes]:
    message = b"adsvc installation"
    secrets = settings.jwt_secrets()
    return [hmac.digest(secret.encode(), message, hashlib.sha256)[:16] for secret in secrets]


async def is_own_secret(database: Database, settings: Settings) -> bool:
    found = await server_rows.fingerprint(database.reader)
    return found in {None, *_fingerprints(settings)}


async def require_own_secret(database: Database, settings: Settings) -> None:
    """Raises an `OperatorError` if the installation has another secret.

    The first start sets the installation's secret. A start whose previous secret it is replaces it.
    """
    own = _fingerprints(settings)
    if await server_rows.fingerprint(database.reader) == own[0]:
        return
    async with database.transaction() as transaction:
        found = await server_rows.fingerprint(transaction, for_update=True)
        if found not in {None, *own}:
            raise OperatorError(FOREIGN)
        await server_rows.set_fingerprint(transaction, own[0])


@dataclass(frozen=True, slots=True)
class Renewal:
    """Stored secrets by kind: those encrypted with another secret than that in force."""

    renewed: Counter[str] = field(default_factory=Counter)
    unreadable: Counter[str] = field(default_factory=Counter)


async def renew_secrets(database: Database, settings: Settings, *, dry_run: bool) -> Renewal:
    """Encrypts stored secrets with the secret in force; with `dry_run` it only counts them."""
    found = Renewal()
    for column in server_rows.ENCRYPTED:
        encryption = Encryption(*settings.jwt_secrets(), kind=column.kind)
        after = 0
        while rows := await server_rows.encrypted_page(database.writer, column, after):
            after = rows[-1]["id"]
            for row in rows:
                owner = row["id"] if column.has_owner else None
                try:
                    renewed = encryption.renewed(row["secret"], owner=owner)
                except UnreadableSecretError:
                    found.unreadable[column.kind] += 1
                    continue
                if renewed is not None:
                    found.renewed[column.kind] += 1
                    if not dry_run:
                        await server_rows.replace_encrypted(database.writer, column, row, renewed)
    return found


async def rotate_secret(
    database: Database, settings: Settings, *, dry_run: bool, force: bool, actor: str
) -> Renewal:
    """Makes the secret in force that of the installation, and encrypts what is stored with it.

    Raises an `OperatorError` if something would be lost, unless with `force`.
    """
    if not force and not await is_own_secret(database, settings):
        raise OperatorError(FOREIGN)
    found = await renew_secrets(database, settings, dry_run=True)
    if found.unreadable and not (dry_run or force):
        raise OperatorError(
            f"Not readable with these secrets: {counted(found.unreadable)}. Nothing was changed. "
            "Is ADSVC_JWT_SECRET_PREVIOUS the secret before? To give them up: --force"
        )
    if not dry_run:
        found = await renew_secrets(database, settings, dry_run=False)
        async with database.transaction() as transaction:
            await server_rows.set_fingerprint(transaction, _fingerprints(settings)[0])
            audit.record(transaction, AuditKind.SECRET_ROTATED, actor=actor, target=None)
    return found


def counted(found: Counter[str]) -> str:
    return ", ".join(f"{kind}: {number}" for kind, number in sorted(found.items())) or "none"
