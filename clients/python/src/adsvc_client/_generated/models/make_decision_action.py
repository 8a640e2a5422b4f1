from typing import Literal, cast

MakeDecisionAction = Literal[
    "dismiss",
    "removeAd",
    "removeComment",
    "removeMessage",
    "removeRating",
    "suspendAccount",
    "suspendAd",
]


def check_make_decision_action(value: str) -> MakeDecisionAction:
    """As it came: a service that is newer than this client may know more values."""
    return cast(MakeDecisionAction, value)
