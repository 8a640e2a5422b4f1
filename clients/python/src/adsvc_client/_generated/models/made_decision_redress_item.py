from typing import Literal

MadeDecisionRedressItem = Literal["appeal", "court", "disputeSettlement"] | str


def check_made_decision_redress_item(value: str) -> MadeDecisionRedressItem:
    """As it came: a service that is newer than this client may know more values."""
    return value
