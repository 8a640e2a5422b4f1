from typing import Literal, cast

AdDetailsLocationKind = Literal["exact", "place"]


def check_ad_details_location_kind(value: str) -> AdDetailsLocationKind:
    """As it came: a service that is newer than this client may know more values."""
    return cast(AdDetailsLocationKind, value)
