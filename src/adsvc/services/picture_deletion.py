"""Deletes pictures that no row names any more, and hides those of removed things.

Triggers queue a picture's name in the transaction that removes the last row with that name. The
process of that transaction deletes the file right after the commit, before it answers. A regular
job works off the rest of the queue: what a crash or a failing store left, and what was deleted
while a backup copied pictures.

A picture of an ad or account that is suspended or removed is renamed in the store instead: its
public address is then 404 wherever it is served from, and an appeal can bring it back. Triggers
queue such pictures too, and they are renamed by the same process and the same job.
"""

import json
import logging
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from adsvc.errors import (
    ImageStoreUnavailableError,
    NotDeliveredError,
    OperatorError,
)
from adsvc.invalidation import InvalidationKind
from adsvc.kit.db.database import Database, DatabaseSession, Unit
from adsvc.kit.deliveries import SUCCESS
from adsvc.kit.http.outbound import UnreachableError
from adsvc.kit.invalidation import Invalidation
from adsvc.kit.pictures.containers import files_of, hidden_name, pictures_of
from adsvc.kit.storage import ImageStore
from adsvc.repositories import images as image_rows
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.ads import writes as ad_rows
from adsvc.repositories.operation import jobs as hold_rows
from adsvc.repositories.operation import site as site_rows
from adsvc.repositories.outbox import ClaimedEntry, NewEntry
from adsvc.settings import Settings

if TYPE_CHECKING:
    from adsvc.kit.http.outbound_client import OutboundClient

PURGE = "purge"
# As many as Cloudflare takes.
FILES_AT_ONCE = 30
# The address is the operator's.
ANYWHERE = ("0.0.0.0/0", "::/0")


async def queue_purge(db: DatabaseSession, store: ImageStore, files: Sequence[str]) -> None:
    """In the session's transaction; nothing without a CDN."""
    if store.has_cdn and files:
        batches = range(0, len(files), FILES_AT_ONCE)
        entries = [
            NewEntry(PURGE, {"files": list(files[start : start + FILES_AT_ONCE])})
            for start in batches
        ]
        await outbox_rows.add(db, *entries)


class Purging:
    """Requests that a CDN drops its copies of pictures that were deleted or hidden.

    They are entries of the outbox, so that each is repeated until the CDN has taken it. The time
    is bounded by the caller.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.kinds = frozenset({PURGE} if settings.cdn_purge_url else ())

    @cached_property
    def _client(self) -> "OutboundClient":
        from adsvc.kit.http.outbound_client import OutboundClient  # noqa: PLC0415 - takes memory

        return OutboundClient(ANYWHERE)

    async def deliver(self, entry: ClaimedEntry) -> None:
        settings = self._settings
        files = [settings.picture_address(name) for name in entry.payload["files"]]
        headers = {"Content-Type": "application/json"}
        if settings.cdn_purge_token is not None:
            headers["Authorization"] = f"Bearer {settings.cdn_purge_token.get_secret_value()}"
        try:
            answer = await self._client.request(
                str(settings.cdn_purge_url),
                json.dumps({"files": files}).encode(),
                headers,
                seconds=settings.mail_seconds,
            )
        except UnreachableError as error:
            raise NotDeliveredError(f"The CDN: {error}") from error
        if answer.status not in SUCCESS:
            raise NotDeliveredError(f"The CDN answered {answer.status}.", answer.status)


logger = logging.getLogger("adsvc.images")

PERIOD_SECONDS = 30
BATCH = 500


def forget_pictures(unit: Unit, store: ImageStore, names: Sequence[str]) -> None:
    """Deletes the pictures, with their variants, if and when the unit commits.

    Those that cannot be deleted then stay in the queue.
    """
    files = files_of(names)
    for file in files:
        unit.announce(InvalidationKind.IMAGE, file)
    if files:
        unit.on_commit(partial(_delete_queued, unit.database, store, files))


def withdraw_pictures(unit: Unit, store: ImageStore, names: Sequence[str], *, days: int) -> None:
    """Deletes the pictures as `forget_pictures`, or hides them while a deletion can be undone."""
    if days == 0:
        forget_pictures(unit, store, names)
        return
    for file in files_of(names):
        unit.announce(InvalidationKind.IMAGE, file)
    move_afterwards(unit, store)


async def _delete_queued(database: Database, store: ImageStore, files: Sequence[str]) -> None:
    # Checked after the rows are deleted: a backup that begins now does not name their pictures.
    if await hold_rows.are_deletions_held(database.writer):
        return
    for start in range(0, len(files), BATCH):
        gone = await _delete(database, store, files[start : start + BATCH])
        async with database.transaction() as transaction:
            await queue_purge(transaction, store, gone)
            await image_rows.remove_deletions(transaction, gone)


async def work(database: Database, store: ImageStore) -> int:
    """Works off both queues once. Returns how many pictures it deleted, hid or showed."""
    moved = await move_pictures(database, store)
    return moved + await work_off(database, store)


async def work_off(database: Database, store: ImageStore) -> int:
    """Works off the queue once. Returns how many pictures it deleted.

    Those that cannot be deleted stay in the queue, and do not stop the rest.
    """
    last, total = "", 0
    while True:
        async with database.transaction() as transaction:
            names = await image_rows.lock_next_deletions(transaction, BATCH, after=last)
            if not names or await hold_rows.are_deletions_held(transaction):
                return total
            last = names[-1]
            # A name may be in use again, by a restored row for instance.
            used = await names_in_use(transaction, names)
            unused = [name for name in names if name not in used]
            gone = await _delete(database, store, unused)
            await queue_purge(transaction, store, gone)
            await image_rows.remove_deletions(transaction, [*used, *gone])
            total += len(gone)


async def _delete(database: Database, store: ImageStore, names: Sequence[str]) -> Sequence[str]:
    """Returns the names that are deleted."""
    try:
        gone = await store.delete_all(names)
    except ImageStoreUnavailableError:
        gone = []
    for name in gone:
        # A request may have read the file between the commit and its deletion.
        database.changes.apply(Invalidation(InvalidationKind.IMAGE, name))
    if len(gone) < len(names):
        logger.warning("%d pictures cannot be deleted now.", len(names) - len(gone))
    return gone


def move_afterwards(unit: Unit, store: ImageStore) -> None:
    """Hides pictures if and when the unit commits, or shows them, as their ads and accounts now
    require.
    """
    unit.on_commit(partial(move_pictures, unit.database, store))


async def move_pictures(database: Database, store: ImageStore) -> int:
    """Works off the queue of pictures to be hidden or shown once. Returns how many there were.

    Those that cannot be renamed stay in the queue.
    """
    last, total = "", 0
    while True:
        async with database.transaction() as transaction:
            stems = await image_rows.lock_next_hidden(transaction, BATCH, after=last)
            if not stems or await hold_rows.are_deletions_held(transaction):
                return total
            last = max(stems)
            # A statement of its own, which sees what was committed before the rows were locked.
            hidden = await image_rows.to_hide(transaction, list(stems))
            await store.rename_all(_renamed(stems, hidden))
            await image_rows.mark_hidden(transaction, list(hidden))
            await image_rows.remove_hidden(
                transaction, [name for name in stems if name not in hidden]
            )
            files = files_of(list(hidden))
            for file in files:
                transaction.announce(InvalidationKind.IMAGE, file)
            await queue_purge(transaction, store, files)
            total += len(stems)


def _renamed(stems: Mapping[str, str], hidden: Collection[str]) -> Mapping[str, str]:
    """New names of the files by old ones. All are named, as an earlier run may have been killed."""
    names = {}
    for name, stem in stems.items():
        for file in files_of([name]):
            other = hidden_name(file, stem)
            old, new = (file, other) if name in hidden else (other, file)
            names[old] = new
    return names


async def stored_name(session: DatabaseSession, file: str) -> str:
    """The name that a picture's file, or its variant's, has in the store, whether hidden or not."""
    stem = await image_rows.stem(session, pictures_of(file))
    return file if stem is None else hidden_name(file, stem)


# A sweep that would remove more than both needs a confirmation.
FEW = 20


MOST_OF_ALL = 0.1


async def names_in_use(session: DatabaseSession, names: Sequence[str]) -> set[str]:
    """The names that a row names, as a picture or as its variant.

    All columns that name pictures are listed here.
    """
    pictures = {picture for name in names for picture in pictures_of(name)}
    owners = (
        image_rows.images_in_use,
        ad_rows.images_in_use,
        user_rows.images_in_use,
        site_rows.images_in_use,
        image_rows.hidden_in_use,
    )
    used = {
        name for images_in_use in owners for name in await images_in_use(session, list(pictures))
    }
    return {name for name in names if not used.isdisjoint(pictures_of(name))}


@dataclass(frozen=True)
class Orphans:
    """Pictures that no row names, and the number of all pictures."""

    names: Sequence[str]
    total: int

    @property
    def suspicious(self) -> bool:
        """Killed uploads leave a few. Many more mean that the database is a wrong one."""
        return len(self.names) > FEW and len(self.names) > self.total * MOST_OF_ALL


async def orphans(session: DatabaseSession, store: ImageStore, *, grace_seconds: float) -> Orphans:
    """The pictures that `sweep` would remove."""
    found: list[str] = []
    async for names in store.older_than(grace_seconds):
        found += sorted(set(names) - await names_in_use(session, names))
    total = 0
    async for names in store.older_than(0):
        total += len(names)
    return Orphans(found, total)


async def sweep(
    session: DatabaseSession, store: ImageStore, *, grace_seconds: float
) -> AsyncIterator[str]:
    """Removes pictures that no row names, and yields their names.

    Younger files stay: the row that will name them may not be committed yet.
    """
    async for names in store.older_than(grace_seconds):
        unnamed = set(names) - await names_in_use(session, names)
        if await hold_rows.are_deletions_held(session):
            raise OperatorError("A backup copies pictures now. Run this again when it has ended.")
        for name in sorted(unnamed):
            await store.delete(name)
            yield name
