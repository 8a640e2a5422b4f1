from typing import Literal

AdDecisionSkipped = (
    Literal["appealed", "missing", "own", "ownDecision", "status", "undecided"] | str
)


def check_ad_decision_skipped(value: str) -> AdDecisionSkipped:
    """As it came: a service that is newer than this client may know more values."""
    return value
