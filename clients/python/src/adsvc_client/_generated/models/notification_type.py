from typing import Literal, cast

NotificationType = Literal[
    "adEnded",
    "adEnding",
    "comment",
    "decision",
    "favoriteBack",
    "favoriteEnding",
    "favoriteReserved",
    "favoriteSold",
    "message",
    "offer",
    "priceDropped",
    "searchMatched",
]


def check_notification_type(value: str) -> NotificationType:
    """As it came: a service that is newer than this client may know more values."""
    return cast(NotificationType, value)
