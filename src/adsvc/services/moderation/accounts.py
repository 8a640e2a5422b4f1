"""What administrators do with accounts."""

from adsvc.db.database import Transaction
from adsvc.db.engine import DatabaseSession
from adsvc.db.statements import Row
from adsvc.enums import AuditKind
from adsvc.errors import AccountNotFoundError
from adsvc.models.accounts import username_key
from adsvc.repositories import SessionRepository
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.ads.criteria import Key
from adsvc.repositories.moderation.accounts import AccountRepository, SuspensionRepository
from adsvc.repositories.moderation.cases import CaseRepository
from adsvc.repositories.moderation.decisions import DecisionRepository, Reasons
from adsvc.repositories.paging import Paged
from adsvc.schemas.moderation import Account
from adsvc.services import audit
from adsvc.services.moderation import suspending
from adsvc.services.moderation.cases import made_decisions, require_competent

# The most decisions of an account's history that are shown.
LATEST = 50


async def listed(
    session: DatabaseSession, q: str | None, status: str | None, limit: int, *, after: Key | None
) -> Paged[Row]:
    """A page of accounts. `after` is `key_of` the last account before it."""
    accounts = AccountRepository(session)
    if q is None:
        return await accounts.newest(status, limit, before=int(after[0]) if after else None)
    last = str(after[0]) if after else None
    return await accounts.beginning_with(username_key(q), status, limit, after=last)


def key_of(q: str | None, row: Row) -> Key:
    return [row["id"] if q is None else row["username_key"]]


async def described(session: DatabaseSession, account: Row) -> Account:
    made, _ = await DecisionRepository(session).of_user(account["id"], LATEST)
    found = {
        "sessions": await SessionRepository(session).list_of_user(account["id"]),
        "cases": await CaseRepository(session).of_author(account["id"], LATEST),
        "decisions": made_decisions(made),
    }
    return Account.model_validate({**account, **found})


async def suspend(
    transaction: Transaction, actor: CallerAccount, user_id: int, reasons: Reasons
) -> Account:
    """Suspends an account. It replaces a suspension in force, unless it only repeats that."""
    await require_competent(transaction.session, actor, user_id)
    await suspending.prepare(transaction, user_id, actor.id)
    await suspending.lock(transaction, user_id)
    await require_competent(transaction.session, actor, user_id)
    decisions = DecisionRepository(transaction.session)
    if await decisions.repeats(user_id, actor.id, reasons):
        return await current(transaction, user_id)
    event = AuditKind.DECIDED
    decision_id = await decisions.decide_account(user_id, actor.id, reasons, audit.trail(event))
    audit.log_foreign(transaction, event, actor=actor.id, target=decision_id, owner_id=user_id)
    await suspending.begin(transaction, user_id, actor.id)
    return await current(transaction, user_id)


async def restore(transaction: Transaction, actor: CallerAccount, user_id: int) -> Account:
    await suspending.lock(transaction, user_id)
    await require_competent(transaction.session, actor, user_id)
    if await SuspensionRepository(transaction.session).of_account(user_id) is not None:
        event = AuditKind.DECISION_UNDONE
        decision_id = await DecisionRepository(transaction.session).restore_account(
            user_id, actor.id, audit.trail(event)
        )
        audit.log_foreign(transaction, event, actor=actor.id, target=decision_id, owner_id=user_id)
        await suspending.end(transaction, user_id)
    return await current(transaction, user_id)


async def current(transaction: Transaction, user_id: int) -> Account:
    row = await AccountRepository(transaction.session).get(user_id)
    if row is None:
        # Deleted a moment ago.
        raise AccountNotFoundError
    return await described(transaction.session, row)
