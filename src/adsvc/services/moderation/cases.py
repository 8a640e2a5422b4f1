"""Cases: reports, decisions, statements of reasons, appeals, and how long cases are kept."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any, NamedTuple

from adsvc import errors
from adsvc.enums import AdSkip, AdStatus, AuditKind, CaseKind, CaseStatus, DecisionAction, Role
from adsvc.invalidation import NO_AD, InvalidationKind
from adsvc.kit import faults
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.db.statements import Row, Statements
from adsvc.kit.faults import Fault
from adsvc.kit.records import Expected, Written, version_of
from adsvc.models.ads import SHOWN
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.moderation import accounts, cases, decisions
from adsvc.repositories.moderation.decisions import RESTRICTIONS, Reasons, Subject
from adsvc.repositories.outbox import NewEntry
from adsvc.schemas.console import AdDecision, DecideAds
from adsvc.schemas.moderation import (
    Appeal,
    Case,
    CreateReport,
    Decision,
    Expulsion,
    MadeDecision,
    MakeDecision,
    Statement,
)
from adsvc.services import audit
from adsvc.services.mail import rendering
from adsvc.services.mail.rendering import Letter
from adsvc.services.moderation import suspending
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


# Other ways to object: Regulation (EU) 2022/2065, Articles 20 and 21, and any court.
OUTSIDE = ("disputeSettlement", "court")


def statements_of(rows: Iterable[Row]) -> list[Decision]:
    """Decisions for the account that they concern: without who made them."""
    return [Decision.model_validate(_members(row)) for row in rows]


def for_moderator(row: Row) -> MadeDecision:
    """Without the text of a message: to read that is a look, which the audit trail has."""
    members = dict(_members(row))
    if row["kind"] in ("message", "account"):
        members["excerpt"] = None
    return MadeDecision.model_validate(members)


def _members(row: Row) -> Mapping[str, Any]:
    appeal = None
    if row["appealed_at"] is not None:
        appeal = Appeal(at=row["appealed_at"], text=row["appeal"])
    redress: list[str] = []
    if DecisionAction(row["action"]) in RESTRICTIONS:
        redress = ["appeal", *OUTSIDE] if row["appeal_until"] is not None else [*OUTSIDE]
    return {**row, "appeal": appeal, "redress": redress}


# The most decisions of an author's history that are shown.
LATEST = 50


async def described(db: Statements, case: Row) -> Written:
    """`schemas.moderation.Case`: with its reports, what it is about as it was and as it is,
    and its author's history.
    """
    made = await decisions.of_case(db, case["id"])
    author = None
    if case["author_id"] is not None:
        history, _ = await decisions.of_user(db, case["author_id"], LATEST)
        found = await cases.author(db, case["author_id"])
        author = {**(found or {}), "decisions": [for_moderator(row) for row in history]}
    reports = await cases.reports(db, case["id"])
    reasons = Counter(report["reason"] for report in reports)
    appeals = (row["appeal"] for row in made if row["not_ended"] and row["appeal"] is not None)
    members = {
        **case,
        # The one that waits for a decision.
        "appeal": next(appeals, None),
        "reports": reports,
        "reasons": [reason for reason, _ in reasons.most_common()],
        "current": await cases.current(db, case),
        "author": author,
        "decisions": [for_moderator(row) for row in made],
    }
    text = Case.model_validate(members).model_dump_json(by_alias=True)
    return Written(text, version_of(text.encode()))


async def record_look(database: Database, moderator: CallerAccount, case: Row) -> None:
    """What people wrote to each other is not read without a trace, and not if none can be left."""
    if case["kind"] == CaseKind.MESSAGE:
        async with database.transaction() as transaction:
            event = AuditKind.MESSAGES_READ
            audit.record(transaction, event, actor=moderator.id, target=case["id"])


# The actions for one kind of thing. They need it to exist.
OWN_ACTIONS = {
    CaseKind.AD: {DecisionAction.SUSPEND_AD, DecisionAction.REMOVE_AD},
    CaseKind.COMMENT: {DecisionAction.REMOVE_COMMENT},
    CaseKind.MESSAGE: {DecisionAction.REMOVE_MESSAGE},
    CaseKind.RATING: {DecisionAction.REMOVE_RATING},
}
# Those for any. Dismissing lets a held message through.
COMMON_ACTIONS = {DecisionAction.DISMISS, DecisionAction.SUSPEND_ACCOUNT}
NAMES = {
    CaseKind.AD: "an ad",
    CaseKind.COMMENT: "a comment",
    CaseKind.MESSAGE: "a message",
    CaseKind.RATING: "a rating",
}


def faults_of(sent: Mapping[str, Any]) -> Iterator[Fault]:
    """Faults of the members of `MakeDecision` together."""
    action = sent.get("action")
    if action is None:
        return
    if action != DecisionAction.DISMISS:
        yield from (
            faults.missing().at(f"/{name}")
            for name in ("ground", "explanation")
            if sent.get(name) is None
        )
    if action != DecisionAction.SUSPEND_ACCOUNT and sent.get("days") is not None:
        yield faults.inconsistent("goes with suspendAccount alone").at("/days")


def reasons_of(
    action: str, sent: MakeDecision | DecideAds | Statement | Expulsion, days: int | None = None
) -> Reasons:
    explanation = sent.explanation or ""
    return Reasons(DecisionAction(action), sent.ground, sent.reference, explanation, days)


async def require_competent(db: Statements, actor: CallerAccount, concerned_id: int | None) -> None:
    """`ForbiddenError` for an actor's own affairs, and for a moderator in an administrator's.

    Checked before the body is read, and again when the rows are locked: roles may have changed.
    """
    if actor.id == concerned_id:
        raise errors.OwnCaseError
    roles = await accounts.roles(db, actor.id, concerned_id)
    _require_role(roles.actor, actor.role)
    if roles.concerned is Role.ADMIN and roles.actor is not Role.ADMIN:
        raise errors.AdministratorConcernedError


def _require_role(present: Role | None, needed: Role) -> None:
    """`present` is the role of an account now: it may have changed since the request began."""
    if present is None:
        raise errors.UnauthenticatedError
    if present not in {needed, Role.ADMIN}:
        raise errors.ForbiddenError


async def require_may_undo(db: Statements, actor: CallerAccount, decision: Row) -> None:
    """`ForbiddenError` unless the moderator may undo that decision."""
    if decision["actor_id"] == actor.id:
        raise errors.OwnCaseError
    # No moderator undoes the decision about an appeal against their own decision.
    if decision["final"] and await decisions.was_appealed(db, decision["case_id"], actor.id):
        raise errors.OwnCaseError
    if decision["case_id"] is None and actor.role is not Role.ADMIN:
        # Only administrators suspend without a case, and end such a suspension.
        raise errors.ForbiddenError
    await require_competent(db, actor, decision["user_id"])


def _skip_of(row: Row, actor_id: int, *, hides: bool) -> AdSkip | None:
    """Why the ad of a row of `cases.decision_states` stays as it is; None if it does not."""
    status = row["status"]
    reasons = [
        (status is None, AdSkip.MISSING),
        (row["author_id"] == actor_id, AdSkip.OWN),
        (status not in (SHOWN if hides else (AdStatus.SUSPENDED,)), AdSkip.STATUS),
        (hides and row["case_status"] == CaseStatus.APPEALED, AdSkip.APPEALED),
        (not hides and row["decision_id"] is None, AdSkip.UNDECIDED),
        (not hides and row["is_own"], AdSkip.OWN_DECISION),
    ]
    return next((skip for applies, skip in reasons if applies), None)


@dataclass(frozen=True, slots=True)
class Deciding:
    """Decisions of one moderator, in one transaction."""

    transaction: Transaction
    actor: CallerAccount

    @property
    def _db(self) -> Statements:
        return self.transaction

    async def decide(self, known: Row, reasons: Reasons, expected: Expected) -> MadeDecision:
        """Decides the case that `known` is, as it was read without a lock."""
        db, action, kind = self._db, reasons.action, CaseKind(known["kind"])
        is_author_gone = action is DecisionAction.SUSPEND_ACCOUNT and known["author_id"] is None
        if is_author_gone or action not in COMMON_ACTIONS | OWN_ACTIONS[kind]:
            detail = f"cannot be done to {NAMES[kind]}"
            raise errors.InvalidRequestError(faults.inconsistent(detail).at("/action"))
        if known["status"] == CaseStatus.DECIDED:
            raise errors.CaseDecidedError
        if action is DecisionAction.SUSPEND_ACCOUNT:
            # `prepare` commits by itself, so everything that can refuse the decision is checked
            # first. It hides the ads, which changes the version: the expected one is not compared
            # again under the lock.
            await require_competent(db, self.actor, known["author_id"])
            await self._require_another(known)
            await self._require_seen(known, expected)
            await suspending.prepare(self.transaction, known["author_id"], self.actor.id)
        restores = action is DecisionAction.DISMISS and any(
            row["holds"] and row["action"] == DecisionAction.SUSPEND_ACCOUNT
            for row in await decisions.of_case(db, known["id"])
        )

        case = await self._lock(
            known, action, account=restores or action is DecisionAction.SUSPEND_ACCOUNT
        )
        await self._require_another(case)
        if action is not DecisionAction.SUSPEND_ACCOUNT:
            await self._require_seen(case, expected)

        ended = await decisions.end_replaced(db, [case["id"]], action)
        undone = {
            row["id"]: row["action"]
            for row in ended
            if action is DecisionAction.DISMISS and row["mattered"] and row["action"] != action
        }
        last = max(undone, default=None)
        await cases.set_decided(db, [case["id"]])
        [decision] = await self.record(
            reasons,
            [Subject(case["author_id"], case["id"], last)],
            final=case["status"] == CaseStatus.APPEALED,
            undone=None if last is None else undone[last],
        )
        shown = await self._apply(action, kind, case)
        if restores:
            await suspending.end(self.transaction, case["author_id"], self.actor.id)
        if last is None:
            # The number of reports had hidden the ad.
            letters = [
                rendering.to_account(Letter.AD_SHOWN, ad["author_id"], excerpt=ad["title"])
                for ad in shown
            ]
            await self._send(letters)
        self._announce(kind, [case["target_id"]])
        return for_moderator(decision)

    async def _lock(self, known: Row, action: DecisionAction, *, account: bool) -> Row:
        """Locks the account, if its suspension begins or ends; the thing; the case. Returns the
        case as it is now.
        """
        if account:
            await suspending.lock(self.transaction, known["author_id"])
        there = await self._lock_thing(known)
        case = await cases.lock(self._db, known["id"])
        if case is None:
            raise errors.CaseNotFoundError
        if case["status"] == CaseStatus.DECIDED:
            # Of several decisions at once the first one decides the case.
            raise errors.CaseDecidedError
        if not there and action not in COMMON_ACTIONS:
            raise errors.ThingGoneError
        return case

    async def _apply(self, action: DecisionAction, kind: CaseKind, case: Row) -> Sequence[Row]:
        """Returns the ads that are no longer hidden."""
        db, target_id = self._db, case["target_id"]
        match action:
            case DecisionAction.DISMISS:
                return await self._restore(kind, [target_id])
            case DecisionAction.SUSPEND_AD:
                await self._suspend([target_id])
            case DecisionAction.REMOVE_AD:
                await decisions.hide_ads(db, [target_id], AdStatus.REMOVED, actor_id=self.actor.id)
            case DecisionAction.REMOVE_COMMENT:
                await decisions.remove_comment(db, target_id)
            case DecisionAction.REMOVE_MESSAGE:
                await decisions.remove_message(db, target_id)
            case DecisionAction.REMOVE_RATING:
                await decisions.remove_rating(db, target_id)
            case DecisionAction.SUSPEND_ACCOUNT:
                await suspending.begin(self.transaction, case["author_id"], self.actor.id)
        return []

    async def undo(self, known: Row) -> MadeDecision:
        db, action = self._db, DecisionAction(known["action"])
        if not known["holds"] or action is DecisionAction.RESTORE:
            raise errors.DecisionEndedError
        case = None
        if known["case_id"] is not None:
            case = await cases.get(db, known["case_id"])
        if action is DecisionAction.SUSPEND_ACCOUNT:
            await suspending.lock(self.transaction, known["user_id"])
        if case is None:
            await self._lock_people(known["user_id"])
        else:
            await self._lock_thing(case)
            await cases.lock(db, case["id"])
        current = await decisions.get(db, known["id"])
        if current is None or not current["holds"]:
            raise errors.DecisionEndedError

        [decision] = await self._undo([known["id"]], action)
        if case is not None and action not in (
            DecisionAction.DISMISS,
            DecisionAction.SUSPEND_ACCOUNT,
        ):
            await self._restore(CaseKind(case["kind"]), [case["target_id"]])
        if action is DecisionAction.SUSPEND_ACCOUNT:
            await suspending.end(self.transaction, known["user_id"], self.actor.id)
        if case is not None:
            self._announce(CaseKind(case["kind"]), [case["target_id"]])
        return for_moderator(decision)

    async def decide_ads(
        self, ad_ids: Collection[int], reasons: Reasons, *, dry_run: bool
    ) -> Sequence[AdDecision]:
        """Hides many ads for the same reasons, or shows them again, of an administrator.

        Each ad gets a case and a decision of its own, so that its author gets the reasons and may
        appeal. All are locked as by `decide`: the ads, the accounts, the cases.
        """
        db, action = self._db, reasons.action
        if not dry_run:
            authors = await cases.lock_ads(db, ad_ids)
            await accounts.lock_share(db, self.actor.id, *authors)
            _require_role(
                (await accounts.roles(db, self.actor.id, self.actor.id)).actor, Role.ADMIN
            )
            await cases.lock_of_ads(db, ad_ids)
        hides = action is DecisionAction.SUSPEND_AD
        states = await cases.decision_states(db, ad_ids, self.actor.id)
        skips = {row["id"]: _skip_of(row, self.actor.id, hides=hides) for row in states}
        possible = [row for row in states if skips[row["id"]] is None]
        made: Sequence[Row] = []
        if possible and not dry_run:
            changed = [row["id"] for row in possible]
            if hides:
                opened = await cases.open_of_ads(db, changed)
                await decisions.end_replaced(db, opened.values(), action)
                await cases.set_decided(db, opened.values())
                made = await self.record(
                    reasons, [Subject(row["author_id"], opened[row["id"]]) for row in possible]
                )
                await self._suspend(changed)
            else:
                made = await self._undo(
                    [row["decision_id"] for row in possible], DecisionAction.SUSPEND_AD
                )
                await self._restore(CaseKind.AD, changed)
            self._announce(CaseKind.AD, changed)
        of_ads = {row["target_id"]: row["id"] for row in made}
        return [
            AdDecision(ad=ad, skipped=skip, decision=of_ads.get(ad)) for ad, skip in skips.items()
        ]

    async def record(
        self,
        reasons: Reasons,
        subjects: Collection[Subject],
        *,
        final: bool = False,
        undone: str | None = None,
    ) -> Sequence[Row]:
        """Writes the same decision about each subject, with its audit row and its letter.

        Dismissed reports send none. `undone` is the action of the decisions that these undo.
        """
        made = await decisions.add(self._db, self.actor.id, reasons, subjects, final=final)
        undoes = reasons.action is DecisionAction.RESTORE
        for row in made:
            audit.record(
                self.transaction,
                AuditKind.DECISION_UNDONE if undoes else AuditKind.DECIDED,
                actor=self.actor.id,
                target=row["id"],
                ad_id=row["ad_id"],
                owner_id=row["user_id"],
            )
        action = undone or reasons.action
        if action not in (DecisionAction.DISMISS, DecisionAction.RESTORE):
            concerning = (row for row in made if row["user_id"] is not None)
            await self._send([_about_decision(row, action, undone=undone) for row in concerning])
        return made

    async def _undo(self, decision_ids: Collection[int], action: DecisionAction) -> Sequence[Row]:
        """Undoes decisions in force of that kind."""
        ended = await decisions.end(self._db, decision_ids)
        of_cases = [row["case_id"] for row in ended if row["case_id"] is not None]
        await cases.set_undone(self._db, of_cases, reopens=action is DecisionAction.DISMISS)
        subjects = [Subject(row["user_id"], row["case_id"], row["id"]) for row in ended]
        return await self.record(Reasons(DecisionAction.RESTORE), subjects, undone=action)

    async def _suspend(self, ad_ids: Collection[int]) -> None:
        actor_id = self.actor.id
        hidden = await decisions.hide_ads(self._db, ad_ids, AdStatus.SUSPENDED, actor_id=actor_id)
        self._record_ads(AuditKind.SUSPENDED, hidden)

    def _record_ads(self, event: AuditKind, ads: Collection[Row]) -> None:
        for ad in ads:
            actor_id, ad_id, author_id = self.actor.id, ad["id"], ad["author_id"]
            audit.record(
                self.transaction,
                event,
                actor=actor_id,
                target=ad_id,
                ad_id=ad_id,
                owner_id=author_id,
            )

    async def _restore(self, kind: CaseKind, target_ids: Collection[int]) -> Sequence[Row]:
        """Shows things again. Returns the ads that are no longer hidden."""
        if kind is CaseKind.AD:
            shown = await decisions.show_ads(self._db, target_ids, actor_id=self.actor.id)
            self._record_ads(AuditKind.RESTORED, shown)
            return shown
        restore = {
            CaseKind.COMMENT: decisions.restore_comment,
            CaseKind.MESSAGE: decisions.release_messages,
            CaseKind.RATING: decisions.restore_rating,
        }[kind]
        for target_id in target_ids:
            await restore(self._db, target_id)
        return []

    def _announce(self, kind: CaseKind, target_ids: Iterable[int]) -> None:
        """Only ads are cached."""
        if kind is CaseKind.AD:
            for ad_id in target_ids:
                self.transaction.announce(InvalidationKind.AD, ad_id)

    async def _send(self, letters: Sequence[NewEntry]) -> None:
        if letters:
            await outbox_rows.add(self.transaction, *letters)

    async def _lock_thing(self, case: Row) -> bool:
        """Locks the thing, and returns whether it exists."""
        db, kind = self._db, CaseKind(case["kind"])
        if kind is CaseKind.AD:
            there = await cases.lock_thing(db, kind, case["target_id"])
            await self._lock_people(case["author_id"])
            return there
        if kind is CaseKind.COMMENT:
            await cases.lock_share_ad(db, case["ad_id"])
        await self._lock_people(case["author_id"])
        return await cases.lock_thing(db, kind, case["target_id"])

    async def _lock_people(self, concerned_id: int | None) -> None:
        await accounts.lock_share(self._db, self.actor.id, concerned_id)
        await require_competent(self._db, self.actor, concerned_id)

    async def _require_seen(self, case: Row, expected: Expected) -> None:
        """`PreconditionFailedError` if the thing was changed or reported again since then."""
        if expected.versions is not None:
            expected.require((await described(self._db, case)).version)

    async def _require_another(self, case: Row) -> None:
        """`OwnCaseError` if the moderator made the decision that the appeal is against."""
        if case["status"] == CaseStatus.APPEALED and any(
            row["not_ended"] and row["appealed_at"] and row["actor_id"] == self.actor.id
            for row in await decisions.of_case(self._db, case["id"])
        ):
            raise errors.OwnCaseError


def _about_decision(row: Row, action: str, *, undone: str | None) -> NewEntry:
    until = row["until"]
    return rendering.to_account(
        Letter.DECISION,
        row["user_id"],
        action=action,
        is_undone=undone is not None,
        excerpt=row["excerpt"] or "",
        ground=row["ground"],
        reference=row["reference"],
        explanation=row["explanation"],
        until=until and until.astimezone(UTC).date().isoformat(),
        is_final=row["final"],
        decision=row["id"],
    )


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
