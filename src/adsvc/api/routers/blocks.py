from fastapi import APIRouter

from adsvc.api.dependencies.bodies import Call, Page
from adsvc.api.dependencies.endpoints import Endpoint
from adsvc.api.input.parameters import OtherUserIdPath, PageQuery
from adsvc.enums import KeyScope
from adsvc.errors import AccountNotFoundError, InvalidRequestError, TooManyError
from adsvc.kit import faults
from adsvc.repositories import blocks
from adsvc.repositories.ads.criteria import EPOCH, MILLISECOND
from adsvc.schemas.conversations import Block, Blocks
from adsvc.services import conversations

router = APIRouter(prefix="/users/me/blocks", tags=["users"])

MOST_BLOCKS = 1000


@Endpoint(
    router,
    "PUT",
    "/{userId}",
    summary="Block an account",
    requires=KeyScope.ACCOUNT_WRITE,
    status=204,
    refused_with=(AccountNotFoundError, TooManyError),
)
async def block_user(call: Call[None], user_id: OtherUserIdPath) -> None:
    """Blocks another account: neither of the two can write to the other, comment on its ads or make
    it an offer; neither sees the other's contact, nor how far the other has read. What was written
    stays. That account is not informed, but sees that it cannot write.

    Any account may that has met the other one: in a conversation, or by an ad or a comment that it
    sees. Others are 404. It may have blocked 1,000. Counts towards the account's limit on changes.
    """
    if user_id == call.user.id:
        raise InvalidRequestError(faults.unknown("is the caller's own").of("userId"))
    await conversations.block(call.transaction, call.user.id, user_id, most=MOST_BLOCKS)


@Endpoint(
    router,
    "DELETE",
    "/{userId}",
    summary="Unblock an account",
    requires=KeyScope.ACCOUNT_WRITE,
    status=204,
)
async def unblock_user(call: Call[None], user_id: OtherUserIdPath) -> None:
    """Removes a block. Without one it changes nothing. Counts towards the account's limit on
    changes.
    """
    await conversations.unblock(call.transaction, call.user.id, user_id)


@Endpoint(
    router,
    "GET",
    "",
    summary="List the accounts that the caller has blocked",
    requires=KeyScope.ACCOUNT_READ,
    own_list=True,
    query=PageQuery,
    response_model=Blocks,
)
async def list_my_blocks(call: Call[None]) -> Page:
    """Returns a page of the accounts that the caller has blocked, the latest first."""
    user_id = call.caller.user_id
    page = call.page(f"blocks {user_id}")
    before = None
    if page.start is not None:
        moment, identifier = map(int, page.start)
        before = EPOCH + moment * MILLISECOND, identifier
    async with call.database.autocommit() as session:
        found, last = await blocks.page(session, user_id, page.limit, before=before)
    records = [Block.model_validate(row) for row in found]
    return Page(records, None if last is None else [records[-1].at, last["id"]])
