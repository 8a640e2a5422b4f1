from typing import Literal

NotificationType = (
    Literal[
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
        "rating",
        "ratingReminder",
        "searchMatched",
    ]
    | str
)


def check_notification_type(value: str) -> NotificationType:
    """As it came: a service that is newer than this client may know more values."""
    return value
