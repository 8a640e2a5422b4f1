from typing import Literal

ExportedLifeLocationKind = Literal["exact", "place"] | str


def check_exported_life_location_kind(value: str) -> ExportedLifeLocationKind:
    """As it came: a service that is newer than this client may know more values."""
    return value
