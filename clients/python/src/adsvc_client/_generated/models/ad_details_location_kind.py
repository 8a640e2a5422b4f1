from typing import Literal

AdDetailsLocationKind = Literal["exact", "place"] | str


def check_ad_details_location_kind(value: str) -> AdDetailsLocationKind:
    """As it came: a service that is newer than this client may know more values."""
    return value
