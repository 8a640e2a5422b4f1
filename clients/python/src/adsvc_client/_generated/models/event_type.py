from typing import Literal, cast

EventType = Literal[
    "ad.created",
    "ad.deleted",
    "ad.expired",
    "ad.hidden",
    "ad.priceChanged",
    "ad.published",
    "ad.released",
    "ad.renewed",
    "ad.reserved",
    "ad.shown",
    "ad.sold",
    "ad.updated",
    "ad.withdrawn",
    "comment.created",
    "comment.deleted",
    "decision.made",
    "message.sent",
    "offer.accepted",
    "offer.made",
    "report.created",
    "user.deleted",
    "user.registered",
    "user.restored",
    "user.suspended",
    "user.verified",
]


def check_event_type(value: str) -> EventType:
    """As it came: a service that is newer than this client may know more values."""
    return cast(EventType, value)
