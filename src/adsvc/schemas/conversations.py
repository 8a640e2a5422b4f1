"""Conversations, messages, offers and blocks; deals and their ratings."""

from typing import Annotated

from pydantic import Field

from adsvc import enums
from adsvc.kit.records import (
    TEXT,
    Milliseconds,
    NextCursor,
    OneOf,
    Record,
    may_be_absent,
    moment,
)
from adsvc.schemas.ads import Ad
from adsvc.schemas.base import Bounds, ImagePath, Price, StoredPrice, UpTo

# The largest integer that all clients can represent.
LARGEST_ID = 2**53 - 1

ConversationId = Annotated[int, Field(description="The conversation's id.", examples=[31])]

PartyRole = Annotated[str, OneOf(*enums.Party)]


class CreateMessage(Record):
    """A message to the other party."""

    text: Annotated[str, TEXT, Bounds("message"), Field(examples=["Is the table still there?"])]
    """Text of the message. Line breaks are kept."""


class CreateOffer(Record):
    """A price that the caller offers to the other party."""

    price: Annotated[
        Price,
        Field(
            description="What the caller would pay, or take, in the smallest unit of the site "
            "(`GET /site`). A string of digits is accepted too, as forms send it."
        ),
    ]


class ReadMessages(Record):
    """How far the caller has read."""

    up_to: Annotated[int, Field(strict=True, ge=1, le=LARGEST_ID, examples=[512])]
    """The id of the last message that was read. An earlier one than before changes nothing."""


class Offer(Record):
    """A price that one party has offered to the other."""

    id: Annotated[int, Field(examples=[8])]
    """The offer's id."""
    price: Annotated[StoredPrice, Field(examples=[1350])]
    by: Annotated[PartyRole, Field(examples=["buyer"])]
    """Who has made it."""
    status: Annotated[str, OneOf(*enums.OfferStatus), Field(examples=["open"])]
    """`open` offers wait for an answer. Another offer in answer to one declines it. `done`: it was
    accepted, and the ad sold for it."""
    expires_at: Annotated[Milliseconds, moment("When it expires, if it is open until then")]


class Message(Record):
    """A message of a conversation."""

    id: Annotated[int, Field(examples=[512])]
    """The message's id."""
    conversation: ConversationId
    mine: Annotated[bool, Field(examples=[False])]
    """Whether the caller wrote it."""
    kind: Annotated[str, OneOf(*enums.MessageKind), Field(examples=["text"])]
    """`text`: a party wrote it. `offer`: its `offer` was made. `notice`: something happened, and
    `text` says what."""
    text: Annotated[str, Field(examples=["Is the table still there?"])]
    """The text, with its line breaks. Empty for an offer, and for the receiver of a removed
    message. For a notice `accepted`, `declined` or `withdrawn` (the offer), or `sold` (the ad, to
    the buyer of this conversation)."""
    offer: Offer | None
    """The offer that it is about, as it is now. Null if it is about none."""
    at: Annotated[Milliseconds, moment("When it was written")]
    hints: Annotated[list[Annotated[str, OneOf(*enums.Hint)]], Field(examples=[["link"]])]
    """What its reader should be careful with: it has a link, a mail address, a phone number, an
    account number, the name of a messenger, or asks for money in advance."""
    removed: Annotated[bool, Field(examples=[False])]
    """Whether moderators have removed it. Its author alone still sees the text."""


class Messages(Record):
    """A page of a conversation's messages, the newest first."""

    results: list[Message]
    """The messages of this page."""
    next: NextCursor


class OtherParty(Record):
    """What one sees of the other party of a conversation."""

    id: Annotated[int, Field(examples=[7])]
    """The id of the account."""
    first_name: Annotated[str, Field(examples=["Anna"])]
    """Its first name; may be empty."""
    image: ImagePath | None
    """Path of its avatar. Null if there is none."""
    since: Annotated[Milliseconds, moment("When the account was created")]


class Conversation(Record):
    """A conversation about an ad, as one of its two parties sees it."""

    id: ConversationId
    ad: Ad | None
    """The ad. Null if it was deleted, or the buyer cannot see it any more; one that was sold or has
    expired has its status."""
    title: Annotated[str, Field(examples=["Oak table, seats six"])]
    """Headline of the ad when the conversation began."""
    other: OtherParty | None
    """The other party. Null if that account was deleted, which closes the conversation."""
    role: Annotated[PartyRole, Field(examples=["buyer"])]
    """Which party the caller is."""
    last: Message
    """The newest message."""
    unread: Annotated[int, Field(examples=[1])]
    """How many messages the caller has not read."""
    read_up_to: Annotated[int | None, Field(examples=[509])]
    """The id of the last message that the other party has read. Null if it has read none."""
    offer: Offer | None
    """The open offer. Null if there is none."""
    blocked: Annotated[bool, Field(examples=[False])]
    """Whether one of the two has blocked the other, so that neither can write."""
    updated_at: Annotated[Milliseconds, moment("When the newest message was written")]


class Conversations(Record):
    """A page of the caller's conversations, the one with the newest message first."""

    results: list[Conversation]
    """The conversations of this page."""
    next: NextCursor


class Block(Record):
    """An account that the caller has blocked."""

    id: Annotated[int, Field(examples=[7])]
    """The id of the blocked account."""
    first_name: Annotated[str, Field(examples=["Anna"])]
    """Its first name; may be empty."""
    image: ImagePath | None
    """Path of its avatar. Null if there is none."""
    at: Annotated[Milliseconds, moment("When it was blocked")]


class Blocks(Record):
    """The accounts that the caller has blocked."""

    results: list[Block]
    """The blocked accounts of this page, the latest first."""
    next: NextCursor


class PhoneNumber(Record):
    """The phone number of an ad's author."""

    phone: Annotated[str, Field(examples=["+49 30 1234567"])]
    """The number, as its owner wrote it."""


class ExportedConversation(Record):
    """A conversation of the account, without its messages."""

    id: ConversationId
    ad: Annotated[int, Field(examples=[42])]
    """The id of the ad."""
    title: Annotated[str, Field(examples=["Oak table, seats six"])]
    """Headline of the ad when the conversation began."""
    role: Annotated[PartyRole, Field(examples=["buyer"])]
    """Which party the account is."""
    created_at: Annotated[Milliseconds, moment("When it began")]


class ExportedBlock(Record):
    """An account that the account has blocked."""

    user: Annotated[int, Field(examples=[7])]
    """The id of the blocked account."""
    at: Annotated[Milliseconds, moment("When it was blocked")]


class ExportedContact(Record):
    """An ad whose phone number the account has read."""

    ad: Annotated[int, Field(examples=[42])]
    """The id of the ad."""
    at: Annotated[Milliseconds, moment("When it was first read")]


class ExportedMessage(Message):
    """A message of one of the account's conversations."""


Stars = Annotated[int, Field(ge=1, le=5, strict=True, examples=[5])]


class CreateRating(Record):
    """What a party of a deal says of the other one."""

    stars: Stars
    """From 1 (bad) to 5 (very good)."""
    text: Annotated[
        str, TEXT, Bounds("rating"), may_be_absent, Field(examples=["As described, on time."])
    ] = ""
    """In words. Line breaks are kept."""


class AnswerRating(Record):
    """The answer of the account that a rating is about."""

    text: Annotated[str, TEXT, UpTo("rating", 1), Field(examples=["Thank you, gladly again."])]
    """Text of the answer. Line breaks are kept."""


class DealParty(Record):
    """What one sees of an account that was party of a deal."""

    id: Annotated[int, Field(examples=[7])]
    """The id of the account."""
    first_name: Annotated[str, Field(examples=["Anna"])]
    """Its first name; may be empty."""
    image: ImagePath | None
    """Path of its avatar. Null if there is none."""


class RatingAnswer(Record):
    """The answer to a rating."""

    text: Annotated[str, Field(examples=["Thank you, gladly again."])]
    """Its text, with its line breaks."""
    at: Annotated[Milliseconds, moment("When it was written")]


class Rating(Record):
    """What a party of a deal says of the other one."""

    id: Annotated[int, Field(examples=[14])]
    """The rating's id."""
    deal: Annotated[int, Field(examples=[12])]
    """The id of the deal."""
    stars: Stars
    """From 1 (bad) to 5 (very good)."""
    text: Annotated[str, Field(examples=["As described, on time."])]
    """In words, with their line breaks; may be empty."""
    at: Annotated[Milliseconds, moment("When it was written")]
    by: DealParty | None
    """Who wrote it. Null if the account was deleted or is suspended."""
    role: Annotated[str, OneOf(*enums.Party), Field(examples=["buyer"])]
    """What its author was in the deal."""
    answer: RatingAnswer | None
    """The answer of the account that it is about. Null if there is none."""


class Ratings(Record):
    """A page of the ratings of a seller."""

    results: list[Rating]
    """The newest first."""
    next: NextCursor


class Deal(Record):
    """A deal, as one of its two parties sees it."""

    id: Annotated[int, Field(examples=[12])]
    """The deal's id."""
    ad: Ad | None
    """The ad that was sold. Null if it was deleted or removed."""
    title: Annotated[str, Field(examples=["Oak table, seats six"])]
    """Headline of the ad when it was sold."""
    role: Annotated[str, OneOf(*enums.Party), Field(examples=["seller"])]
    """Which party the caller is."""
    other: DealParty | None
    """The other party. Null if that account was deleted or is suspended."""
    price: Annotated[StoredPrice, Field(description="For what it was sold.", examples=[1350])]
    at: Annotated[Milliseconds, moment("When it was sold")]
    mine: Rating | None
    """The caller's rating of the other party. Null if there is none."""
    theirs: Rating | None
    """The other party's rating of the caller. Null if there is none, or before both have rated or
    the time for it is over."""
    until: Annotated[Milliseconds, moment("Until when the two may rate each other")]


class Deals(Record):
    """A page of the caller's deals."""

    results: list[Deal]
    """The newest first."""
    next: NextCursor
