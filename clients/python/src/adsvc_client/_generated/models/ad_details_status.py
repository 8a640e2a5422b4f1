from typing import Literal, cast

AdDetailsStatus = Literal["active", "draft", "expired", "reserved", "sold", "withdrawn"]


def check_ad_details_status(value: str) -> AdDetailsStatus:
    """As it came: a service that is newer than this client may know more values."""
    return cast(AdDetailsStatus, value)
