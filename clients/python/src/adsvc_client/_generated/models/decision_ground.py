from typing import Literal, cast

DecisionGround = Literal["law", "terms"]


def check_decision_ground(value: str) -> DecisionGround:
    """As it came: a service that is newer than this client may know more values."""
    return cast(DecisionGround, value)
