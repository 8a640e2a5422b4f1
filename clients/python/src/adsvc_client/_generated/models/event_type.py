from typing import Literal

EventType = (
    Literal[
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
        "rating.created",
        "rating.shown",
        "report.created",
        "searchMatched",
        "user.deleted",
        "user.registered",
        "user.restored",
        "user.suspended",
        "user.verified",
    ]
    | str
)


def check_event_type(value: str) -> EventType:
    """As it came: a service that is newer than this client may know more values."""
    return value
