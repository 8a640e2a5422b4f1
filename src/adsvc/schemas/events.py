"""The log of events."""

import json
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from adsvc.enums import EventType
from adsvc.kit.records import Milliseconds, OneOf, Record, moment

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
