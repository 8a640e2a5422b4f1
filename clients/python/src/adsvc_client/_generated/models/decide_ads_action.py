from typing import Literal, cast

DecideAdsAction = Literal["restore", "suspendAd"]


def check_decide_ads_action(value: str) -> DecideAdsAction:
    """As it came: a service that is newer than this client may know more values."""
    return cast(DecideAdsAction, value)
