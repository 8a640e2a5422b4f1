from typing import Literal, cast

ExtendedAdLocationKind = Literal["exact", "place"]


def check_extended_ad_location_kind(value: str) -> ExtendedAdLocationKind:
    """As it came: a service that is newer than this client may know more values."""
    return cast(ExtendedAdLocationKind, value)
