"""Ratings of deals."""

from adsvc import errors
from adsvc.invalidation import InvalidationKind
from adsvc.kit.db.database import Transaction
from adsvc.kit.db.statements import Row
from adsvc.repositories import deals
from adsvc.schemas.deals import CreateRating, Rating


async def rate(transaction: Transaction, user_id: int, known: Row, sent: CreateRating) -> Rating:
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


async def answer(transaction: Transaction, rating_id: int, text: str) -> Rating:
    if not await deals.answer(transaction, rating_id, text):
        raise errors.AlreadyAnsweredError
    return Rating.model_validate_json(await deals.record(transaction, rating_id))
