from typing import Literal

DeliveryStatus = Literal["delivered", "failed", "pending"] | str


def check_delivery_status(value: str) -> DeliveryStatus:
    """As it came: a service that is newer than this client may know more values."""
    return value
