from typing import Literal

DecisionRedressItem = Literal["appeal", "court", "disputeSettlement"] | str


def check_decision_redress_item(value: str) -> DecisionRedressItem:
    """As it came: a service that is newer than this client may know more values."""
    return value
