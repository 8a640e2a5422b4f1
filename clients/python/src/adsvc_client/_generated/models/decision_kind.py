from typing import Literal

DecisionKind = Literal["account", "ad", "comment", "message", "rating"] | str


def check_decision_kind(value: str) -> DecisionKind:
    """As it came: a service that is newer than this client may know more values."""
    return value
