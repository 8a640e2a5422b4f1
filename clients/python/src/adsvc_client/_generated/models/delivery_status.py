from typing import Literal, cast

DeliveryStatus = Literal["delivered", "failed", "pending"]


def check_delivery_status(value: str) -> DeliveryStatus:
    """As it came: a service that is newer than this client may know more values."""
    return cast(DeliveryStatus, value)
