from typing import Literal, cast

DecisionAction = Literal[
    "dismiss",
    "removeAd",
    "removeComment",
    "removeMessage",
    "restore",
    "suspendAccount",
    "suspendAd",
]


def check_decision_action(value: str) -> DecisionAction:
    """As it came: a service that is newer than this client may know more values."""
    return cast(DecisionAction, value)
