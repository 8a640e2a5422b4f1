from typing import Literal, cast

CreateAdStatus = Literal["active", "draft"]


def check_create_ad_status(value: str) -> CreateAdStatus:
    """As it came: a service that is newer than this client may know more values."""
    return cast(CreateAdStatus, value)
