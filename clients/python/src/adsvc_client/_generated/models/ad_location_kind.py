from typing import Literal, cast

AdLocationKind = Literal["exact", "place"]


def check_ad_location_kind(value: str) -> AdLocationKind:
    """As it came: a service that is newer than this client may know more values."""
    return cast(AdLocationKind, value)
