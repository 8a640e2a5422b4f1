from typing import Literal

AdLocationKind = Literal["exact", "place"] | str


def check_ad_location_kind(value: str) -> AdLocationKind:
    """As it came: a service that is newer than this client may know more values."""
    return value
