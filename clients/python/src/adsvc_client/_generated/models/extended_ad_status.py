from typing import Literal, cast

ExtendedAdStatus = Literal["active", "draft", "expired", "reserved", "sold", "withdrawn"]


def check_extended_ad_status(value: str) -> ExtendedAdStatus:
    """As it came: a service that is newer than this client may know more values."""
    return cast(ExtendedAdStatus, value)
