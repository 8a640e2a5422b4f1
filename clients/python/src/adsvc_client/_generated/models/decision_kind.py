from typing import Literal, cast

DecisionKind = Literal["account", "ad", "comment", "message"]


def check_decision_kind(value: str) -> DecisionKind:
    """As it came: a service that is newer than this client may know more values."""
    return cast(DecisionKind, value)
