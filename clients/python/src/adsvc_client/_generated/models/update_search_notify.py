from typing import Literal

UpdateSearchNotify = Literal["daily", "instant", "never", "weekly"] | str


def check_update_search_notify(value: str) -> UpdateSearchNotify:
    """As it came: a service that is newer than this client may know more values."""
    return value
