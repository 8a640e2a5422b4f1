from typing import Literal

MaintenanceMode = Literal["off", "on", "read-only"] | str


def check_maintenance_mode(value: str) -> MaintenanceMode:
    """As it came: a service that is newer than this client may know more values."""
    return value
