from typing import Literal, cast

CreateOrUpdateAdPricetype = Literal["fixed", "free", "negotiable", "onRequest"]


def check_create_or_update_ad_pricetype(value: str) -> CreateOrUpdateAdPricetype:
    """As it came: a service that is newer than this client may know more values."""
    return cast(CreateOrUpdateAdPricetype, value)
