"""What administrators do with accounts."""

from adsvc.enums import DecisionAction
from adsvc.errors import AccountNotFoundError
from adsvc.kit.db.database import DatabaseSession, Transaction
from adsvc.kit.db.statements import Paged, Row
from adsvc.models.accounts import username_key
from adsvc.repositories.accounts import sessions as session_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.ads.criteria import Key
from adsvc.repositories.moderation import accounts, cases, decisions
from adsvc.repositories.moderation.decisions import Reasons, Subject
from adsvc.schemas.moderation import Account, ExpelledContent
from adsvc.services.moderation import suspending
from adsvc.services.moderation.cases import LATEST, Deciding, for_moderator, require_competent


async def listed(
    session: DatabaseSession, q: str | None, status: str | None, limit: int, *, after: Key | None
) -> Paged[Row]:
    """A page of accounts. `after` is `key_of` the last account before it."""
    if q is None:
        return await accounts.newest(
            session, status, limit, before=int(after[0]) if after else None
        )
    last = str(after[0]) if after else None
    return await accounts.beginning_with(session, username_key(q), status, limit, after=last)


def key_of(q: str | None, row: Row) -> Key:
    return [row["id"] if q is None else row["username_key"]]


async def described(session: DatabaseSession, account: Row) -> Account:
    made, _ = await decisions.of_user(session, account["id"], LATEST)
    members = {
        **account,
        "sessions": await session_rows.list_of_user(session, account["id"]),
        "cases": await cases.of_author(session, account["id"], LATEST),
        "decisions": [for_moderator(row) for row in made],
    }
    return Account.model_validate(members)


async def suspend(
    transaction: Transaction, actor: CallerAccount, user_id: int, reasons: Reasons
) -> Account:
    """Suspends an account. It replaces a suspension in force, unless it only repeats that."""
    db = transaction
    await require_competent(db, actor, user_id)
    await suspending.prepare(transaction, user_id, actor.id)
    await suspending.lock(transaction, user_id)
    await require_competent(db, actor, user_id)
    if not await decisions.repeats(db, user_id, actor.id, reasons):
        await decisions.end_suspensions(db, user_id)
        await Deciding(transaction, actor).record(reasons, [Subject(user_id)])
        await suspending.begin(transaction, user_id, actor.id)
    return await current(transaction, user_id)


async def expel(
    transaction: Transaction,
    actor: CallerAccount,
    user_id: int,
    reasons: Reasons,
    *,
    dry_run: bool,
) -> ExpelledContent:
    """Suspends an account and removes all that it has published. Returns how much there was.

    With `dry_run` nothing changes. The end of the suspension brings everything back.
    """
    await require_competent(transaction, actor, user_id)
    found = await accounts.count_content(transaction, user_id)
    if not dry_run:
        await suspend(transaction, actor, user_id, reasons)
        await accounts.remove_content(transaction, user_id)
    return ExpelledContent(**found)


async def restore(transaction: Transaction, actor: CallerAccount, user_id: int) -> Account:
    db = transaction
    await suspending.lock(transaction, user_id)
    await require_competent(db, actor, user_id)
    if await accounts.suspension_of(db, user_id) is not None:
        ended = await decisions.end_suspensions(db, user_id)
        last = max((row["id"] for row in ended), default=None)
        await Deciding(transaction, actor).record(
            Reasons(DecisionAction.RESTORE),
            [Subject(user_id, undoes_id=last)],
            undone=None if last is None else DecisionAction.SUSPEND_ACCOUNT,
        )
        await suspending.end(transaction, user_id, actor.id)
    return await current(transaction, user_id)


async def current(transaction: Transaction, user_id: int) -> Account:
    row = await accounts.get(transaction, user_id)
    if row is None:
        # Deleted a moment ago.
        raise AccountNotFoundError
    return await described(transaction, row)
