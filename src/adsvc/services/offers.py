"""Offers: a small machine. There is one open offer a conversation."""

import json
from typing import Any

from adsvc import errors
from adsvc.invalidation import InvalidationKind
from adsvc.kit.db.database import Transaction
from adsvc.kit.db.statements import Row, Statements
from adsvc.kit.versions import ANYTHING
from adsvc.models import AdStatus, Notice, OfferStatus, Party
from adsvc.models.ads import SHOWN
from adsvc.repositories import offers
from adsvc.repositories.accounts.callers import Caller
from adsvc.schemas.conversations import Offer
from adsvc.services.ads.lifecycle import take_step

# What ends an open offer, and who may: whether the party that made it.
STEPS = {
    "accept": (OfferStatus.ACCEPTED, Notice.ACCEPTED, False),
    "decline": (OfferStatus.DECLINED, Notice.DECLINED, False),
    "withdraw": (OfferStatus.WITHDRAWN, Notice.WITHDRAWN, True),
}


def _steps(status: str, *, is_own: bool) -> list[str]:
    """What the party may do to an offer."""
    if status != OfferStatus.OPEN:
        return []
    return [name for name, (_, _, by_its_maker) in STEPS.items() if by_its_maker is is_own]


async def _party(
    db: Statements, user_id: int, conversation_id: int, *, blocked: bool = False
) -> Row:
    """With `blocked` also a party that a block keeps from writing."""
    party = await offers.lock(db, user_id, conversation_id)
    if party is None:
        raise errors.ConversationNotFoundError
    if party["other_id"] is None:
        raise errors.ConversationClosedError
    if party["blocked"] and not blocked:
        raise errors.BlockedError
    return party


async def make(transaction: Transaction, user_id: int, conversation_id: int, price: int) -> Offer:
    """An offer in answer to the other party's declines that one."""
    db = transaction
    party = await _party(db, user_id, conversation_id)
    role, status = party["role"], party["ad_status"]
    if status not in SHOWN:
        raise errors.OfferNotPossibleError(f"The ad is {status or 'deleted'}.", [])
    before = await offers.open_of(db, conversation_id)
    if before is None or (before["held"] and before["by"] != role):
        if role == Party.SELLER:
            raise errors.OfferNotPossibleError("Only the buyer begins with an offer.", [])
    elif before["by"] == role:
        raise errors.OfferNotPossibleError("Your own offer is open.", ["withdraw"])
    else:
        await offers.end(db, before["id"], OfferStatus.DECLINED)
    return _record(
        await offers.record(db, await offers.make(db, conversation_id, user_id, role, price))
    )


async def end(
    transaction: Transaction, user_id: int, offer_id: int, conversation: Row, step: str
) -> Offer:
    """Accepts, declines or withdraws an offer. Accepting reserves the ad."""
    db = transaction
    ad_id, to = conversation["ad_id"], STEPS[step]
    # An ad is locked before its conversations, by deletions of accounts too.
    ad_status = await offers.lock_ad(db, ad_id) if step == "accept" else None
    party = await _party(db, user_id, conversation["id"], blocked=step == "withdraw")
    found = await offers.status(db, offer_id)
    if found is None or (found["held"] and found["by"] != party["role"]):
        raise errors.OfferNotFoundError
    allowed = _steps(found["status"], is_own=found["by"] == party["role"])
    if step not in allowed:
        raise errors.OfferNotPossibleError(f"The offer is {found['status']}.", allowed)
    if step == "accept":
        if ad_status != AdStatus.ACTIVE:
            raise errors.OfferNotPossibleError(f"The ad is {ad_status or 'deleted'}.", ["decline"])
        await offers.reserve(db, ad_id)
        transaction.announce(InvalidationKind.AD, ad_id)
    await offers.end(db, offer_id, to[0])
    # A block lets nothing through, a notice neither.
    if not party["blocked"]:
        await offers.note(db, conversation["id"], user_id, party["role"], to[1], offer_id)
    return _record(await offers.record(db, offer_id))


async def finish(
    transaction: Transaction, caller: Caller, offer_id: int, conversation: Row
) -> Offer:
    """Sells the ad to the buyer for the price of an accepted offer.

    The ad is locked first, as by any sale; only a sale changes an accepted offer.
    """
    db = transaction
    found = await offers.status(db, offer_id)
    if found is None or found["status"] != OfferStatus.ACCEPTED:
        status = "deleted" if found is None else found["status"]
        raise errors.OfferNotPossibleError(f"The offer is {status}.", [])
    if conversation["role"] != Party.SELLER:
        raise errors.OfferNotPossibleError("The seller marks a deal as done.", [])
    if conversation["other_id"] is None:
        raise errors.ConversationClosedError
    ad_id, price, buyer = conversation["ad_id"], found["price"], conversation["other_id"]
    await take_step(transaction, caller, ad_id, "sell", ANYTHING, days=0, price=price, buyer=buyer)
    await offers.end(db, offer_id, OfferStatus.DONE)
    return _record(await offers.record(db, offer_id))


def _record(found: Any) -> Offer:  # noqa: ANN401 - as the driver reads JSON
    return Offer.model_validate(json.loads(found) if isinstance(found, str) else found)
