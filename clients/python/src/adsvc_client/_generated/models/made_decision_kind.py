from typing import Literal

MadeDecisionKind = Literal["account", "ad", "comment", "message", "rating"] | str


def check_made_decision_kind(value: str) -> MadeDecisionKind:
    """As it came: a service that is newer than this client may know more values."""
    return value
