"""Undoes deletions of ads and accounts, or makes them final before their time."""

from adsvc.enums import AuditKind, DeletionKind
from adsvc.errors import NotFoundError, UndoNotPossibleError
from adsvc.invalidation import NO_AD, InvalidationKind
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.storage import ImageStore
from adsvc.models import Deletion
from adsvc.repositories import deletions as deletion_rows
from adsvc.services import audit
from adsvc.services.picture_deletion import move_afterwards

BATCH = 100


async def undo(
    transaction: Transaction, store: ImageStore, deletion_id: int, *, actor: int | str
) -> None:
    deletion = await _locked(transaction, deletion_id)
    _record(transaction, AuditKind.DELETION_UNDONE, deletion, actor)
    if not await deletion_rows.undo(transaction, deletion):
        raise UndoNotPossibleError
    transaction.announce(InvalidationKind.USER, deletion.owner_id)
    transaction.announce(InvalidationKind.AD, NO_AD)
    move_afterwards(transaction, store)


async def purge(transaction: Transaction, deletion_id: int, *, actor: int | str) -> None:
    deletion = await _locked(transaction, deletion_id)
    _record(transaction, AuditKind.DELETION_ENDED, deletion, actor)
    if deletion.kind == DeletionKind.ACCOUNT:
        await deletion_rows.forget_owner(transaction, deletion.owner_id)
    else:
        await deletion_rows.purge(transaction, deletion.id)


async def purge_ended(database: Database) -> int:
    """Those whose time is over. Returns how many there were."""
    ended = await deletion_rows.ended(database.writer, BATCH)
    for deletion_id in ended:
        async with database.transaction() as transaction:
            await deletion_rows.purge(transaction, deletion_id)
    return len(ended)


async def _locked(transaction: Transaction, deletion_id: int) -> Deletion:
    deletion = await deletion_rows.lock(transaction, deletion_id)
    if deletion is None:
        raise NotFoundError("There is no such deletion, or it is final.")
    return deletion


def _record(
    transaction: Transaction, event: AuditKind, deletion: Deletion, actor: int | str
) -> None:
    ad_id = deletion.target_id if deletion.kind == DeletionKind.AD else None
    audit.record(
        *(transaction, event),
        actor=actor,
        target=deletion.target_id,
        ad_id=ad_id,
        owner_id=deletion.owner_id,
    )
