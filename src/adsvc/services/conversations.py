"""Conversations: who may write to whom, and how many conversations an account begins."""

import asyncio
from collections.abc import Sequence
from typing import NoReturn

from sqlalchemy.exc import IntegrityError

from adsvc import errors
from adsvc.enums import AdvisoryLock, AuditKind
from adsvc.invalidation import InvalidationKind
from adsvc.kit.bulkheads.buckets import DAY, WEEK
from adsvc.kit.db.database import Database, SingleStatement, Transaction
from adsvc.kit.db.faults import violated_constraint
from adsvc.kit.db.statements import Statements
from adsvc.kit.versions import Written
from adsvc.models import AdStatus
from adsvc.repositories import blocks, message_notices
from adsvc.repositories import conversation_changes as changes
from adsvc.repositories import conversations as conversation_rows
from adsvc.repositories.accounts.callers import Caller
from adsvc.services import access_rules, audit
from adsvc.services.ads import listing
from adsvc.services.development import holds_message
from adsvc.services.rate_limits import Limit, raise_rate_limited
from adsvc.services.scam_hints import digest_of, hints_of
from adsvc.settings import RateLimits, Settings

# The follower of the log by its name.
CONSUMER = "messages"
# How often mails are looked for that are due.
MAILS_SECONDS = 5
# Of each party, in one statement.
MAILS_AT_ONCE = 500


async def require_party(database: Database, caller: Caller, conversation_id: int) -> None:
    """`ConversationNotFoundError` unless the caller is a party."""
    if not await conversation_rows.is_party(database.reader, caller, conversation_id):
        raise errors.ConversationNotFoundError


async def require_received(
    database: Database, caller: Caller, conversation_id: int, message_id: int
) -> None:
    """Raises the reason why the caller has not received this message from the other party."""
    await require_party(database, caller, conversation_id)
    match await conversation_rows.is_received(database.reader, caller, conversation_id, message_id):
        case None:
            raise errors.MessageNotFoundError
        case False:
            raise errors.OwnThingError


async def write_about(
    transaction: Transaction, settings: Settings, caller: Caller, ad_id: int, text: str
) -> Written:
    """Sends a message to the author of an ad, and begins the conversation unless there is one.

    Of many first messages at once one begins it.
    """
    # The first number that may be of a telephone imports the tables of all countries.
    hints = await asyncio.to_thread(hints_of, text)
    found = await changes.about(transaction, ad_id, caller.user_id)
    if found is None:
        raise errors.AdNotFoundError
    if found["author_id"] == caller.user_id:
        raise errors.OwnAdError
    if not found["is_shown"]:
        listing.raise_hidden(AdStatus(found["status"]))
    conversation_id = found["conversation_id"]
    if conversation_id is None:
        receiver_id = found["author_id"]
        conversation_id = await _begin(transaction, settings, caller, ad_id, receiver_id)
    return await _write(transaction, caller, conversation_id, text, hints)


def _limit_at(age: float) -> Limit:
    """For an account of this age, in seconds."""
    if age < DAY:
        return Limit.CONVERSATIONS_FIRST_DAY
    return Limit.CONVERSATIONS_FIRST_WEEK if age < WEEK else Limit.CONVERSATIONS


async def _begin(
    transaction: Transaction, settings: Settings, caller: Caller, ad_id: int, receiver_id: int
) -> int:
    db = transaction
    await changes.lock(db, AdvisoryLock.CONVERSATIONS, caller.user_id)
    found = await changes.about(db, ad_id, caller.user_id)
    if found is not None and found["conversation_id"] is not None:
        # Another request began it a moment ago, and has been counted.
        known: int = found["conversation_id"]
        return known
    if settings.rate_limits is RateLimits.ON:
        age = await changes.age(db, caller.user_id)
        if age is None:
            raise errors.UnauthenticatedError
        factor = access_rules.current.get().of_account(caller.user_id)
        policy = _limit_at(age).policy(settings, factor)
        if wait := await changes.wait(db, caller.user_id, policy.limit):
            raise_rate_limited(transaction, policy, wait)
        if age < WEEK:
            await changes.lock(db, AdvisoryLock.RECEIVERS, receiver_id)
            strangers = Limit.STRANGERS.policy(settings)
            if wait := await changes.wait_of_receiver(db, receiver_id, strangers.limit):
                raise_rate_limited(transaction, strangers, wait)
    try:
        conversation_id = await changes.begin(db, ad_id, caller.user_id)
    except IntegrityError as error:
        _refuse_gone(error)
    if conversation_id is None:
        # Sold or withdrawn a moment ago.
        raise errors.AdNotFoundError
    return conversation_id


def _refuse_gone(error: IntegrityError) -> NoReturn:
    """One of the two accounts was deleted at the same moment."""
    match violated_constraint(error):
        case "fk_conversations_seller_id_users":
            raise errors.AdNotFoundError from error
        case "fk_conversations_buyer_id_users":
            raise errors.UnauthenticatedError from error
    raise error


async def read_phone(transaction: Transaction, user_id: int, ad_id: int) -> str:
    """The number of the ad's author. The account's first read is recorded."""
    found = await changes.read_phone(transaction, ad_id, user_id)
    if found is None:
        raise errors.AdNotFoundError
    if found["blocked"]:
        raise errors.BlockedError
    if not found["phone"]:
        raise errors.NotFoundError("The author of this ad has given no phone number.")
    if found["is_first"]:
        event, owner_id = AuditKind.CONTACT_READ, found["author_id"]
        audit.record(
            transaction, event, actor=user_id, target=ad_id, ad_id=ad_id, owner_id=owner_id
        )
    phone: str = found["phone"]
    return phone


async def block(transaction: Transaction, owner_id: int, user_id: int, *, most: int) -> None:
    """`AccountNotFoundError` for an account that it has not met; `TooManyError`."""
    match await blocks.add(transaction, owner_id, user_id, most):
        case None:
            raise errors.AccountNotFoundError
        case False:
            raise errors.TooManyError(most, "blocked accounts")
    _announce_block(transaction, owner_id, user_id)


async def unblock(transaction: Transaction, owner_id: int, user_id: int) -> None:
    await blocks.remove(transaction, owner_id, user_id)
    _announce_block(transaction, owner_id, user_id)


def _announce_block(transaction: Transaction, *accounts: int) -> None:
    """Each sees other contacts on the other's ads."""
    for account in accounts:
        transaction.announce(InvalidationKind.USER, account)


async def answer(
    statement: SingleStatement, caller: Caller, conversation_id: int, text: str
) -> Written:
    """Sends a message in a conversation that there is, by one statement."""
    hints = await asyncio.to_thread(hints_of, text)
    return await _write(statement, caller, conversation_id, text, hints)


async def _write(
    db: Statements, caller: Caller, conversation_id: int, text: str, hints: Sequence[str]
) -> Written:
    held, digest = holds_message.get(), digest_of(text)
    return await changes.send(db, caller, conversation_id, text, hints, digest, is_held=held)


async def queue_mails(database: Database) -> int:
    """About conversations that have been unread for a while; returns how many there were."""
    total = 0
    while due := await message_notices.queue_mails(database.writer, MAILS_AT_ONCE):
        total += due
    return total
