"""Deletes rows whose retention has ended."""

import logging
from collections.abc import Awaitable, Callable, Mapping

from asyncpg import PostgresError
from sqlalchemy.exc import SQLAlchemyError

from adsvc.errors import DatabaseUnavailableError
from adsvc.kit.counters import CleaningCounts
from adsvc.kit.db.database import Database
from adsvc.repositories import (
    deals,
    follower_notices,
    imports,
    mail_attempts,
    notice_mails,
    offers,
)
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
from adsvc.services import audit, deletions
from adsvc.services.accounts import idempotency
from adsvc.services.imports import RETENTION_DAYS
from adsvc.services.moderation import cases
from adsvc.services.searches import MATCH_DAYS
from adsvc.settings import Settings

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
        "deletions": lambda: _all(lambda: deletions.purge_ended(database)),
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
