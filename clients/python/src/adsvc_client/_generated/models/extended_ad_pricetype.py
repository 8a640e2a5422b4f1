from typing import Literal, cast

ExtendedAdPricetype = Literal["fixed", "free", "negotiable", "onRequest"]


def check_extended_ad_pricetype(value: str) -> ExtendedAdPricetype:
    """As it came: a service that is newer than this client may know more values."""
    return cast(ExtendedAdPricetype, value)
