"""Conversations: who may write to whom, how many an account begins, their offers, of which one is
open at a time, and the ratings of deals.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import Any, NoReturn

from sqlalchemy.exc import IntegrityError

from adsvc import errors
from adsvc.enums import AdStatus, AdvisoryLock, AuditKind, Notice, OfferStatus, Party
from adsvc.invalidation import InvalidationKind
from adsvc.kit.bulkheads.admission import DAY, WEEK
from adsvc.kit.db.database import Database, SingleStatement, Transaction
from adsvc.kit.db.faults import violated_constraint
from adsvc.kit.db.statements import Row, Statements
from adsvc.kit.records import ANYTHING, Written
from adsvc.models.ads import SHOWN
from adsvc.repositories import conversation_changes as changes
from adsvc.repositories import conversations as conversation_rows
from adsvc.repositories import deals, notices
from adsvc.repositories.accounts.callers import Caller
from adsvc.schemas.conversations import CreateRating, Offer, Rating
from adsvc.services import audit, rate_limits
from adsvc.services.ads import listing
from adsvc.services.ads.lifecycle import take_step
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
        factor = rate_limits.current_rules.get().of_account(caller.user_id)
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
    match await conversation_rows.add_block(transaction, owner_id, user_id, most):
        case None:
            raise errors.AccountNotFoundError
        case False:
            raise errors.TooManyError(most, "blocked accounts")
    _announce_block(transaction, owner_id, user_id)


async def unblock(transaction: Transaction, owner_id: int, user_id: int) -> None:
    await conversation_rows.remove_block(transaction, owner_id, user_id)
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
    while due := await notices.queue_message_mails(database.writer, MAILS_AT_ONCE):
        total += due
    return total


# What ends an open offer, and who may: whether the party that made it.
OFFER_STEPS = {
    "accept": (OfferStatus.ACCEPTED, Notice.ACCEPTED, False),
    "decline": (OfferStatus.DECLINED, Notice.DECLINED, False),
    "withdraw": (OfferStatus.WITHDRAWN, Notice.WITHDRAWN, True),
}


def _offer_steps(status: str, *, is_own: bool) -> list[str]:
    """What the party may do to an offer."""
    if status != OfferStatus.OPEN:
        return []
    return [name for name, (_, _, by_its_maker) in OFFER_STEPS.items() if by_its_maker is is_own]


async def _lock_party(
    db: Statements, user_id: int, conversation_id: int, *, blocked: bool = False
) -> Row:
    """With `blocked` also a party that a block keeps from writing."""
    party = await deals.lock_party(db, user_id, conversation_id)
    if party is None:
        raise errors.ConversationNotFoundError
    if party["other_id"] is None:
        raise errors.ConversationClosedError
    if party["blocked"] and not blocked:
        raise errors.BlockedError
    return party


async def make_offer(
    transaction: Transaction, user_id: int, conversation_id: int, price: int
) -> Offer:
    """An offer in answer to the other party's declines that one."""
    db = transaction
    party = await _lock_party(db, user_id, conversation_id)
    role, status = party["role"], party["ad_status"]
    if status not in SHOWN:
        raise errors.OfferNotPossibleError(f"The ad is {status or 'deleted'}.", [])
    before = await deals.open_offer(db, conversation_id)
    if before is None or (before["held"] and before["by"] != role):
        if role == Party.SELLER:
            raise errors.OfferNotPossibleError("Only the buyer begins with an offer.", [])
    elif before["by"] == role:
        raise errors.OfferNotPossibleError("Your own offer is open.", ["withdraw"])
    else:
        await deals.end_offer(db, before["id"], OfferStatus.DECLINED)
    return _offer_record(
        await deals.offer_record(
            db, await deals.make_offer(db, conversation_id, user_id, role, price)
        )
    )


async def end_offer(
    transaction: Transaction, user_id: int, offer_id: int, conversation: Row, step: str
) -> Offer:
    """Accepts, declines or withdraws an offer. Accepting reserves the ad."""
    db = transaction
    ad_id, to = conversation["ad_id"], OFFER_STEPS[step]
    # An ad is locked before its conversations, by deletions of accounts too.
    ad_status = await deals.lock_ad(db, ad_id) if step == "accept" else None
    party = await _lock_party(db, user_id, conversation["id"], blocked=step == "withdraw")
    found = await deals.offer_status(db, offer_id)
    if found is None or (found["held"] and found["by"] != party["role"]):
        raise errors.OfferNotFoundError
    allowed = _offer_steps(found["status"], is_own=found["by"] == party["role"])
    if step not in allowed:
        raise errors.OfferNotPossibleError(f"The offer is {found['status']}.", allowed)
    if step == "accept":
        if ad_status != AdStatus.ACTIVE:
            raise errors.OfferNotPossibleError(f"The ad is {ad_status or 'deleted'}.", ["decline"])
        await deals.reserve_ad(db, ad_id)
        transaction.announce(InvalidationKind.AD, ad_id)
    await deals.end_offer(db, offer_id, to[0])
    # A block lets nothing through, a notice neither.
    if not party["blocked"]:
        await deals.note_step(db, conversation["id"], user_id, party["role"], to[1], offer_id)
    return _offer_record(await deals.offer_record(db, offer_id))


async def finish_offer(
    transaction: Transaction, caller: Caller, offer_id: int, conversation: Row
) -> Offer:
    """Sells the ad to the buyer for the price of an accepted offer.

    The ad is locked first, as by any sale; only a sale changes an accepted offer.
    """
    db = transaction
    found = await deals.offer_status(db, offer_id)
    if found is None or found["status"] != OfferStatus.ACCEPTED:
        status = "deleted" if found is None else found["status"]
        raise errors.OfferNotPossibleError(f"The offer is {status}.", [])
    if conversation["role"] != Party.SELLER:
        raise errors.OfferNotPossibleError("The seller marks a deal as done.", [])
    if conversation["other_id"] is None:
        raise errors.ConversationClosedError
    ad_id, price, buyer = conversation["ad_id"], found["price"], conversation["other_id"]
    await take_step(transaction, caller, ad_id, "sell", ANYTHING, days=0, price=price, buyer=buyer)
    await deals.end_offer(db, offer_id, OfferStatus.DONE)
    return _offer_record(await deals.offer_record(db, offer_id))


def _offer_record(found: Any) -> Offer:  # noqa: ANN401 - as the driver reads JSON
    return Offer.model_validate(json.loads(found) if isinstance(found, str) else found)


async def rate_deal(
    transaction: Transaction, user_id: int, known: Row, sent: CreateRating
) -> Rating:
    """`known` is the deal as it was read without a lock."""
    deal = await deals.lock(transaction, known, user_id)
    if deal is None:
        raise errors.DealNotFoundError
    if deal["is_over"] or deal["other_id"] is None:
        raise errors.RatingClosedError
    rating_id = await deals.rate(transaction, deal, user_id, sent.stars, sent.text)
    if rating_id is None:
        raise errors.AlreadyRatedError
    for party in (user_id, deal["other_id"]):
        transaction.announce(InvalidationKind.USER, party)
    return Rating.model_validate_json(await deals.record(transaction, rating_id))


async def answer_rating(transaction: Transaction, rating_id: int, text: str) -> Rating:
    if not await deals.answer(transaction, rating_id, text):
        raise errors.AlreadyAnsweredError
    return Rating.model_validate_json(await deals.record(transaction, rating_id))
