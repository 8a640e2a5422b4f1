"""Webhooks, and the deliveries to them."""

from typing import Annotated

from pydantic import AfterValidator, Field

from adsvc import enums
from adsvc.errors import faults
from adsvc.schemas.base import (
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

DESCRIPTION_MAX_LENGTH = 200
URL_MAX_LENGTH = 2048


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
        description="The types of events that are sent.",
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
    created_at: CreatedAt


class CreatedWebhook(Webhook):
    """A webhook with its secret."""

    secret: Annotated[str, Field(examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="])]
    """Verifies the signatures of what is sent. It is returned only here."""


class Webhooks(Record):
    """All webhooks."""

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


class Deliveries(Record):
    """A page of deliveries."""

    results: list[Delivery]
    """The newest first."""
    next: NextCursor
