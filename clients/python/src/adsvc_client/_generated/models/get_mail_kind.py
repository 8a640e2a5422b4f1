from typing import Literal

GetMailKind = (
    Literal[
        "adEnded",
        "adEnding",
        "comment",
        "decision",
        "favoriteBack",
        "favoriteEnding",
        "favoriteReserved",
        "favoriteSold",
        "login",
        "message",
        "offer",
        "priceDropped",
        "rating",
        "ratingReminder",
        "reset",
        "searchMatched",
        "verify",
    ]
    | str
)


def check_get_mail_kind(value: str) -> GetMailKind:
    """As it came: a service that is newer than this client may know more values."""
    return value
