from typing import Literal

ChangeMaintenanceMode = Literal["off", "on", "read-only"] | str


def check_change_maintenance_mode(value: str) -> ChangeMaintenanceMode:
    """As it came: a service that is newer than this client may know more values."""
    return value
