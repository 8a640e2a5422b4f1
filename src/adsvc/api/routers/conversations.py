"""Conversations between the buyers and the seller of an ad."""

from functools import partial
from typing import Annotated, NamedTuple

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from adsvc import errors
from adsvc.api.app_state import AppState
from adsvc.api.dependencies.access import refuses, shown_ad
from adsvc.api.dependencies.calls import AnyCaller, Call, CallerWithAccount, Json, Page
from adsvc.api.dependencies.endpoints import Endpoint, Router
from adsvc.api.input.parameters import (
    LARGEST_SAFE_INTEGER,
    AdIdPath,
    ConversationIdPath,
    OfferIdPath,
    OtherUserIdPath,
    PageQuery,
    WholeNumber,
)
from adsvc.enums import Feature, KeyScope, Role
from adsvc.errors import AccountNotFoundError, InvalidRequestError, TooManyError
from adsvc.kit import faults
from adsvc.kit.bulkheads.admission import Client
from adsvc.kit.db.statements import Row
from adsvc.kit.records import Written
from adsvc.models.ads import Ad
from adsvc.repositories import conversation_changes
from adsvc.repositories import conversations as conversation_rows
from adsvc.repositories.ads.criteria import EPOCH, MILLISECOND
from adsvc.repositories.deals import conversation_by_offer
from adsvc.schemas.conversations import (
    Block,
    Blocks,
    Conversation,
    Conversations,
    CreateMessage,
    CreateOffer,
    Message,
    Messages,
    Offer,
    PhoneNumber,
    ReadMessages,
)
from adsvc.services import conversations
from adsvc.services.rate_limits import Limit
from adsvc.settings import MailRequired

ad_router = Router("/ads/{id:ad_id}", tag="conversations", requires=KeyScope.MESSAGES_WRITE)
router = Router(
    "/conversations",
    tag="conversations",
    requires=KeyScope.MESSAGES_WRITE,
    reads=KeyScope.MESSAGES_READ,
)

TEXT = Json(CreateMessage, in_quota=True)


@refuses(errors.AdNotFoundError, errors.AdGoneError, errors.OwnAdError)
async def ad_of_another(caller: CallerWithAccount, state: AppState, ad_id: AdIdPath) -> Ad:
    """An ad that the caller sees, and that another account has posted."""
    ad = await shown_ad(caller, state, ad_id)
    if ad.author_id == caller.user.id:
        raise errors.OwnAdError
    return ad


@refuses(errors.ConversationNotFoundError)
async def own_conversation(
    caller: AnyCaller, state: AppState, conversation_id: ConversationIdPath
) -> None:
    """A conversation of the caller: to all others it is as if it did not exist."""
    await conversations.require_party(state.database, caller, conversation_id)


write_message = partial(
    Endpoint,
    requires=KeyScope.MESSAGES_WRITE,
    status=201,
    response_model=Message,
    body=TEXT,
    needs_mail=MailRequired.CONTACT,
    takes_key=True,
    limit=Limit.MESSAGES,
)


@write_message(
    ad_router,
    "POST",
    "/messages",
    summary="Write to the author of an ad",
    features=(Feature.CONVERSATIONS,),
    access=ad_of_another,
    refused_with=(errors.BlockedError,),
)
async def write_about_ad(call: Call[CreateMessage], ad: Ad) -> Written:
    """Sends a message to the author of an ad, and returns it. It begins the conversation between
    the caller and the author about this ad, or goes on with it.

    Every account that sees the ad may, except its author; some sites require a confirmed mail
    address. An account begins few conversations within 24 hours while it is young, and more later;
    all young accounts together begin few with one author. Messages are limited by account, and
    count towards what its texts may use.
    """
    # Those who write to one author at the same moment wait for each other, without a connection.
    receiver = Client.of(ad.author_id, call.address)
    turn = call.state.receivers.share(receiver)
    await call.stack.enter_async_context(turn)
    return await conversations.write_about(
        call.transaction, call.state.settings, call.caller, ad.id, call.content.text
    )


@ad_router.post(
    "/phone",
    summary="Read the phone number of an ad's author",
    features=(Feature.PHONE,),
    needs_mail=MailRequired.CONTACT,
    access=ad_of_another,
    refused_with=(errors.BlockedError,),
)
async def read_phone(call: Call[None], ad: Ad) -> PhoneNumber:
    """Returns the phone number of an ad's author, and writes down who has read it.

    Every account that sees the ad may, except its author; some sites require a confirmed mail
    address. Without a number, it is 404. Counts as a read of the ad, whose contact it is part of,
    and towards the account's limit on changes.
    """
    if call.state.ad_reads.enabled and call.user.role is not Role.ADMIN:
        await call.state.ad_reads.require(call.user.id, ad.id)
    call.headers["Cache-Control"] = "no-store"
    phone = await conversations.read_phone(call.transaction, call.user.id, ad.id)
    return PhoneNumber(phone=phone)


class ConversationsQuery(PageQuery):
    unread: Annotated[bool | SkipJsonSchema[None], Field(examples=[True])] = None
    """`true`: only those with messages that the caller has not read."""
    ad: Annotated[
        Annotated[int, WholeNumber(1, LARGEST_SAFE_INTEGER)] | SkipJsonSchema[None],
        Field(examples=[42]),
    ] = None
    """Only those about this ad."""


@router.get(
    "",
    summary="List the caller's conversations",
    features=(Feature.CONVERSATIONS,),
    own_list=True,
    query=ConversationsQuery,
    compressible=False,
    response_model=Conversations,
)
async def list_conversations(call: Call[None]) -> Page:
    """Returns a page of the caller's conversations, as buyer and as seller, the one with the newest
    message first. Those that the caller has hidden are not among them.
    """
    query: ConversationsQuery = call.query
    page = call.page(f"conversations {call.caller.user_id} {query.filters}")
    found = await conversation_rows.page(
        call.database.reader,
        call.caller,
        page.limit,
        before=page.before,
        unread=bool(query.unread),
        ad_id=query.ad,
    )
    return Page(found.records, found.last)


@router.get(
    "/{id}",
    summary="Get a conversation",
    features=(Feature.CONVERSATIONS,),
    refused_with=(errors.ConversationNotFoundError,),
    response_model=Conversation,
)
async def get_conversation(call: Call[None], conversation_id: ConversationIdPath) -> str:
    """Returns a conversation, also one that the caller has hidden. Its two parties may."""
    record = await conversation_rows.get(call.database.reader, call.caller, conversation_id)
    if record is None:
        raise errors.ConversationNotFoundError
    return record


@router.get(
    "/{id}/messages",
    summary="List the messages of a conversation",
    features=(Feature.CONVERSATIONS,),
    own_list=True,
    query=PageQuery,
    compressible=False,
    refused_with=(errors.ConversationNotFoundError,),
    response_model=Messages,
)
async def list_messages(call: Call[None], conversation_id: ConversationIdPath) -> Page:
    """Returns a page of a conversation's messages, the newest first. Its two parties may.

    Reading them does not mark them as read.
    """
    caller = call.caller
    page = call.page(f"messages {caller.user_id} {conversation_id}")
    found = await conversation_rows.messages(
        call.database.reader, caller, conversation_id, page.limit, before=page.before
    )
    if found is None:
        raise errors.ConversationNotFoundError
    return Page(found.records, found.last)


@write_message(
    router,
    "POST",
    "/{id}/messages",
    summary="Write to the other party",
    features=(Feature.CONVERSATIONS,),
    access=own_conversation,
    one_statement=True,
    refused_with=(errors.BlockedError, errors.ConversationClosedError),
)
async def send_message(call: Call[CreateMessage], conversation_id: int) -> Written:
    """Sends a message to the other party, and returns it. For that party a hidden conversation is
    listed again.

    The two parties may, whatever has become of the ad; some sites require a confirmed mail address.
    Messages are limited by account, and count towards what its texts may use.
    """
    return await conversations.answer(
        call.statement, call.caller, conversation_id, call.content.text
    )


write_offer = partial(
    Endpoint,
    requires=KeyScope.MESSAGES_WRITE,
    response_model=Offer,
    needs_mail=MailRequired.CONTACT,
    takes_key=True,
    limit=Limit.MESSAGES,
    refused_with=(
        errors.BlockedError,
        errors.ConversationClosedError,
        errors.OfferNotPossibleError,
    ),
)


@refuses(errors.ConversationNotFoundError)
async def conversation_of_offer(
    caller: AnyCaller, state: AppState, conversation_id: ConversationIdPath
) -> int:
    """The id of a conversation of the caller."""
    await conversations.require_party(state.database, caller, conversation_id)
    return conversation_id


@write_offer(
    router,
    "POST",
    "/{id}/offers",
    summary="Make an offer",
    features=(Feature.CONVERSATIONS, Feature.OFFERS),
    status=201,
    body=Json(CreateOffer, adds_text=False),
    access=conversation_of_offer,
)
async def make_offer(call: Call[CreateOffer], conversation_id: int) -> Offer:
    """Offers a price to the other party, and returns the offer. It is open for 48 hours. One in
    answer to the other party's open offer declines that one.

    The buyer may, and the seller in answer, while the ad is shown; one offer of a conversation is
    open (409). Counts towards the account's limit on messages.
    """
    price = call.content.price
    return await conversations.make_offer(call.transaction, call.user.id, conversation_id, price)


class OwnOffer(NamedTuple):
    id: int
    conversation: Row


@refuses(errors.OfferNotFoundError)
async def own_offer(caller: CallerWithAccount, state: AppState, offer_id: OfferIdPath) -> OwnOffer:
    """An offer in a conversation of the caller."""
    found = await conversation_by_offer(state.database.reader, caller.user.id, offer_id)
    if found is None:
        raise errors.OfferNotFoundError
    return OwnOffer(offer_id, found)


offers_router = Router("/offers", tag="conversations", requires=KeyScope.MESSAGES_WRITE)


def _add_step(step: str, summary: str, description: str) -> None:
    async def take(call: Call[None], offer: OwnOffer) -> Offer:
        return await conversations.end_offer(
            call.transaction, call.user.id, offer.id, offer.conversation, step
        )

    take.__doc__ = (
        f"{description} Returns the offer. If it is not open, or the caller may not, it is refused "
        "with 409. Counts towards the account's limit on messages."
    )
    write_offer(
        offers_router,
        "POST",
        f"/{{id}}/{step}",
        operation_id=f"{step}Offer",
        summary=summary,
        # What one has offered can be taken back.
        features=() if step == "withdraw" else (Feature.CONVERSATIONS, Feature.OFFERS),
        access=own_offer,
    )(take)


_add_step(
    "accept",
    "Accept an offer",
    "Accepts the other party's open offer, and reserves the ad, which must be active.",
)
_add_step("decline", "Decline an offer", "Declines the other party's open offer.")
_add_step("withdraw", "Withdraw an offer", "Takes the caller's own open offer back.")


@write_offer(
    offers_router,
    "POST",
    "/{id}/done",
    operation_id="finishOffer",
    summary="Mark a deal as done",
    access=own_offer,
    features=(Feature.CONVERSATIONS, Feature.OFFERS),
    refused_with=(
        errors.AdNotFoundError,
        errors.ConversationClosedError,
        errors.IllegalTransitionError,
        errors.OfferNotPossibleError,
    ),
)
async def finish_offer(call: Call[None], offer: OwnOffer) -> Offer:
    """Sells the ad to the buyer for the price of an accepted offer, and returns the offer. Both can
    then rate each other.

    The seller may; the ad must be active or reserved (409). Counts towards the account's limit on
    messages.
    """
    return await conversations.finish_offer(
        call.transaction, call.caller, offer.id, offer.conversation
    )


change = partial(Endpoint, requires=KeyScope.MESSAGES_WRITE, access=own_conversation)


@change(
    router,
    "POST",
    "/{id}/read",
    summary="Mark messages as read",
    features=(Feature.CONVERSATIONS,),
    body=Json(ReadMessages, adds_text=False),
)
async def read_messages(call: Call[ReadMessages], conversation_id: int) -> None:
    """Marks the messages up to one of them as read by the caller, which the other party sees. What
    was read stays read.

    The two parties may. Counts towards the account's limit on changes.
    """
    await conversation_changes.mark_read(
        call.transaction, call.user.id, conversation_id, call.content.up_to
    )


@change(router, "POST", "/{id}/hide", summary="Hide a conversation")
async def hide_conversation(call: Call[None], conversation_id: int) -> None:
    """Takes a conversation out of the caller's list until its next message. The other party does
    not notice.

    The two parties may. Counts towards the account's limit on changes.
    """
    await conversation_changes.hide(call.transaction, call.user.id, conversation_id)


blocks_router = Router(
    "/users/me/blocks", tag="users", requires=KeyScope.ACCOUNT_WRITE, reads=KeyScope.ACCOUNT_READ
)

MOST_BLOCKS = 1000


@blocks_router.put(
    "/{userId}",
    summary="Block an account",
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


@blocks_router.delete(
    "/{userId}",
    summary="Unblock an account",
)
async def unblock_user(call: Call[None], user_id: OtherUserIdPath) -> None:
    """Removes a block. Without one it changes nothing. Counts towards the account's limit on
    changes.
    """
    await conversations.unblock(call.transaction, call.user.id, user_id)


@blocks_router.get(
    "",
    summary="List the accounts that the caller has blocked",
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
        found, last = await conversation_rows.blocked_accounts(
            session, user_id, page.limit, before=before
        )
    records = [Block.model_validate(row) for row in found]
    return Page(records, None if last is None else [records[-1].at, last["id"]])
