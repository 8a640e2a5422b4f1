"""Accounts that are suspended, and their ads."""

from adsvc.db.database import Database, Transaction
from adsvc.errors import AccountNotFoundError
from adsvc.invalidation import NO_AD, Invalidation, Kind
from adsvc.models import Case, CaseKind
from adsvc.repositories import UserRepository
from adsvc.repositories.moderation.accounts import SuspensionRepository

# So many ads are shown again in one statement: to make their words anew takes its time.
BATCH = 200

# How often suspensions that are over are looked for.
PERIOD_SECONDS = 1.0

# An account with more ads is held, and most of them are hidden, before it is suspended: to change
# so many in one transaction would keep others waiting who post ads.
MANY = 1000

# Whoever holds it goes on until then, or was killed: the hold ends, and the ads come back.
HELD_SECONDS = 120


async def prepare(database: Database, user_id: int, actor_id: int) -> None:
    """Before the transaction that suspends the account."""
    async with database.autocommit() as session:
        if await SuspensionRepository(session).shown_ads(user_id) <= MANY:
            return
    hidden = BATCH
    while hidden == BATCH:
        async with database.autocommit() as session:
            # Each is a transaction of its own: who deletes the account locks its ads first.
            suspensions = SuspensionRepository(session)
            await suspensions.hold(user_id, HELD_SECONDS)
            hidden = await suspensions.hide_ads(user_id, actor_id, BATCH)
        database.changes.apply(Invalidation(Kind.AD, str(NO_AD)))
        database.changes.apply(Invalidation(Kind.USER, str(user_id)))


async def lock(transaction: Transaction, user_id: int) -> None:
    """The account with its ads, in the order of whoever deletes one; or `AccountNotFoundError`."""
    users = UserRepository(transaction.session)
    await users.lock_deletion(user_id)
    if await users.lock(user_id) is None:
        raise AccountNotFoundError


async def begin(transaction: Transaction, user_id: int, actor_id: int) -> None:
    """After the decision. Of an account that is locked: its tokens and ads count no more."""
    suspensions = SuspensionRepository(transaction.session)
    for session_id in await suspensions.begin(user_id, actor_id):
        transaction.announce(Kind.SESSION, session_id)
    _announce_account(transaction, user_id)


async def end(transaction: Transaction, user_id: int) -> None:
    """After the decision was undone, of an account that is locked.

    Unless another one holds, the first of its ads are shown again at once, and then the rest.
    """
    suspensions = SuspensionRepository(transaction.session)
    if await suspensions.end(user_id) and await suspensions.show_ads(user_id, BATCH) < BATCH:
        await suspensions.forget(user_id)
    _announce_account(transaction, user_id)


def announce(transaction: Transaction, case: Case) -> None:
    """What a decision about the thing itself may have changed."""
    if case.kind == CaseKind.AD:
        transaction.announce(Kind.AD, case.target_id)


def _announce_account(transaction: Transaction, user_id: int) -> None:
    transaction.announce(Kind.USER, user_id)
    transaction.announce(Kind.AD, NO_AD)


async def show_again(database: Database) -> int:
    """Shows ads of accounts whose suspension is over, a few at a time; how many they were."""
    total = 0
    async with database.autocommit() as session:
        accounts = await SuspensionRepository(session).ended(BATCH)
    for user_id in accounts:
        shown = BATCH
        while shown == BATCH:
            async with database.transaction() as transaction:
                suspensions = SuspensionRepository(transaction.session)
                shown = await suspensions.show_ads(user_id, BATCH)
                if shown < BATCH:
                    await suspensions.forget(user_id)
                transaction.announce(Kind.AD, NO_AD)
                transaction.announce(Kind.USER, user_id)
            total += shown
    return total
