"""Reports, and the retention of their cases."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from adsvc.db.database import Database, Transaction
from adsvc.errors import AdNotFoundError, CommentNotFoundError
from adsvc.invalidation import NO_AD, InvalidationKind
from adsvc.models import CaseKind, Report
from adsvc.repositories import AdRepository, OutboxRepository
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.moderation.cases import ReportRepository, RetentionRepository
from adsvc.schemas.moderation import CreateReport
from adsvc.services.mail import rendering
from adsvc.services.mail.rendering import Letter
from adsvc.settings import Settings


class ReportOutcome(NamedTuple):
    report: Report | Mapping[str, Any]
    # False if the account has reported the thing before.
    is_new: bool


async def report(
    transaction: Transaction,
    settings: Settings,
    reporter: CallerAccount,
    content: CreateReport,
    *,
    kind: CaseKind,
    target_id: int,
) -> ReportOutcome:
    """Reports a thing that exists, that the reporter sees, and that is not the reporter's own."""
    session, threshold = transaction.session, settings.reports_to_hide
    reports = ReportRepository(session)
    before = await reports.find(kind, target_id, reporter.id)
    if before is not None:
        return ReportOutcome(before, is_new=False)
    hides = kind is CaseKind.AD and threshold > 0
    if hides:
        # A decision locks the ad before its case, too.
        await AdRepository(session).lock(target_id)
    added = await reports.add(
        kind, target_id, reporter.id, reason=content.reason, words=content.text
    )
    if added is None:
        # The thing was deleted a moment ago, or the same account reported it at the same time.
        before = await reports.find(kind, target_id, reporter.id)
        if before is None:
            raise AdNotFoundError if kind is CaseKind.AD else CommentNotFoundError
        return ReportOutcome(before, is_new=False)
    if hides and (hidden := await reports.hide(added.case_id, target_id, threshold)):
        transaction.announce(InvalidationKind.AD, target_id)
        letter = rendering.to_account(Letter.AD_HIDDEN, hidden.author_id, excerpt=hidden.title)
        await OutboxRepository(session).add(letter)
    return ReportOutcome(added.report, is_new=True)


# The most cases of one transaction.
BATCH = 100


async def forget_decided(database: Database, settings: Settings) -> int:
    """Deletes removed ads and comments whose appeal is over, and cases decided long ago.

    Returns how many. The pictures of such ads are queued for deletion with them.
    """
    total, deleted = 0, BATCH
    while deleted == BATCH:
        async with database.transaction() as transaction:
            kept = RetentionRepository(transaction.session)
            counts = [
                await kept.delete_removed_ads(BATCH),
                await kept.delete_removed_comments(BATCH),
                await kept.delete_cases(settings.case_days, BATCH),
                await kept.delete_decisions(settings.case_days, BATCH),
            ]
            if counts[0]:
                transaction.announce(InvalidationKind.AD, NO_AD)
            deleted = max(counts)
        total += sum(counts)
    return total
