"""Decisions about cases and accounts, their undoing, and what those who decide see.

A decision is one transaction: it locks the account, if its suspension begins or ends, the thing,
and the case; checks; writes the decision with its audit row and its letter; and changes the thing.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from adsvc import errors
from adsvc.enums import AdSkip, AdStatus, AuditKind, CaseKind, CaseStatus, DecisionAction, Role
from adsvc.invalidation import NO_AD, InvalidationKind
from adsvc.kit import faults
from adsvc.kit.db.database import Database, DatabaseSession, Transaction
from adsvc.kit.db.statements import Row, Statements
from adsvc.kit.faults import Fault
from adsvc.kit.invalidation import Invalidation
from adsvc.kit.records import Expected, Written, version_of
from adsvc.kit.storage import ImageStore
from adsvc.models.accounts import User
from adsvc.models.ads import SHOWN
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.accounts import sessions as session_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.moderation import cases, decisions
from adsvc.repositories.moderation.decisions import RESTRICTIONS, Reasons, Subject
from adsvc.repositories.outbox import NewEntry
from adsvc.schemas.console import AdDecision
from adsvc.schemas.moderation import (
    Account,
    Appeal,
    Case,
    Decision,
    ExpelledContent,
    MadeDecision,
)
from adsvc.services import audit
from adsvc.services.mail import rendering
from adsvc.services.mail.rendering import Letter
from adsvc.services.picture_deletion import move_afterwards

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


async def described_case(db: Statements, case: Row) -> Written:
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


async def described_account(session: DatabaseSession, account: Row) -> Account:
    made, _ = await decisions.of_user(session, account["id"], LATEST)
    members = {
        **account,
        "sessions": await session_rows.list_of_user(session, account["id"]),
        "cases": await cases.of_author(session, account["id"], LATEST),
        "decisions": [for_moderator(row) for row in made],
    }
    return Account.model_validate(members)


async def current_account(transaction: Transaction, user_id: int) -> Account:
    row = await user_rows.described(transaction, user_id)
    if row is None:
        # Deleted a moment ago.
        raise errors.AccountNotFoundError
    return await described_account(transaction, row)


# The actions for one kind of thing. They need it to exist.
OWN_ACTIONS = {
    CaseKind.AD: {DecisionAction.SUSPEND_AD, DecisionAction.REMOVE_AD},
    CaseKind.COMMENT: {DecisionAction.REMOVE_COMMENT},
    CaseKind.MESSAGE: {DecisionAction.REMOVE_MESSAGE},
    CaseKind.RATING: {DecisionAction.REMOVE_RATING},
}
# Those for any. Dismissing lets a held message through.
COMMON_ACTIONS = {DecisionAction.DISMISS, DecisionAction.SUSPEND_ACCOUNT}


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


async def require_competent(db: Statements, actor: CallerAccount, concerned_id: int | None) -> None:
    """`ForbiddenError` for an actor's own affairs, and for a moderator in an administrator's.

    Checked before the body is read, and again when the rows are locked: roles may have changed.
    """
    if actor.id == concerned_id:
        raise errors.OwnCaseError
    roles = await user_rows.roles(db, actor.id, concerned_id)
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

    async def decide(self, known: Row, reasons: Reasons, expected: Expected) -> MadeDecision:
        """Decides the case that `known` is, as it was read without a lock."""
        db, action, kind = self.transaction, reasons.action, CaseKind(known["kind"])
        suspends = action is DecisionAction.SUSPEND_ACCOUNT
        dismisses = action is DecisionAction.DISMISS
        is_author_gone = suspends and known["author_id"] is None
        if is_author_gone or action not in COMMON_ACTIONS | OWN_ACTIONS[kind]:
            detail = f"cannot be done to {'an' if kind is CaseKind.AD else 'a'} {kind}"
            raise errors.InvalidRequestError(faults.inconsistent(detail).at("/action"))
        if suspends:
            await self._prepare_suspension(known, expected)

        # Locks: the account, if its suspension begins or ends; the thing; the case.
        ends_suspension = dismisses and any(
            row["holds"] and row["action"] == DecisionAction.SUSPEND_ACCOUNT
            for row in await decisions.of_case(db, known["id"])
        )
        if suspends or ends_suspension:
            await lock_account(db, known["author_id"])
        exists = await self._lock_thing(known)
        case = await cases.lock(db, known["id"])
        if case is None:
            raise errors.CaseNotFoundError
        # Of several decisions at once the first one decides the case.
        await self._require_open(case)
        if not exists and action not in COMMON_ACTIONS:
            raise errors.ThingGoneError
        if not suspends:
            await self._require_seen(case, expected)

        ended = await decisions.end_replaced(db, [case["id"]], action)
        undone = {
            row["id"]: row["action"]
            for row in ended
            if dismisses and row["mattered"] and row["action"] != action
        }
        last = max(undone, default=None)
        await cases.set_decided(db, [case["id"]])
        [decision] = await self._record(
            reasons,
            [Subject(case["author_id"], case["id"], last)],
            final=case["status"] == CaseStatus.APPEALED,
            undone=None if last is None else undone[last],
        )

        shown = await self._apply(action, kind, case)
        if ends_suspension:
            await _end_suspension(db, case["author_id"], self.actor.id)
        self._announce(kind, [case["target_id"]])
        if last is None:
            # The number of reports had hidden the ad.
            letters = [
                rendering.to_account(Letter.AD_SHOWN, ad["author_id"], excerpt=ad["title"])
                for ad in shown
            ]
            await outbox_rows.add(db, *letters)
        return for_moderator(decision)

    async def _prepare_suspension(self, case: Row, expected: Expected) -> None:
        """`prepare_suspension` commits by itself, so what can refuse the decision is checked first.

        It hides the ads, which changes the version: the expected one is not compared again under
        the lock.
        """
        await self._require_open(case)
        await require_competent(self.transaction, self.actor, case["author_id"])
        await self._require_seen(case, expected)
        await prepare_suspension(self.transaction, case["author_id"], self.actor.id)

    async def _apply(self, action: DecisionAction, kind: CaseKind, case: Row) -> Sequence[Row]:
        """Returns the ads that are no longer hidden."""
        db, actor_id, target_id = self.transaction, self.actor.id, case["target_id"]
        match action:
            case DecisionAction.DISMISS:
                return await self._restore(kind, [target_id])
            case DecisionAction.SUSPEND_AD:
                await self._suspend([target_id])
            case DecisionAction.REMOVE_AD:
                await decisions.hide_ads(db, [target_id], AdStatus.REMOVED, actor_id=actor_id)
            case DecisionAction.REMOVE_COMMENT:
                await decisions.remove_comment(db, target_id)
            case DecisionAction.REMOVE_MESSAGE:
                await decisions.remove_message(db, target_id)
            case DecisionAction.REMOVE_RATING:
                await decisions.remove_rating(db, target_id)
            case DecisionAction.SUSPEND_ACCOUNT:
                await _begin_suspension(db, case["author_id"], actor_id)
        return []

    async def undo(self, known: Row) -> MadeDecision:
        db, action, user_id = self.transaction, DecisionAction(known["action"]), known["user_id"]
        suspended = action is DecisionAction.SUSPEND_ACCOUNT
        if not known["holds"] or action is DecisionAction.RESTORE:
            raise errors.DecisionEndedError

        # Locks, in the order of `decide`.
        case = await cases.get(db, known["case_id"]) if known["case_id"] is not None else None
        if suspended:
            await lock_account(db, user_id)
        if case is None:
            await self._lock_people(user_id)
        else:
            await self._lock_thing(case)
            await cases.lock(db, case["id"])
        current = await decisions.get(db, known["id"])
        if current is None or not current["holds"]:
            raise errors.DecisionEndedError

        [decision] = await self._undo([known["id"]], action)
        if suspended:
            await _end_suspension(db, user_id, self.actor.id)
        if case is not None:
            kind, target_ids = CaseKind(case["kind"]), [case["target_id"]]
            if not suspended and action is not DecisionAction.DISMISS:
                await self._restore(kind, target_ids)
            self._announce(kind, target_ids)
        return for_moderator(decision)

    async def decide_ads(
        self, ad_ids: Collection[int], reasons: Reasons, *, dry_run: bool
    ) -> Sequence[AdDecision]:
        """Hides many ads for the same reasons, or shows them again, of an administrator.

        Each ad gets a case and a decision of its own, so that its author gets the reasons and may
        appeal. All are locked as by `decide`: the ads, the accounts, the cases.
        """
        db, action = self.transaction, reasons.action
        if not dry_run:
            authors = await cases.lock_ads(db, ad_ids)
            await user_rows.lock_share(db, self.actor.id, *authors)
            _require_role(
                (await user_rows.roles(db, self.actor.id, self.actor.id)).actor, Role.ADMIN
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
                made = await self._record(
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

    async def suspend(self, user_id: int, reasons: Reasons) -> Account:
        """Suspends an account. It replaces a suspension in force, unless it only repeats that."""
        db = self.transaction
        await require_competent(db, self.actor, user_id)
        await prepare_suspension(db, user_id, self.actor.id)
        await lock_account(db, user_id)
        await require_competent(db, self.actor, user_id)
        if not await decisions.repeats(db, user_id, self.actor.id, reasons):
            await decisions.end_suspensions(db, user_id)
            await self._record(reasons, [Subject(user_id)])
            await _begin_suspension(db, user_id, self.actor.id)
        return await current_account(db, user_id)

    async def expel(self, user_id: int, reasons: Reasons, *, dry_run: bool) -> ExpelledContent:
        """Suspends an account and removes all that it has published. Returns how much there was.

        With `dry_run` nothing changes. The end of the suspension brings everything back.
        """
        await require_competent(self.transaction, self.actor, user_id)
        found = await user_rows.count_content(self.transaction, user_id)
        if not dry_run:
            await self.suspend(user_id, reasons)
            await decisions.remove_content(self.transaction, user_id)
        return ExpelledContent(**found)

    async def restore(self, user_id: int) -> Account:
        db = self.transaction
        await lock_account(db, user_id)
        await require_competent(db, self.actor, user_id)
        if await user_rows.suspension_of(db, user_id) is not None:
            ended = await decisions.end_suspensions(db, user_id)
            last = max((row["id"] for row in ended), default=None)
            await self._record(
                Reasons(DecisionAction.RESTORE),
                [Subject(user_id, undoes_id=last)],
                undone=None if last is None else DecisionAction.SUSPEND_ACCOUNT,
            )
            await _end_suspension(db, user_id, self.actor.id)
        return await current_account(db, user_id)

    async def _record(
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
        made = await decisions.add(self.transaction, self.actor.id, reasons, subjects, final=final)
        undoes = reasons.action is DecisionAction.RESTORE
        event = AuditKind.DECISION_UNDONE if undoes else AuditKind.DECIDED
        for row in made:
            self._audit(event, row["id"], row["ad_id"], row["user_id"])
        action = undone or reasons.action
        if action not in (DecisionAction.DISMISS, DecisionAction.RESTORE):
            letters = [
                _letter(row, action, is_undone=undone is not None)
                for row in made
                if row["user_id"] is not None
            ]
            await outbox_rows.add(self.transaction, *letters)
        return made

    async def _undo(self, decision_ids: Collection[int], action: DecisionAction) -> Sequence[Row]:
        """Undoes decisions in force of that kind."""
        ended = await decisions.end(self.transaction, decision_ids)
        of_cases = [row["case_id"] for row in ended if row["case_id"] is not None]
        await cases.set_undone(self.transaction, of_cases, reopens=action is DecisionAction.DISMISS)
        subjects = [Subject(row["user_id"], row["case_id"], row["id"]) for row in ended]
        return await self._record(Reasons(DecisionAction.RESTORE), subjects, undone=action)

    async def _suspend(self, ad_ids: Collection[int]) -> None:
        db, actor_id = self.transaction, self.actor.id
        hidden = await decisions.hide_ads(db, ad_ids, AdStatus.SUSPENDED, actor_id=actor_id)
        for ad in hidden:
            self._audit(AuditKind.SUSPENDED, ad["id"], ad["id"], ad["author_id"])

    def _audit(
        self, event: AuditKind, target: int, ad_id: int | None, owner_id: int | None
    ) -> None:
        db, actor_id = self.transaction, self.actor.id
        audit.record(db, event, actor=actor_id, target=target, ad_id=ad_id, owner_id=owner_id)

    async def _restore(self, kind: CaseKind, target_ids: Collection[int]) -> Sequence[Row]:
        """Shows things again. Returns the ads that are no longer hidden."""
        if kind is CaseKind.AD:
            shown = await decisions.show_ads(self.transaction, target_ids, actor_id=self.actor.id)
            for ad in shown:
                self._audit(AuditKind.RESTORED, ad["id"], ad["id"], ad["author_id"])
            return shown
        restore = {
            CaseKind.COMMENT: decisions.restore_comment,
            CaseKind.MESSAGE: decisions.release_messages,
            CaseKind.RATING: decisions.restore_rating,
        }[kind]
        for target_id in target_ids:
            await restore(self.transaction, target_id)
        return []

    def _announce(self, kind: CaseKind, target_ids: Iterable[int]) -> None:
        """Only ads are cached."""
        if kind is CaseKind.AD:
            for ad_id in target_ids:
                self.transaction.announce(InvalidationKind.AD, ad_id)

    async def _lock_thing(self, case: Row) -> bool:
        """Locks the thing, and returns whether it exists."""
        db, kind = self.transaction, CaseKind(case["kind"])
        if kind is CaseKind.AD:
            there = await cases.lock_thing(db, kind, case["target_id"])
            await self._lock_people(case["author_id"])
            return there
        if kind is CaseKind.COMMENT:
            await cases.lock_share_ad(db, case["ad_id"])
        await self._lock_people(case["author_id"])
        return await cases.lock_thing(db, kind, case["target_id"])

    async def _lock_people(self, concerned_id: int | None) -> None:
        await user_rows.lock_share(self.transaction, self.actor.id, concerned_id)
        await require_competent(self.transaction, self.actor, concerned_id)

    async def _require_seen(self, case: Row, expected: Expected) -> None:
        """`PreconditionFailedError` if the thing was changed or reported again since then."""
        if expected.versions is not None:
            expected.require((await described_case(self.transaction, case)).version)

    async def _require_open(self, case: Row) -> None:
        """`CaseDecidedError`; `OwnCaseError` for the appeal against the moderator's decision."""
        if case["status"] == CaseStatus.DECIDED:
            raise errors.CaseDecidedError
        if case["status"] == CaseStatus.APPEALED and any(
            row["not_ended"] and row["appealed_at"] and row["actor_id"] == self.actor.id
            for row in await decisions.of_case(self.transaction, case["id"])
        ):
            raise errors.OwnCaseError


def _letter(row: Row, action: str, *, is_undone: bool) -> NewEntry:
    until = row["until"]
    return rendering.to_account(
        Letter.DECISION,
        row["user_id"],
        action=action,
        is_undone=is_undone,
        excerpt=row["excerpt"] or "",
        ground=row["ground"],
        reference=row["reference"],
        explanation=row["explanation"],
        until=until and until.astimezone(UTC).date().isoformat(),
        is_final=row["final"],
        decision=row["id"],
    )


# Ads that one statement shows again. Few, because it also builds their search words.
BATCH = 200

# How often the job looks for suspensions that have ended.
PERIOD_SECONDS = 1.0

# If an account has more ads, they are hidden before the locks of the decision are taken. One
# transaction for all of them would block others who post ads. The account is provisionally
# suspended meanwhile, so that none of its ads appears.
MANY = 1000

# How long a provisional suspension lasts. If the process was killed before the decision, or the
# decision was refused, the ads are shown again then.
PROVISIONAL_SECONDS = 120


async def prepare_suspension(transaction: Transaction, user_id: int, actor_id: int) -> None:
    """Hides the ads of an account that has many, before the decision that suspends it.

    It commits by itself and is not rolled back, so check first what may refuse the decision. The
    transaction must only have read so far.
    """
    if await decisions.shown_ads(transaction, user_id) <= MANY:
        return
    # Gives its connection back: PostgreSQL ends a session that is idle in a transaction for long.
    await transaction.rollback()
    database = transaction.database
    hidden = BATCH
    while hidden == BATCH:
        # Each statement is its own transaction, because a deletion of the account locks its ads
        # first.
        await decisions.suspend_provisionally(database.writer, user_id, PROVISIONAL_SECONDS)
        hidden = await decisions.hide_ads_of(database.writer, user_id, actor_id, BATCH)
        database.changes.apply(Invalidation(InvalidationKind.AD, str(NO_AD)))
        database.changes.apply(Invalidation(InvalidationKind.USER, str(user_id)))


async def lock_account(transaction: Transaction, user_id: int) -> User:
    """Locks the account and its ads in the order of a deletion; or `AccountNotFoundError`."""
    await user_rows.lock_deletion(transaction, user_id)
    user = await user_rows.lock(transaction, user_id)
    if user is None:
        raise errors.AccountNotFoundError
    return user


async def _begin_suspension(transaction: Transaction, user_id: int, actor_id: int) -> None:
    """Called after the decision, for a locked account: ends its sessions and hides its ads."""
    for session_id in await decisions.begin_suspension(transaction, user_id, actor_id):
        transaction.announce(InvalidationKind.SESSION, session_id)
    audit.record(transaction, AuditKind.SUSPENDED, actor=actor_id, target=user_id, owner_id=user_id)
    _announce_account(transaction, user_id)


async def _end_suspension(transaction: Transaction, user_id: int, actor_id: int) -> None:
    """Called after the decision was undone, for a locked account.

    Unless another decision still suspends it, its first ads are shown again at once, the rest
    later; and what was removed with the account comes back.
    """
    if await decisions.end_suspension(transaction, user_id):
        event = AuditKind.RESTORED
        audit.record(transaction, event, actor=actor_id, target=user_id, owner_id=user_id)
        await _show_some(transaction, user_id)
        await decisions.restore_content(transaction, user_id)
    _announce_account(transaction, user_id)


def _announce_account(transaction: Transaction, user_id: int) -> None:
    transaction.announce(InvalidationKind.USER, user_id)
    transaction.announce(InvalidationKind.AD, NO_AD)


async def _show_some(db: Statements, user_id: int) -> int:
    """Returns how many ads are shown again."""
    shown = await decisions.show_ads_of(db, user_id, BATCH)
    if shown < BATCH:
        await decisions.forget_suspension(db, user_id)
    return shown


async def show_again(database: Database, store: ImageStore) -> int:
    """Shows the ads of accounts whose suspension is over, a few at a time, and returns how many."""
    total = 0
    ended = await decisions.ended_suspensions(database.reader, BATCH)
    for user_id in ended:
        shown = BATCH
        while shown == BATCH:
            async with database.transaction() as transaction:
                shown = await _show_some(transaction, user_id)
                _announce_account(transaction, user_id)
                move_afterwards(transaction, store)
            total += shown
    return total
