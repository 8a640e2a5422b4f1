"""Cases: reports, decisions, statements of reasons, appeals, and how long cases are kept."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from adsvc.db.database import Database, Transaction
from adsvc.db.engine import DatabaseSession
from adsvc.db.statements import Row
from adsvc.enums import AdSkip, AuditKind
from adsvc.errors import (
    AdministratorConcernedError,
    AdNotFoundError,
    AppealNotPossibleError,
    CaseDecidedError,
    CaseNotFoundError,
    CommentNotFoundError,
    DecisionEndedError,
    Fault,
    ForbiddenError,
    InvalidRequestError,
    MessageNotFoundError,
    OwnCaseError,
    ThingGoneError,
    UnauthenticatedError,
    faults,
)
from adsvc.invalidation import NO_AD, InvalidationKind
from adsvc.models import AdStatus, CaseKind, CaseStatus, DecisionAction, Report, Role
from adsvc.models import Case as CaseRow
from adsvc.models.ads import SHOWN
from adsvc.repositories import AdRepository, OutboxRepository
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.moderation.accounts import AccountRepository
from adsvc.repositories.moderation.cases import (
    CaseRepository,
    ReportRepository,
    RetentionRepository,
)
from adsvc.repositories.moderation.decisions import RESTRICTIONS, DecisionRepository, Reasons
from adsvc.schemas.console import AdDecision, DecideAds
from adsvc.schemas.moderation import (
    Appeal,
    Case,
    CaseAuthor,
    CreateReport,
    Decision,
    MadeDecision,
    MakeDecision,
    Statement,
)
from adsvc.services import audit
from adsvc.services.mail import rendering
from adsvc.services.mail.rendering import Letter
from adsvc.services.moderation import suspending
from adsvc.settings import Settings
from adsvc.versions import Expected, Written, version_of


class ReportOutcome(NamedTuple):
    report: Report | Mapping[str, Any]
    # False if the account has reported the thing before.
    is_new: bool


NOT_FOUND = {
    CaseKind.AD: AdNotFoundError,
    CaseKind.COMMENT: CommentNotFoundError,
    CaseKind.MESSAGE: MessageNotFoundError,
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
            raise NOT_FOUND[kind]
        return ReportOutcome(before, is_new=False)
    if hides and (hidden := await reports.hide(added.case_id, target_id, threshold)):
        transaction.announce(InvalidationKind.AD, target_id)
        letter = rendering.to_account(Letter.AD_HIDDEN, hidden.author_id, excerpt=hidden.title)
        await OutboxRepository(session).add(letter)
    return ReportOutcome(added.report, is_new=True)


# Other ways to object: Regulation (EU) 2022/2065, Articles 20 and 21, and any court.
OUTSIDE = ("disputeSettlement", "court")


def decisions(rows: Iterable[Row]) -> list[Decision]:
    """Decisions for the account that they concern: without who made them."""
    return [Decision.model_validate(_members(row)) for row in rows]


def made_decisions(rows: Iterable[Row]) -> list[MadeDecision]:
    """For moderators."""
    return [made_decision(row) for row in rows]


def made_decision(row: Row) -> MadeDecision:
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


async def described(session: DatabaseSession, case: CaseRow) -> Written:
    """`schemas.moderation.Case`: with its reports, what it is about as it was and as it is,
    and its author's history.
    """
    cases, decisions = CaseRepository(session), DecisionRepository(session)
    made = await decisions.of_case(case.id)
    history, _ = await decisions.of_user(case.author_id, LATEST)
    author = await _author(cases, history, case.author_id)
    reports = await cases.reports(case.id)
    reasons = Counter(report.reason for report in reports)
    record = Case.model_validate({
        **{name: getattr(case, name) for name in COLUMNS},
        "appeal": _appeal(made),
        "reports": reports,
        "reasons": [reason for reason, _ in reasons.most_common()],
        "current": await cases.current(case),
        "author": author,
        "decisions": made_decisions(made),
    })  # fmt: skip
    text = record.model_dump_json(by_alias=True)
    return Written(text, version_of(text.encode()))


async def record_look(database: Database, moderator: CallerAccount, case: CaseRow) -> None:
    """What people wrote to each other is not read without a trace, and not if none can be left."""
    if case.kind == CaseKind.MESSAGE:
        async with database.transaction() as transaction:
            event = AuditKind.MESSAGES_READ
            audit.record(transaction, event, actor=moderator.id, target=case.id)


COLUMNS = ("id", "status", "kind", "target_id", "ad_id", "snapshot", "created_at")


def _appeal(made: Iterable[Row]) -> str | None:
    """The appeal that waits for a decision."""
    appeals = (row["appeal"] for row in made if row["not_ended"] and row["appeal"] is not None)
    return next(appeals, None)


async def _author(cases: CaseRepository, made: Iterable[Row], user_id: int) -> CaseAuthor:
    found = await cases.author(user_id)
    return CaseAuthor.model_validate({**(found or {}), "decisions": made_decisions(made)})


# The actions for each kind of thing.
ACTIONS = {
    CaseKind.AD: {
        DecisionAction.DISMISS,
        DecisionAction.SUSPEND_AD,
        DecisionAction.REMOVE_AD,
        DecisionAction.SUSPEND_ACCOUNT,
    },
    CaseKind.COMMENT: {
        DecisionAction.DISMISS,
        DecisionAction.REMOVE_COMMENT,
        DecisionAction.SUSPEND_ACCOUNT,
    },
    # Dismissing lets a held message through.
    CaseKind.MESSAGE: {
        DecisionAction.DISMISS,
        DecisionAction.REMOVE_MESSAGE,
        DecisionAction.SUSPEND_ACCOUNT,
    },
}
NAMES = {CaseKind.AD: "an ad", CaseKind.COMMENT: "a comment", CaseKind.MESSAGE: "a message"}

# Actions that need the thing to exist.
NEEDS_THING = {
    DecisionAction.SUSPEND_AD,
    DecisionAction.REMOVE_AD,
    DecisionAction.REMOVE_COMMENT,
    DecisionAction.REMOVE_MESSAGE,
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


def reasons_of(decision: MakeDecision) -> Reasons:
    return Reasons(
        DecisionAction(decision.action),
        decision.ground,
        decision.reference,
        decision.explanation or "",
        decision.days,
    )


def reasons_for_ads(sent: DecideAds) -> Reasons:
    return Reasons(DecisionAction(sent.action), sent.ground, sent.reference, sent.explanation or "")


def suspension_of(statement: Statement) -> Reasons:
    return Reasons(
        DecisionAction.SUSPEND_ACCOUNT,
        statement.ground,
        statement.reference,
        statement.explanation,
        statement.days,
    )


async def require_competent(
    session: DatabaseSession, actor: CallerAccount, concerned_id: int
) -> None:
    """`ForbiddenError` for an actor's own affairs, and for a moderator in an administrator's.

    Checked before the body is read, and again when the rows are locked: roles may have changed.
    """
    if actor.id == concerned_id:
        raise OwnCaseError
    roles = await AccountRepository(session).roles(actor.id, concerned_id)
    if roles.actor is None:
        raise UnauthenticatedError
    if roles.actor not in {actor.role, Role.ADMIN}:
        raise ForbiddenError
    if roles.concerned is Role.ADMIN and roles.actor is not Role.ADMIN:
        raise AdministratorConcernedError


async def require_may_undo(database: Database, actor: CallerAccount, decision: Row) -> None:
    """`ForbiddenError` unless the moderator may undo that decision."""
    if decision["actor_id"] == actor.id:
        raise OwnCaseError
    async with database.autocommit() as session:
        # No moderator undoes the decision about an appeal against their own decision.
        if decision["final"] and await DecisionRepository(session).was_appealed(
            decision["case_id"], actor.id
        ):
            raise OwnCaseError
        if decision["case_id"] is None and actor.role is not Role.ADMIN:
            # Only administrators suspend without a case, and end such a suspension.
            raise ForbiddenError
        await require_competent(session, actor, decision["user_id"])


def _skip_of(row: Row, actor_id: int, *, hides: bool) -> AdSkip | None:
    """Why the ad of a row of `CaseRepository.standing` stays as it is; None if it does not."""
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
    def _decisions(self) -> DecisionRepository:
        return DecisionRepository(self.transaction.session)

    async def decide(self, known: CaseRow, reasons: Reasons, expected: Expected) -> MadeDecision:
        """Decides the case that `known` is, as it was read without a lock.

        Locks in this order: the account, if its suspension begins or ends; the thing; the case.
        Then one statement writes the decision, changes the thing and queues the mail.
        """
        await self._require_possible(known, reasons.action)
        suspends = reasons.action is DecisionAction.SUSPEND_ACCOUNT
        restores = reasons.action is DecisionAction.DISMISS and await self._suspends(known.id)
        if suspends:
            # `prepare` commits by itself, so everything that can refuse the decision is checked
            # first. It hides the ads, which changes the version: the expected one is not compared
            # again under the lock.
            if known.status == CaseStatus.APPEALED:
                await self._require_another(known.id)
            await self._require_seen(known, expected)
            await suspending.prepare(self.transaction, known.author_id, self.actor.id)
        if suspends or restores:
            await suspending.lock(self.transaction, known.author_id)
        there = await self._lock_thing(known)
        case = await self._lock_case(known.id)
        if not there and reasons.action in NEEDS_THING:
            raise ThingGoneError
        is_appeal = case.status == CaseStatus.APPEALED
        if is_appeal:
            await self._require_another(case.id)
        if not suspends:
            await self._require_seen(case, expected)
        made = await self._decisions.decide(
            [case.id], self.actor.id, reasons, audit.trail(AuditKind.DECIDED), final=is_appeal
        )
        if suspends:
            await suspending.begin(self.transaction, case.author_id, self.actor.id)
        elif restores:
            await suspending.end(self.transaction, case.author_id)
        suspending.announce_ad(self.transaction, case)
        return await self._made(made[case.id], AuditKind.DECIDED)

    async def undo(self, decision: Row) -> MadeDecision:
        action = DecisionAction(decision["action"])
        if not decision["holds"] or action is DecisionAction.RESTORE:
            raise DecisionEndedError
        case = None
        if decision["case_id"] is not None:
            case = await CaseRepository(self.transaction.session).get(decision["case_id"])
        if action is DecisionAction.SUSPEND_ACCOUNT:
            await suspending.lock(self.transaction, decision["user_id"])
        if case is None:
            await self._lock_people(decision["user_id"])
        else:
            await self._lock_thing(case)
            await CaseRepository(self.transaction.session).lock(case.id)
        current = await self._decisions.get(decision["id"])
        if current is None or not current["holds"]:
            raise DecisionEndedError
        made = await self._decisions.undo(
            [decision["id"]], action, self.actor.id, audit.trail(AuditKind.DECISION_UNDONE)
        )
        if action is DecisionAction.SUSPEND_ACCOUNT:
            await suspending.end(self.transaction, decision["user_id"])
        if case is not None:
            suspending.announce_ad(self.transaction, case)
        return await self._made(made[decision["case_id"]], AuditKind.DECISION_UNDONE)

    async def decide_ads(
        self, ad_ids: Collection[int], reasons: Reasons, *, dry_run: bool
    ) -> Sequence[AdDecision]:
        """Hides many ads for the same reasons, or shows them again, of an administrator.

        Each ad gets a case and a decision of its own, so that its author gets the reasons and may
        appeal. All are locked as by `decide`: the ads, the accounts, the cases.
        """
        session, cases = self.transaction.session, CaseRepository(self.transaction.session)
        if not dry_run:
            authors = await cases.lock_ads(ad_ids)
            await AccountRepository(session).lock_share(self.actor.id, *authors)
            await self._require_administrator()
            await cases.lock_of_ads(ad_ids)
        hides = reasons.action is DecisionAction.SUSPEND_AD
        rows = await cases.standing(ad_ids, self.actor.id)
        skips = {row["id"]: _skip_of(row, self.actor.id, hides=hides) for row in rows}
        possible = [row for row in rows if skips[row["id"]] is None]
        made: Mapping[int, int] = {}
        if possible and not dry_run:
            made = await (self._hide if hides else self._show)(possible, reasons)
        return [
            AdDecision(ad=ad, skipped=skip, decision=made.get(ad)) for ad, skip in skips.items()
        ]

    async def _hide(self, rows: Iterable[Row], reasons: Reasons) -> Mapping[int, int]:
        opened = await CaseRepository(self.transaction.session).open_of_ads(
            [row["id"] for row in rows]
        )
        trail = audit.trail(AuditKind.DECIDED)
        made = await self._decisions.decide(opened.values(), self.actor.id, reasons, trail)
        return self._announced(rows, opened, made, AuditKind.DECIDED)

    async def _show(self, rows: Iterable[Row], _: Reasons) -> Mapping[int, int]:
        trail = audit.trail(AuditKind.DECISION_UNDONE)
        made = await self._decisions.undo(
            [row["decision_id"] for row in rows], DecisionAction.SUSPEND_AD, self.actor.id, trail
        )
        of_ads = {row["id"]: row["case_id"] for row in rows}
        return self._announced(rows, of_ads, made, AuditKind.DECISION_UNDONE)

    def _announced(
        self,
        rows: Iterable[Row],
        of_ads: Mapping[int, int],
        made: Mapping[int | None, int],
        event: AuditKind,
    ) -> Mapping[int, int]:
        """The decisions by ad."""
        found = {}
        for row in rows:
            found[row["id"]] = decision_id = made[of_ads[row["id"]]]
            self.transaction.announce(InvalidationKind.AD, row["id"])
            audit.log_foreign(
                self.transaction, event, actor=self.actor.id, target=decision_id,
                owner_id=row["author_id"],
            )  # fmt: skip
        return found

    async def _require_administrator(self) -> None:
        """Roles may have changed since the request began."""
        roles = await AccountRepository(self.transaction.session).roles(
            self.actor.id, self.actor.id
        )
        if roles.actor is None:
            raise UnauthenticatedError
        if roles.actor is not Role.ADMIN:
            raise ForbiddenError

    async def _require_possible(self, known: CaseRow, action: DecisionAction) -> None:
        """Checks what is known before anything is locked."""
        if action not in ACTIONS[CaseKind(known.kind)]:
            detail = f"cannot be done to {NAMES[CaseKind(known.kind)]}"
            raise InvalidRequestError(faults.inconsistent(detail).at("/action"))
        await require_competent(self.transaction.session, self.actor, known.author_id)
        if known.status == CaseStatus.DECIDED:
            raise CaseDecidedError

    async def _suspends(self, case_id: int) -> bool:
        """Whether a decision of the case suspends an account."""
        made = await self._decisions.of_case(case_id)
        return any(row["holds"] and row["action"] == DecisionAction.SUSPEND_ACCOUNT for row in made)

    async def _lock_thing(self, case: CaseRow) -> bool:
        """Locks the thing, and returns whether it exists."""
        cases = CaseRepository(self.transaction.session)
        if case.kind == CaseKind.AD:
            ad = await AdRepository(self.transaction.session).lock(case.target_id)
            await self._lock_people(case.author_id)
            return ad is not None
        if case.kind == CaseKind.MESSAGE:
            await self._lock_people(case.author_id)
            return await cases.lock_message(case.target_id)
        await cases.lock_share_ad(case.ad_id)
        await self._lock_people(case.author_id)
        return await cases.lock_comment(case.target_id)

    async def _lock_people(self, concerned_id: int) -> None:
        session = self.transaction.session
        await AccountRepository(session).lock_share(self.actor.id, concerned_id)
        await require_competent(session, self.actor, concerned_id)

    async def _lock_case(self, case_id: int) -> CaseRow:
        """Locks the case. Of several decisions at once the first one decides it."""
        case = await CaseRepository(self.transaction.session).lock(case_id)
        if case is None:
            raise CaseNotFoundError
        if case.status == CaseStatus.DECIDED:
            raise CaseDecidedError
        return case

    async def _require_seen(self, case: CaseRow, expected: Expected) -> None:
        """`PreconditionFailedError` if the thing was changed or reported again since then."""
        if expected.versions is not None:
            expected.require((await described(self.transaction.session, case)).version)

    async def _require_another(self, case_id: int) -> None:
        """`OwnCaseError` if the moderator made the decision that the appeal is against."""
        made = await self._decisions.of_case(case_id)
        appealed = [row for row in made if row["not_ended"] and row["appealed_at"] is not None]
        if any(row["actor_id"] == self.actor.id for row in appealed):
            raise OwnCaseError

    async def _made(self, decision_id: int, event: AuditKind) -> MadeDecision:
        row = await self._decisions.get(decision_id)
        assert row is not None  # noqa: S101 - this transaction has written it
        audit.log_foreign(
            self.transaction, event, actor=self.actor.id, target=decision_id,
            owner_id=row["user_id"],
        )  # fmt: skip
        return made_decision(row)


async def appeal(transaction: Transaction, decision: Row, words: str) -> Decision:
    """The decision with the appeal against it, of whom it concerns. Its case waits for another."""
    made = DecisionRepository(transaction.session)
    if decision["case_id"] is not None:
        await CaseRepository(transaction.session).lock(decision["case_id"])
    if not await made.appeal(decision["id"], decision["user_id"], words):
        raise AppealNotPossibleError
    if decision["case_id"] is None and decision["actor_id"] is not None:
        # No queue has it: administrators find it at the account.
        letter = rendering.to_account(
            Letter.SUSPENSION_APPEALED, decision["actor_id"],
            account=decision["user_id"], appeal=words,
        )  # fmt: skip
        await OutboxRepository(transaction.session).add(letter)
    found = await made.get(decision["id"])
    [record] = decisions([found] if found else [])
    return record


# The most cases of one transaction.
BATCH = 100


async def forget_decided(database: Database, settings: Settings) -> int:
    """Deletes removed ads and comments whose appeal is over, and cases decided long ago.

    Returns how many. The pictures of such ads are queued for deletion with them.
    """
    total, deleted = 0, BATCH
    while deleted == BATCH:
        async with database.transaction() as transaction:
            retention = RetentionRepository(transaction.session)
            counts = [
                await retention.delete_removed_ads(BATCH),
                await retention.delete_removed_comments(BATCH),
                await retention.delete_cases(settings.case_days, BATCH),
                await retention.delete_decisions(settings.case_days, BATCH),
            ]
            if counts[0]:
                transaction.announce(InvalidationKind.AD, NO_AD)
            deleted = max(counts)
        total += sum(counts)
    return total
