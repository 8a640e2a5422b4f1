from typing import Literal

DecisionAction = (
    Literal[
        "dismiss",
        "removeAd",
        "removeComment",
        "removeMessage",
        "removeRating",
        "restore",
        "suspendAccount",
        "suspendAd",
    ]
    | str
)


def check_decision_action(value: str) -> DecisionAction:
    """As it came: a service that is newer than this client may know more values."""
    return value
