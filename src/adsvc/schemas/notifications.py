"""Notifications, and in which ways an account wants them."""

from typing import Annotated, Any

from pydantic import Field

from adsvc import enums
from adsvc.kit.records import (
    MergePatch,
    Milliseconds,
    NextCursor,
    OneOf,
    Record,
    absent,
    may_be_absent,
    moment,
)
from adsvc.schemas.ads import Ad
from adsvc.schemas.base import StoredPrice

MOST_ADS = 12


class PriceChange(Record):
    """A price before and after its change."""

    before: Annotated[StoredPrice, Field(description="The price before.", examples=[1500])]
    after: Annotated[StoredPrice, Field(description="The price after.", examples=[1200])]


class NamedSearch(Record):
    """A saved search."""

    id: Annotated[int, Field(examples=[4])]
    """The search's id."""
    name: Annotated[str | None, Field(examples=["Oak tables"])]
    """Its name."""


class Notification(Record):
    """What happened to something that the caller follows or takes part in."""

    id: Annotated[int, Field(examples=[31])]
    """The notification's id."""
    type: Annotated[str, OneOf(*enums.NotificationType), Field(examples=["priceDropped"])]
    """What happened. `searchMatched`: new ads match a saved search. Of a favorite: `priceDropped`,
    `favoriteReserved`, `favoriteSold`, `favoriteBack` (released, published or renewed again),
    `favoriteEnding` (it expires within 24 hours). `message`, `offer`: somebody wrote. `decision`: a
    moderator has decided about the caller's account, ad or comment. Of an ad of the caller:
    `comment` (somebody has written one), `adEnding` (it expires within three days), `adEnded` (it
    has expired). Of a deal: `rating` (what the other party said is shown), `ratingReminder` (the
    caller can still rate the other party)."""
    at: Annotated[Milliseconds, moment("When it happened")]
    read: Annotated[bool, Field(examples=[False])]
    """Whether the caller has read it."""
    ad: Ad | None
    """The ad that it is about. Null if none, or if it is not to be seen."""
    search: NamedSearch | None
    """The search that it is about; null if none."""
    conversation: Annotated[int | None, Field(examples=[None])]
    """The id of the conversation that it is about."""
    decision: Annotated[int | None, Field(examples=[None])]
    """The id of the decision that it is about."""
    count: Annotated[int | None, Field(examples=[3])]
    """Of `searchMatched`: how many ads match. Null otherwise."""
    ads: Annotated[list[Ad] | None, Field(max_length=MOST_ADS, examples=[None])]
    """Of `searchMatched`: up to 12 of the ads, as far as they are still to be seen. Null otherwise.
    """
    price: PriceChange | None
    """Of `priceDropped`: the price before and after. Null otherwise."""


class Notifications(Record):
    """A page of notifications."""

    unread: Annotated[int, Field(examples=[2])]
    """How many the caller has not read, on all pages."""
    results: list[Notification]
    """The newest first."""
    next: NextCursor


class ReadNotifications(Record):
    """Which notifications were read."""

    up_to: Annotated[int, Field(ge=1, le=2**53 - 1, strict=True, examples=[31])]
    """The id of the newest one that was read. All that are older count as read."""


Endpoint = Annotated[
    str,
    Field(
        max_length=2048,
        description="Where the browser's push service takes messages: `https://`, and public "
        "addresses only.",
        examples=["https://push.example.com/send/dGhlIGJyb3dzZXI"],
    ),
]


class PushKeys(Record):
    """The keys of a browser's subscription, in base64url."""

    p256dh: Annotated[
        str,
        Field(
            alias="p256dh",
            max_length=100,
            examples=[
                (
                    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcx"
                    "aOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
                )
            ],
        ),
    ]
    """Its public key, a point of P-256."""
    auth: Annotated[str, Field(max_length=50, examples=["BTBZMqHH6r4Tts7J_aSIgg"])]
    """Its secret, 16 bytes."""


class PushSubscription(Record):
    """A browser's `PushSubscription.toJSON()`."""

    endpoint: Endpoint
    keys: PushKeys
    """Its keys."""
    expiration_time: Annotated[float | None, Field(examples=[None])] = None
    """When it ends, in milliseconds since 1970-01-01T00:00Z, or null. It is not used: a
    subscription that has ended is forgotten."""


class ExportedPush(Record):
    """A browser that the account gets notifications in, without its address and keys."""

    host: Annotated[str, Field(examples=["push.example.com"])]
    """The host of the browser's push service."""
    at: Annotated[Milliseconds, moment("When the browser was added")]


class PushBrowser(Record):
    """A browser that the caller gets notifications in."""

    id: Annotated[int, Field(examples=[6])]
    """The browser's id."""
    host: Annotated[str, Field(examples=["push.example.com"])]
    """The host of the browser's push service."""
    at: Annotated[Milliseconds, moment("When the browser was added")]
    session: Annotated[int, Field(examples=[17])]
    """The id of the session that added it, with which it ends."""
    current: Annotated[bool, Field(examples=[True])]
    """Whether this request belongs to that session."""


class PushBrowsers(Record):
    """The browsers that the caller gets notifications in."""

    results: Annotated[list[PushBrowser], Field(max_length=10)]
    """All of them, the newest first."""


class ForgetPush(Record):
    """The subscription that is to be forgotten. Other members of it are ignored."""

    endpoint: Endpoint


Site = Annotated[bool, Field(strict=True, description="In `GET /users/me/notifications`.")]
Mail = Annotated[bool, Field(strict=True, description="By mail, to a verified address.")]
Push = Annotated[bool, Field(strict=True, description="By Web Push, to the caller's browsers.")]


class Ways(Record):
    """In which ways an account wants a type of notifications."""

    site: Annotated[Site, Field(examples=[True])]
    mail: Annotated[Mail, Field(examples=[True])]
    push: Annotated[Push, Field(examples=[False])]


Text = Annotated[
    bool,
    Field(
        strict=True,
        description="Whether mails have the text. A text with hints is in none.",
    ),
]


class MessageWays(Ways):
    """In which ways an account wants to hear of messages."""

    text: Annotated[Text, Field(examples=[True])]


class UpdateWays(MergePatch):
    """Changes of the ways for a type."""

    site: Annotated[Site, may_be_absent, Field(examples=[True])] = absent()
    mail: Annotated[Mail, may_be_absent, Field(examples=[False])] = absent()
    push: Annotated[Push, may_be_absent, Field(examples=[True])] = absent()


class UpdateMessageWays(UpdateWays):
    """Changes of the ways for messages."""

    text: Annotated[Text, may_be_absent, Field(examples=[False])] = absent()


def _of(kind: enums.NotificationType) -> Any:  # noqa: ANN401 - as pydantic's own Field
    return Field(description=f"For notifications of the type `{kind}`.")


class Preferences(Record):
    """In which ways the caller wants each type of notifications."""

    search_matched: Annotated[Ways, _of(enums.NotificationType.SEARCH_MATCHED)]
    price_dropped: Annotated[Ways, _of(enums.NotificationType.PRICE_DROPPED)]
    favorite_reserved: Annotated[Ways, _of(enums.NotificationType.FAVORITE_RESERVED)]
    favorite_sold: Annotated[Ways, _of(enums.NotificationType.FAVORITE_SOLD)]
    favorite_back: Annotated[Ways, _of(enums.NotificationType.FAVORITE_BACK)]
    favorite_ending: Annotated[Ways, _of(enums.NotificationType.FAVORITE_ENDING)]
    message: Annotated[MessageWays, _of(enums.NotificationType.MESSAGE)]
    offer: Annotated[Ways, _of(enums.NotificationType.OFFER)]
    decision: Annotated[Ways, _of(enums.NotificationType.DECISION)]
    comment: Annotated[Ways, _of(enums.NotificationType.COMMENT)]
    ad_ending: Annotated[Ways, _of(enums.NotificationType.AD_ENDING)]
    ad_ended: Annotated[Ways, _of(enums.NotificationType.AD_ENDED)]
    rating: Annotated[Ways, _of(enums.NotificationType.RATING)]
    rating_reminder: Annotated[Ways, _of(enums.NotificationType.RATING_REMINDER)]


Changed = Annotated[UpdateWays, may_be_absent]


class UpdatePreferences(MergePatch):
    """Changes of preferences."""

    search_matched: Annotated[Changed, _of(enums.NotificationType.SEARCH_MATCHED)] = absent()
    price_dropped: Annotated[Changed, _of(enums.NotificationType.PRICE_DROPPED)] = absent()
    favorite_reserved: Annotated[Changed, _of(enums.NotificationType.FAVORITE_RESERVED)] = absent()
    favorite_sold: Annotated[Changed, _of(enums.NotificationType.FAVORITE_SOLD)] = absent()
    favorite_back: Annotated[Changed, _of(enums.NotificationType.FAVORITE_BACK)] = absent()
    favorite_ending: Annotated[Changed, _of(enums.NotificationType.FAVORITE_ENDING)] = absent()
    message: Annotated[UpdateMessageWays, may_be_absent, _of(enums.NotificationType.MESSAGE)] = (
        absent()
    )
    offer: Annotated[Changed, _of(enums.NotificationType.OFFER)] = absent()
    decision: Annotated[Changed, _of(enums.NotificationType.DECISION)] = absent()
    comment: Annotated[Changed, _of(enums.NotificationType.COMMENT)] = absent()
    ad_ending: Annotated[Changed, _of(enums.NotificationType.AD_ENDING)] = absent()
    ad_ended: Annotated[Changed, _of(enums.NotificationType.AD_ENDED)] = absent()
    rating: Annotated[Changed, _of(enums.NotificationType.RATING)] = absent()
    rating_reminder: Annotated[Changed, _of(enums.NotificationType.RATING_REMINDER)] = absent()
