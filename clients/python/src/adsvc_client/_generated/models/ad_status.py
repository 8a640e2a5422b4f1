from typing import Literal, cast

AdStatus = Literal[
    "active", "draft", "expired", "removed", "reserved", "sold", "suspended", "withdrawn"
]


def check_ad_status(value: str) -> AdStatus:
    """As it came: a service that is newer than this client may know more values."""
    return cast(AdStatus, value)
