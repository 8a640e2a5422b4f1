"""Deals, and the ratings that their parties give each other."""

from typing import Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from adsvc import errors
from adsvc.api.app_state import AppState
from adsvc.api.dependencies.access import refuses
from adsvc.api.dependencies.calls import Call, CallerWithAccount, Page
from adsvc.api.dependencies.endpoints import Router
from adsvc.api.finding import count_search
from adsvc.api.input.parameters import (
    LARGEST_SAFE_INTEGER,
    DealIdPath,
    PageQuery,
    RatingIdPath,
    UserIdPath,
    WholeNumber,
)
from adsvc.enums import KeyScope
from adsvc.kit.db.statements import Row
from adsvc.kit.http.messages import PUBLIC
from adsvc.repositories import deals as deal_rows
from adsvc.schemas.conversations import AnswerRating, CreateRating, Deals, Rating, Ratings
from adsvc.services import conversations

own_router = Router("/users/me/deals", tag="ratings")
router = Router("/deals", tag="ratings")
ratings_router = Router("/ratings", tag="ratings")
sellers_router = Router("/sellers", tag="ratings")


class DealsQuery(PageQuery):
    ad: Annotated[int, WholeNumber(1, LARGEST_SAFE_INTEGER)] | SkipJsonSchema[None] = Field(
        None, examples=[42]
    )
    """Only the deal about this ad, by its id."""


@own_router.get(
    "",
    summary="List the caller's deals",
    requires=KeyScope.ACCOUNT_READ,
    own_list=True,
    query=DealsQuery,
    response_model=Deals,
)
async def list_my_deals(call: Call[None]) -> Page:
    """Returns a page of what the caller has sold to a named buyer, or bought, the newest first,
    with the ratings.

    The other party's rating is there once both have rated, or the 14 days for it are over.
    """
    user_id, ad_id = call.caller.user_id, call.query.ad
    page = call.page(f"deals {user_id} {ad_id}")
    found = await deal_rows.page(
        call.database.reader, user_id, page.limit, before=page.before, ad_id=ad_id
    )
    return Page(*found)


@refuses(errors.DealNotFoundError)
async def own_deal(caller: CallerWithAccount, state: AppState, deal_id: DealIdPath) -> Row:
    """A deal of the caller."""
    found = await deal_rows.get(state.database.reader, deal_id, caller.user.id)
    if found is None:
        raise errors.DealNotFoundError
    return found


@router.post(
    "/{dealId}/ratings",
    summary="Rate the other party of a deal",
    requires=KeyScope.ADS_WRITE,
    status=201,
    access=own_deal,
    takes_key=True,
    refused_with=(errors.RatingClosedError, errors.AlreadyRatedError),
)
async def rate_deal(call: Call[CreateRating], deal: Row) -> Rating:
    """Rates the other party of a deal, and returns the rating.

    The two parties may, once each, within 14 days after the sale. Nobody else sees a rating until
    both are in or that time is over. Counts towards the account's limit on changes.
    """
    return await conversations.rate_deal(call.transaction, call.user.id, deal, call.content)


@sellers_router.get(
    "/{id}/ratings",
    summary="List the ratings of a seller",
    anonymous=True,
    caching=PUBLIC,
    query=PageQuery,
    response_model=Ratings,
    refused_with=(errors.AccountNotFoundError, errors.RateLimitedError, errors.CursorExpiredError),
)
async def list_ratings(call: Call[None], user_id: UserIdPath) -> Page:
    """Returns a page of what others have said of an account after a deal, the newest first.

    Anyone may call it; it counts as a search towards the limit by address.
    """
    count_search(call.state, call.request.scope)
    page = call.page(f"ratings {user_id}")
    found = await deal_rows.ratings(call.database.reader, user_id, page.limit, before=page.before)
    if found is None:
        raise errors.AccountNotFoundError
    return Page(*found)


@refuses(errors.RatingNotFoundError)
async def received_rating(
    caller: CallerWithAccount, state: AppState, rating_id: RatingIdPath
) -> int:
    """The id of a rating that is shown and about the caller."""
    found = await deal_rows.shown_rating(state.database.reader, rating_id)
    if found is None or found["rated_id"] != caller.user.id:
        raise errors.RatingNotFoundError
    return rating_id


@ratings_router.post(
    "/{id}/answer",
    summary="Answer a rating",
    requires=KeyScope.ADS_WRITE,
    access=received_rating,
    refused_with=(errors.AlreadyAnsweredError,),
)
async def answer_rating(call: Call[AnswerRating], rating_id: int) -> Rating:
    """Answers a rating of the caller, and returns the rating. Everyone sees the answer.

    The account that it is about may, once. Counts towards the account's limit on changes.
    """
    return await conversations.answer_rating(call.transaction, rating_id, call.content.text)
