"""Suspends accounts, hides their ads, and shows them again."""

from adsvc.enums import AuditKind
from adsvc.errors import AccountNotFoundError
from adsvc.invalidation import NO_AD, InvalidationKind
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.db.statements import Statements
from adsvc.kit.invalidation import Invalidation
from adsvc.kit.storage import ImageStore
from adsvc.models.accounts import User
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.moderation import accounts
from adsvc.services import audit
from adsvc.services.picture_deletion import move_afterwards

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


async def prepare(transaction: Transaction, user_id: int, actor_id: int) -> None:
    """Hides the ads of an account that has many, before the decision that suspends it.

    It commits by itself and is not rolled back, so check first what may refuse the decision. The
    transaction must only have read so far.
    """
    if await accounts.shown_ads(transaction, user_id) <= MANY:
        return
    # Gives its connection back: PostgreSQL ends a session that is idle in a transaction for long.
    await transaction.rollback()
    database = transaction.database
    hidden = BATCH
    while hidden == BATCH:
        # Each statement is its own transaction, because a deletion of the account locks its ads
        # first.
        await accounts.suspend_provisionally(database.writer, user_id, PROVISIONAL_SECONDS)
        hidden = await accounts.hide_ads_of(database.writer, user_id, actor_id, BATCH)
        database.changes.apply(Invalidation(InvalidationKind.AD, str(NO_AD)))
        database.changes.apply(Invalidation(InvalidationKind.USER, str(user_id)))


async def lock(transaction: Transaction, user_id: int) -> User:
    """Locks the account and its ads in the order of a deletion; or `AccountNotFoundError`."""
    await user_rows.lock_deletion(transaction, user_id)
    user = await user_rows.lock(transaction, user_id)
    if user is None:
        raise AccountNotFoundError
    return user


async def begin(transaction: Transaction, user_id: int, actor_id: int) -> None:
    """Called after the decision, for a locked account: ends its sessions and hides its ads."""
    for session_id in await accounts.begin_suspension(transaction, user_id, actor_id):
        transaction.announce(InvalidationKind.SESSION, session_id)
    audit.record(transaction, AuditKind.SUSPENDED, actor=actor_id, target=user_id, owner_id=user_id)
    _announce_account(transaction, user_id)


async def end(transaction: Transaction, user_id: int, actor_id: int) -> None:
    """Called after the decision was undone, for a locked account.

    Unless another decision still suspends it, its first ads are shown again at once, the rest
    later; and what was removed with the account comes back.
    """
    if await accounts.end_suspension(transaction, user_id):
        event = AuditKind.RESTORED
        audit.record(transaction, event, actor=actor_id, target=user_id, owner_id=user_id)
        await _show_some(transaction, user_id)
        await accounts.restore_content(transaction, user_id)
    _announce_account(transaction, user_id)


def _announce_account(transaction: Transaction, user_id: int) -> None:
    transaction.announce(InvalidationKind.USER, user_id)
    transaction.announce(InvalidationKind.AD, NO_AD)


async def _show_some(db: Statements, user_id: int) -> int:
    """Returns how many ads are shown again."""
    shown = await accounts.show_ads_of(db, user_id, BATCH)
    if shown < BATCH:
        await accounts.forget_suspension(db, user_id)
    return shown


async def show_again(database: Database, store: ImageStore) -> int:
    """Shows the ads of accounts whose suspension is over, a few at a time, and returns how many."""
    total = 0
    ended = await accounts.ended_suspensions(database.reader, BATCH)
    for user_id in ended:
        shown = BATCH
        while shown == BATCH:
            async with database.transaction() as transaction:
                shown = await _show_some(transaction, user_id)
                _announce_account(transaction, user_id)
                move_afterwards(transaction, store)
            total += shown
    return total
