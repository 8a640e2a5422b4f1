from typing import Literal

CreateSearchNotify = Literal["daily", "instant", "never", "weekly"] | str


def check_create_search_notify(value: str) -> CreateSearchNotify:
    """As it came: a service that is newer than this client may know more values."""
    return value
