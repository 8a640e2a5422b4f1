"""Reports, appeals, and how long cases are kept."""

from typing import NamedTuple

from adsvc import errors
from adsvc.enums import AdStatus, AuditKind, CaseKind
from adsvc.invalidation import NO_AD, InvalidationKind
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.db.statements import Row
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.moderation import cases, decisions
from adsvc.schemas.moderation import CreateReport, Decision
from adsvc.services import audit
from adsvc.services.mail import rendering
from adsvc.services.mail.rendering import Letter
from adsvc.services.moderation.decisions import statements_of
from adsvc.settings import Settings


class ReportOutcome(NamedTuple):
    report: Row
    # False if the account has reported the thing before.
    is_new: bool


NOT_FOUND = {
    CaseKind.AD: errors.AdNotFoundError,
    CaseKind.COMMENT: errors.CommentNotFoundError,
    CaseKind.MESSAGE: errors.MessageNotFoundError,
    CaseKind.RATING: errors.RatingNotFoundError,
}


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
    db, threshold = transaction, settings.reports_to_hide
    before = await cases.find_report(db, kind, target_id, reporter.id)
    if before is not None:
        return ReportOutcome(before, is_new=False)
    hides = kind is CaseKind.AD and threshold > 0
    if hides:
        # A decision locks the ad before its case, too.
        await cases.lock_thing(db, kind, target_id)
    added = await cases.add_report(
        db, kind, target_id, reporter.id, reason=content.reason, words=content.text
    )
    if added is None:
        # The thing was deleted a moment ago, or the same account reported it at the same time.
        before = await cases.find_report(db, kind, target_id, reporter.id)
        if before is None:
            raise NOT_FOUND[kind]
        return ReportOutcome(before, is_new=False)
    if hides and await cases.count_reports(db, added["case_id"]) >= threshold:
        for ad in await decisions.hide_ads(
            db, [target_id], AdStatus.SUSPENDED, actor_id=None, only_visible=True
        ):
            transaction.announce(InvalidationKind.AD, target_id)
            letter = rendering.to_account(Letter.AD_HIDDEN, ad["author_id"], excerpt=ad["title"])
            await outbox_rows.add(transaction, letter)
    return ReportOutcome(added, is_new=True)


async def record_look(database: Database, moderator: CallerAccount, case: Row) -> None:
    """What people wrote to each other is not read without a trace, and not if none can be left."""
    if case["kind"] == CaseKind.MESSAGE:
        async with database.transaction() as transaction:
            event = AuditKind.MESSAGES_READ
            audit.record(transaction, event, actor=moderator.id, target=case["id"])


async def appeal(transaction: Transaction, decision: Row, words: str) -> Decision:
    """The decision with the appeal against it, of whom it concerns. Its case waits for another."""
    db = transaction
    if decision["case_id"] is not None:
        await cases.lock(db, decision["case_id"])
    if not await decisions.appeal(db, decision["id"], decision["user_id"], words):
        raise errors.AppealNotPossibleError
    if decision["case_id"] is None and decision["actor_id"] is not None:
        # No queue has it: administrators find it at the account.
        letter = rendering.to_account(
            Letter.SUSPENSION_APPEALED,
            decision["actor_id"],
            account=decision["user_id"],
            appeal=words,
        )
        await outbox_rows.add(transaction, letter)
    found = await decisions.get(db, decision["id"])
    [record] = statements_of([found] if found else [])
    return record


# The most cases of one transaction.
BATCH = 100


async def forget_decided(database: Database, settings: Settings) -> int:
    """Deletes removed ads and comments whose appeal is over, and cases decided long ago.

    Returns how many. The pictures of such ads are queued for deletion with them.
    """
    total, most = 0, BATCH
    while most == BATCH:
        async with database.transaction() as transaction:
            deleted = await cases.delete_expired(transaction, BATCH, settings.case_days)
            if deleted["ads"]:
                transaction.announce(InvalidationKind.AD, NO_AD)
        most = max(deleted.values())
        total += sum(deleted.values())
    return total
