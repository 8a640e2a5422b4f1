"""The log of events, and the webhooks that receive it."""

import json
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from adsvc import enums
from adsvc.enums import EventType
from adsvc.kit import faults
from adsvc.kit.records import (
    LINE,
    CreatedAt,
    MergePatch,
    Milliseconds,
    NextCursor,
    OneOf,
    Record,
    absent,
    may_be_absent,
    moment,
    refused,
)

EventTypeName = Annotated[
    str, OneOf(*EventType), Field(description="What happened.", examples=["ad.priceChanged"])
]


def _parsed(value: object) -> object:
    return json.loads(value) if isinstance(value, str) else value


class Event(Record):
    """Something that happened. What it is about is read by the ids; it has no text of anybody."""

    id: Annotated[int, Field(examples=[4711])]
    """Ascending in the order of commits, without gaps."""
    type: EventTypeName
    at: Annotated[Milliseconds, moment("When it happened")]
    ad: Annotated[int | None, Field(validation_alias="ad_id", examples=[42])]
    """The ad that it is about."""
    user: Annotated[int | None, Field(validation_alias="user_id", examples=[7])]
    """Whose thing it is: the author of the ad or comment, or the account."""
    data: Annotated[
        dict[str, Any], BeforeValidator(_parsed), Field(examples=[{"from": 12000, "to": 9900}])
    ]
    """`from` and `to` of a status or price (`to` is null if the price is on request), `status` of
    a new ad, `externalId` of an ad that has one, the ids `comment`, `case`, `decision`, `rating`
    and `deal`, the `action` of a decision, and the ids of the account's `searches` that an ad has
    come to match."""


class Events(Record):
    """A part of the log of events, in order."""

    results: list[Event]
    """The events."""
    next: Annotated[str, Field(examples=["dGhpcyBpcyBub3QgYSBjdXJzb3I"])]
    """Send this as `after` to go on. It is always there."""


DESCRIPTION_MAX_LENGTH = 200
URL_MAX_LENGTH = 2048
# The end of the year 9999.
LATEST = 253_402_300_799_999


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise refused(faults.wrong_format("must not contain NUL"))
    return text


Url = Annotated[
    str,
    AfterValidator(_without_nul),
    Field(
        max_length=URL_MAX_LENGTH,
        description="Where events are sent: `https://`, and public addresses only. The operator "
        "may have allowed other networks, where `http://` works too.",
        examples=["https://shop.example.com/hooks/ads"],
    ),
]

Types = Annotated[
    list[Annotated[str, OneOf(*enums.EventType)]],
    Field(
        min_length=1,
        max_length=len(enums.EventType),
        description="The types of events that are sent. To an account: those of its own ads, and "
        "those of conversations in which the other party has written. `searchMatched`: an ad has "
        "come to match a saved search. Only accounts are sent it.",
        examples=[["ad.created", "ad.sold"]],
    ),
]

Description = Annotated[
    str,
    LINE,
    Field(
        max_length=DESCRIPTION_MAX_LENGTH,
        description="What the webhook is for.",
        examples=["Stock of the shop"],
    ),
]

Enabled = Annotated[
    bool, Field(description="Whether events are sent.", examples=[True], strict=True)
]


DisabledReason = Annotated[
    Annotated[str, OneOf(*enums.DisabledReason)] | None,
    Field(
        description="Why nothing is sent; null while it is enabled. `requested`: by `PATCH`. "
        "`gone`: the receiver has answered 410. `failing`: every attempt of five days has failed.",
        examples=["failing"],
    ),
]


def _each_once(types: list[str]) -> list[str]:
    if len(set(types)) < len(types):
        raise refused(faults.duplicate("types"))
    return types


class CreateWebhook(Record):
    """A new webhook."""

    url: Url
    types: Annotated[Types, AfterValidator(_each_once)]
    description: Annotated[Description, may_be_absent] = ""


class UpdateWebhook(MergePatch):
    """Changes of a webhook."""

    url: Annotated[Url, may_be_absent] = absent()
    types: Annotated[Types, AfterValidator(_each_once), may_be_absent] = absent()
    description: Annotated[Description, may_be_absent] = absent()
    enabled: Annotated[Enabled, may_be_absent] = absent()


class Webhook(Record):
    """An address that events are sent to."""

    id: Annotated[int, Field(examples=[3])]
    """The webhook's id."""
    url: Url
    types: Types
    description: Description
    enabled: Enabled
    disabled_at: Annotated[Milliseconds | None, moment("When it was disabled, or null")] = None
    disabled_reason: DisabledReason = None
    created_at: CreatedAt


class CreatedWebhook(Webhook):
    """A webhook with its secret."""

    secret: Annotated[str, Field(examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="])]
    """Verifies the signatures of what is sent. It is returned only here."""


class Webhooks(Record):
    """All webhooks of the site, or of the account."""

    results: list[Webhook]
    """The oldest first."""


DeliveryStatus = Annotated[
    str,
    OneOf(*enums.DeliveryStatus),
    Field(
        description="`pending`: there is another attempt. `delivered`: the receiver has accepted "
        "it. `failed`: it was given up.",
        examples=["delivered"],
    ),
]


class Delivery(Record):
    """An event that is sent to a webhook."""

    id: Annotated[int, Field(examples=[12])]
    """The delivery's id."""
    event: Annotated[int, Field(validation_alias="event_id", examples=[1207])]
    """The event's id; 0 for a test."""
    type: Annotated[str, Field(examples=["ad.sold"])]
    """The event's type, or `webhook.test`."""
    status: DeliveryStatus
    attempts: Annotated[int, Field(examples=[1])]
    """How many attempts have begun so far."""
    next_at: Annotated[
        Milliseconds | None, moment("When the next attempt may begin, or null if there is none")
    ]
    last_status: Annotated[int | None, Field(examples=[204])]
    """The HTTP status of the last answer; null if there was none."""
    at: Annotated[
        Milliseconds | None,
        Field(validation_alias="attempted_at"),
        moment("When the last attempt began, or null before the first"),
    ]
    milliseconds: Annotated[int | None, Field(examples=[84])]
    """How long the last attempt took; null during an attempt."""
    answer: Annotated[str | None, Field(examples=["ok"])]
    """The beginning of the last answer's body, at most 1 kB; null during an attempt."""


class Deliveries(Record):
    """A page of deliveries."""

    results: list[Delivery]
    """The newest first."""
    next: NextCursor


class ReplayDeliveries(Record):
    """Which deliveries are sent again."""

    since: Annotated[int, Field(ge=0, le=LATEST, examples=[1767225600000], strict=True)]
    """Those that were queued since then, in milliseconds since 1970-01-01T00:00Z."""
