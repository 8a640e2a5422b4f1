"""Deletes rows whose retention has ended. Undoes deletions, or makes them final early."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from asyncpg import PostgresError
from sqlalchemy.exc import SQLAlchemyError

from adsvc.enums import AuditKind, DeletionKind
from adsvc.errors import DatabaseUnavailableError, NotFoundError, UndoNotPossibleError
from adsvc.invalidation import NO_AD, InvalidationKind
from adsvc.kit.counters import CleaningCounts
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.storage import ImageStore
from adsvc.models.operation import Deletion
from adsvc.repositories import deals, notices
from adsvc.repositories import deletions as deletion_rows
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories import views as view_rows
from adsvc.repositories.accounts.rate_limits import add_up
from adsvc.repositories.accounts.sessions import delete_expired_sessions
from adsvc.repositories.following import delete_old_matches
from adsvc.repositories.operation import jobs as rows
from adsvc.services import audit
from adsvc.services.following import MATCH_DAYS
from adsvc.services.imports import RETENTION_DAYS
from adsvc.services.moderation import reports
from adsvc.services.picture_deletion import move_afterwards
from adsvc.settings import Settings

BATCH = 100


async def undo_deletion(
    transaction: Transaction, store: ImageStore, deletion_id: int, *, actor: int | str
) -> None:
    deletion = await _locked(transaction, deletion_id)
    _record(transaction, AuditKind.DELETION_UNDONE, deletion, actor)
    if not await deletion_rows.undo(transaction, deletion):
        raise UndoNotPossibleError
    transaction.announce(InvalidationKind.USER, deletion.owner_id)
    transaction.announce(InvalidationKind.AD, NO_AD)
    move_afterwards(transaction, store)


async def purge_deletion(transaction: Transaction, deletion_id: int, *, actor: int | str) -> None:
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


logger = logging.getLogger("adsvc.cleaning")

Delete = Callable[[], Awaitable[int]]
# Days.
NEVER = 1_000_000


async def clean(
    database: Database, settings: Settings, counts: CleaningCounts | None = None
) -> int:
    """Returns how many rows were deleted. A failure does not stop the rest."""
    counts = counts or CleaningCounts()
    deletions = deletions_of(database, settings)
    return sum([await _attempt(what, delete, counts) for what, delete in deletions.items()])


def deletions_of(database: Database, settings: Settings) -> Mapping[str, Delete]:
    """By kind of rows, as metrics and the log name them."""
    old = partial(rows.delete_old_rows, database.writer)

    async def conversations() -> int:
        without_parties = await old(rows.CONVERSATIONS_WITHOUT_PARTIES)
        return without_parties + await old(rows.CONVERSATIONS, settings.message_days)

    return {
        "events": lambda: old(rows.AUDIT_EVENTS, settings.audit_days),
        "idempotency keys": lambda: old(rows.IDEMPOTENCY_KEYS),
        "cases": lambda: reports.forget_decided(database, settings),
        "offers": lambda: _all(lambda: deals.expire_offers(database.writer)),
        "conversations": conversations,
        "deals": lambda: old(rows.DEALS_WITHOUT_PARTIES),
        "imports": lambda: old(rows.IMPORTS, RETENTION_DAYS),
        "visitors": lambda: _all(lambda: view_rows.forget_visitors(database.writer)),
        "drafts": lambda: old(rows.DRAFTS, settings.draft_days or NEVER),
        "sessions": lambda: delete_expired_sessions(database.writer),
        "browsers": lambda: old(rows.BROWSERS),
        "sign-ins": lambda: old(rows.SIGN_INS),
        "challenges": lambda: old(rows.CHALLENGES),
        "tokens of mails": lambda: old(rows.MAIL_TOKENS),
        "parts of totals": lambda: _all(lambda: add_up(database.writer)),
        "deliveries": lambda: old(rows.DELIVERIES, settings.webhook_days),
        "notifications": lambda: old(rows.NOTIFICATIONS, settings.notification_days),
        "shares of notices": lambda: outbox_rows.delete_old_shares(database.writer),
        "fan-outs": lambda: _all(lambda: notices.delete_ended(database.writer)),
        "matches": lambda: _all(
            lambda: delete_old_matches(database.writer, MATCH_DAYS, settings.event_days)
        ),
        "deletions": lambda: _all(lambda: purge_ended(database)),
        "attempts of mails": lambda: old(rows.MAIL_ATTEMPTS),
        "dead entries": lambda: old(rows.DEAD_ENTRIES, settings.outbox_days),
    }


async def _all(delete_some: Delete) -> int:
    total = 0
    while deleted := await delete_some():
        total += deleted
    return total


async def _attempt(what: str, delete: Delete, counts: CleaningCounts) -> int:
    try:
        deleted = await delete()
    except (SQLAlchemyError, PostgresError, DatabaseUnavailableError) as error:
        logger.warning("Old %s stay: %s", what, type(error.__cause__ or error).__name__)
        counts.failed[what] += 1
        return 0
    counts.deleted[what] += deleted
    return deleted
