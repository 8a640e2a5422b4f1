from typing import Literal

DecisionGround = Literal["law", "terms"] | str


def check_decision_ground(value: str) -> DecisionGround:
    """As it came: a service that is newer than this client may know more values."""
    return value
