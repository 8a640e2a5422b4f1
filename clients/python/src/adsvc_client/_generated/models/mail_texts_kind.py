from typing import Literal

MailTextsKind = (
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


def check_mail_texts_kind(value: str) -> MailTextsKind:
    """As it came: a service that is newer than this client may know more values."""
    return value
