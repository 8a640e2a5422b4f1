"""Deletes rows whose retention has ended. Undoes deletions, or makes them final early."""

import logging
from collections.abc import Awaitable, Callable, Mapping

from asyncpg import PostgresError
from sqlalchemy.exc import SQLAlchemyError

from adsvc.enums import AuditKind, DeletionKind
from adsvc.errors import DatabaseUnavailableError, NotFoundError, UndoNotPossibleError
from adsvc.invalidation import NO_AD, InvalidationKind
from adsvc.kit.counters import CleaningCounts
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.storage import ImageStore
from adsvc.models.operation import Deletion
from adsvc.repositories import (
    deals,
    follower_notices,
    imports,
    mail_attempts,
    notice_mails,
    offers,
)
from adsvc.repositories import deletions as deletion_rows
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories import views as view_rows
from adsvc.repositories import webhooks as webhook_rows
from adsvc.repositories.accounts.factors import delete_expired_challenges
from adsvc.repositories.accounts.mail_tokens import delete_expired_tokens
from adsvc.repositories.accounts.rate_limits import add_up
from adsvc.repositories.accounts.sessions import delete_expired_sessions, delete_old_sign_ins
from adsvc.repositories.ads import lifecycle as lifecycle_rows
from adsvc.repositories.conversation_changes import delete_old_conversations
from adsvc.repositories.notifications import delete_old_notifications
from adsvc.repositories.push import delete_without_session
from adsvc.repositories.searches import delete_old_matches
from adsvc.services import audit
from adsvc.services.accounts import idempotency
from adsvc.services.following import MATCH_DAYS
from adsvc.services.imports import RETENTION_DAYS
from adsvc.services.moderation import cases
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


async def clean(
    database: Database, settings: Settings, counts: CleaningCounts | None = None
) -> int:
    """Returns how many rows were deleted. A failure does not stop the rest."""
    counts = counts or CleaningCounts()
    deletions = deletions_of(database, settings)
    return sum([await _attempt(what, delete, counts) for what, delete in deletions.items()])


def deletions_of(database: Database, settings: Settings) -> Mapping[str, Delete]:
    """By kind of rows, as metrics and the log name them."""
    return {
        "events": lambda: audit.forget_older(database, settings.audit_days),
        "idempotency keys": lambda: idempotency.forget_expired(database),
        "cases": lambda: cases.forget_decided(database, settings),
        "offers": lambda: _all(lambda: offers.expire(database.writer)),
        "conversations": lambda: _all(
            lambda: delete_old_conversations(database.writer, settings.message_days)
        ),
        "deals": lambda: _all(lambda: deals.delete_without_parties(database.writer)),
        "imports": lambda: _all(lambda: imports.delete_old(database.writer, RETENTION_DAYS)),
        "visitors": lambda: _all(lambda: view_rows.forget_visitors(database.writer)),
        "drafts": lambda: _old_drafts(database, settings.draft_days),
        "sessions": lambda: delete_expired_sessions(database.writer),
        "browsers": lambda: _all(lambda: delete_without_session(database.writer)),
        "sign-ins": lambda: _all(lambda: delete_old_sign_ins(database.writer)),
        "challenges": lambda: _all(lambda: delete_expired_challenges(database.writer)),
        "tokens of mails": lambda: _all(lambda: delete_expired_tokens(database.writer)),
        "parts of totals": lambda: _all(lambda: add_up(database.writer)),
        "deliveries": lambda: _all(
            lambda: webhook_rows.delete_ended(database.writer, settings.webhook_days)
        ),
        "notifications": lambda: _all(
            lambda: delete_old_notifications(database.writer, settings.notification_days)
        ),
        "shares of notices": lambda: notice_mails.delete_old(database.writer),
        "fan-outs": lambda: _all(lambda: follower_notices.delete_ended(database.writer)),
        "matches": lambda: _all(
            lambda: delete_old_matches(database.writer, MATCH_DAYS, settings.event_days)
        ),
        "deletions": lambda: _all(lambda: purge_ended(database)),
        "attempts of mails": lambda: _all(lambda: mail_attempts.delete_old(database.writer)),
        "dead entries": lambda: _all(
            lambda: outbox_rows.delete_dead(database.writer, settings.outbox_days)
        ),
    }


async def _old_drafts(database: Database, days: int) -> int:
    return (
        await _all(lambda: lifecycle_rows.delete_old_drafts(database.writer, days)) if days else 0
    )


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
