from typing import Literal

ExtendedAdLocationKind = Literal["exact", "place"] | str


def check_extended_ad_location_kind(value: str) -> ExtendedAdLocationKind:
    """As it came: a service that is newer than this client may know more values."""
    return value
