"""The log of events."""

import json
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from adsvc.enums import EventType
from adsvc.schemas.base import Milliseconds, OneOf, Record, moment

EventTypeName = Annotated[
    str, OneOf(*EventType), Field(description="What happened.", examples=["ad.priceChanged"])
]


def _parsed(value: object) -> object:
    return json.loads(value) if isinstance(value, str) else value


class Event(Record):
    """Something that happened. What it is about is read by the ids; it has no text of anybody."""

    id: Annotated[
        int, Field(description="Ascending in the order of commits, without gaps.", examples=[4711])
    ]
    type: EventTypeName
    at: Annotated[Milliseconds, moment("When it happened")]
    ad: Annotated[
        int | None,
        Field(validation_alias="ad_id", description="The ad that it is about.", examples=[42]),
    ]
    user: Annotated[
        int | None,
        Field(
            validation_alias="user_id",
            description="Whose thing it is: the author of the ad or comment, or the account.",
            examples=[7],
        ),
    ]
    data: Annotated[
        dict[str, Any],
        BeforeValidator(_parsed),
        Field(
            description="`from` and `to` of a status or price, `status` of a new ad, the ids "
            "`comment`, `case` and `decision`, and the `action` of a decision.",
            examples=[{"from": 12000, "to": 9900}],
        ),
    ]


class Events(Record):
    """A part of the log of events, in order."""

    results: Annotated[list[Event], Field(description="The events.")]
    next: Annotated[
        str,
        Field(
            description="Send this as `after` to go on. It is always there.",
            examples=["dGhpcyBpcyBub3QgYSBjdXJzb3I"],
        ),
    ]
