from typing import Literal, cast

ExportedLifeLocationKind = Literal["exact", "place"]


def check_exported_life_location_kind(value: str) -> ExportedLifeLocationKind:
    """As it came: a service that is newer than this client may know more values."""
    return cast(ExportedLifeLocationKind, value)
