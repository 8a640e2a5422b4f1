from typing import Literal

WriteMailKind = (
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


def check_write_mail_kind(value: str) -> WriteMailKind:
    """As it came: a service that is newer than this client may know more values."""
    return value
