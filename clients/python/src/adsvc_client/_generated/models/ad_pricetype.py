from typing import Literal, cast

AdPricetype = Literal["fixed", "free", "negotiable", "onRequest"]


def check_ad_pricetype(value: str) -> AdPricetype:
    """As it came: a service that is newer than this client may know more values."""
    return cast(AdPricetype, value)
