from typing import Literal, cast

AdDetailsPricetype = Literal["fixed", "free", "negotiable", "onRequest"]


def check_ad_details_pricetype(value: str) -> AdDetailsPricetype:
    """As it came: a service that is newer than this client may know more values."""
    return cast(AdDetailsPricetype, value)
