"""Conversations, messages, offers and blocks."""

from typing import Annotated

from pydantic import Field

from adsvc import enums
from adsvc.schemas.ads import Ad
from adsvc.schemas.base import (
    TEXT,
    Bounds,
    ImagePath,
    Milliseconds,
    NextCursor,
    OneOf,
    Price,
    Record,
    StoredPrice,
    moment,
)

# The largest integer that all clients can represent.
LARGEST_ID = 2**53 - 1

ConversationId = Annotated[int, Field(description="The conversation's id.", examples=[31])]

PartyRole = Annotated[str, OneOf(*enums.Party)]


class CreateMessage(Record):
    """A message to the other party."""

    text: Annotated[
        str,
        TEXT,
        Bounds("message"),
        Field(
            description="Text of the message. Line breaks are kept.",
            examples=["Is the table still there?"],
        ),
    ]


class CreateOffer(Record):
    """A price that the caller offers to the other party."""

    price: Annotated[
        Price,
        Field(
            description="What the caller would pay, or take, in whole units of the site's currency "
            "(`GET /site`). A string of digits is accepted too, as forms send it."
        ),
    ]


class ReadMessages(Record):
    """How far the caller has read."""

    up_to: Annotated[
        int,
        Field(
            strict=True,
            ge=1,
            le=LARGEST_ID,
            description="The id of the last message that was read. An earlier one than before "
            "changes nothing.",
            examples=[512],
        ),
    ]


class Offer(Record):
    """A price that one party has offered to the other."""

    id: Annotated[int, Field(description="The offer's id.", examples=[8])]
    price: Annotated[StoredPrice, Field(examples=[1350])]
    by: Annotated[PartyRole, Field(description="Who has made it.", examples=["buyer"])]
    status: Annotated[
        str,
        OneOf(*enums.OfferStatus),
        Field(
            description="`open` offers wait for an answer. Another offer in answer to one declines "
            "it.",
            examples=["open"],
        ),
    ]
    expires_at: Annotated[Milliseconds, moment("When it expires, if it is open until then")]


class Message(Record):
    """A message of a conversation."""

    id: Annotated[int, Field(description="The message's id.", examples=[512])]
    conversation: ConversationId
    mine: Annotated[bool, Field(description="Whether the caller wrote it.", examples=[False])]
    kind: Annotated[
        str,
        OneOf(*enums.MessageKind),
        Field(
            description="`text`: a party wrote it. `offer`: its `offer` was made. `notice`: "
            "something happened, and `text` says what.",
            examples=["text"],
        ),
    ]
    text: Annotated[
        str,
        Field(
            description="The text, with its line breaks. Empty for an offer, and for the receiver "
            "of a removed message. For a notice `accepted`, `declined` or `withdrawn` (the offer), "
            "or `sold` (the ad, to the buyer of this conversation).",
            examples=["Is the table still there?"],
        ),
    ]
    offer: Annotated[
        Offer | None,
        Field(description="The offer that it is about, as it is now. Null if it is about none."),
    ]
    at: Annotated[Milliseconds, moment("When it was written")]
    hints: Annotated[
        list[Annotated[str, OneOf(*enums.Hint)]],
        Field(
            description="What its reader should be careful with: it has a link, a mail address, a "
            "phone number, an account number, the name of a messenger, or asks for money in "
            "advance.",
            examples=[["link"]],
        ),
    ]
    removed: Annotated[
        bool,
        Field(
            description="Whether moderators have removed it. Its author alone still sees the text.",
            examples=[False],
        ),
    ]


class Messages(Record):
    """A page of a conversation's messages, the newest first."""

    results: Annotated[list[Message], Field(description="The messages of this page.")]
    next: NextCursor


class OtherParty(Record):
    """What one sees of the other party of a conversation."""

    id: Annotated[int, Field(description="The id of the account.", examples=[7])]
    first_name: Annotated[
        str, Field(description="Its first name; may be empty.", examples=["Anna"])
    ]
    image: Annotated[
        ImagePath | None, Field(description="Path of its avatar. Null if there is none.")
    ]
    since: Annotated[Milliseconds, moment("When the account was created")]


class Conversation(Record):
    """A conversation about an ad, as one of its two parties sees it."""

    id: ConversationId
    ad: Annotated[
        Ad | None,
        Field(
            description="The ad. Null if it was deleted, or the buyer cannot see it any more; one "
            "that was sold or has expired has its status."
        ),
    ]
    title: Annotated[
        str,
        Field(
            description="Headline of the ad when the conversation began.",
            examples=["Oak table, seats six"],
        ),
    ]
    other: Annotated[
        OtherParty | None,
        Field(
            description="The other party. Null if that account was deleted, which closes the "
            "conversation."
        ),
    ]
    role: Annotated[PartyRole, Field(description="Which party the caller is.", examples=["buyer"])]
    last: Annotated[Message, Field(description="The newest message.")]
    unread: Annotated[
        int, Field(description="How many messages the caller has not read.", examples=[1])
    ]
    read_up_to: Annotated[
        int | None,
        Field(
            description="The id of the last message that the other party has read. Null if it has "
            "read none.",
            examples=[509],
        ),
    ]
    offer: Annotated[Offer | None, Field(description="The open offer. Null if there is none.")]
    blocked: Annotated[
        bool,
        Field(
            description="Whether one of the two has blocked the other, so that neither can write.",
            examples=[False],
        ),
    ]
    updated_at: Annotated[Milliseconds, moment("When the newest message was written")]


class Conversations(Record):
    """A page of the caller's conversations, the one with the newest message first."""

    results: Annotated[list[Conversation], Field(description="The conversations of this page.")]
    next: NextCursor


class Block(Record):
    """An account that the caller has blocked."""

    id: Annotated[int, Field(description="The id of the blocked account.", examples=[7])]
    first_name: Annotated[
        str, Field(description="Its first name; may be empty.", examples=["Anna"])
    ]
    image: Annotated[
        ImagePath | None, Field(description="Path of its avatar. Null if there is none.")
    ]
    at: Annotated[Milliseconds, moment("When it was blocked")]


class Blocks(Record):
    """The accounts that the caller has blocked."""

    results: Annotated[list[Block], Field(description="All blocked accounts, the latest first.")]


class PhoneNumber(Record):
    """The phone number of an ad's author."""

    phone: Annotated[
        str, Field(description="The number, as its owner wrote it.", examples=["+49 30 1234567"])
    ]


class ExportedConversation(Record):
    """A conversation of the account, without its messages."""

    id: ConversationId
    ad: Annotated[int, Field(description="The id of the ad.", examples=[42])]
    title: Annotated[
        str,
        Field(
            description="Headline of the ad when the conversation began.",
            examples=["Oak table, seats six"],
        ),
    ]
    role: Annotated[PartyRole, Field(description="Which party the account is.", examples=["buyer"])]
    created_at: Annotated[Milliseconds, moment("When it began")]


class ExportedBlock(Record):
    """An account that the account has blocked."""

    user: Annotated[int, Field(description="The id of the blocked account.", examples=[7])]
    at: Annotated[Milliseconds, moment("When it was blocked")]


class ExportedContact(Record):
    """An ad whose phone number the account has read."""

    ad: Annotated[int, Field(description="The id of the ad.", examples=[42])]
    at: Annotated[Milliseconds, moment("When it was first read")]


class ExportedMessage(Message):
    """A message of one of the account's conversations."""
