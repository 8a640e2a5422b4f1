from typing import Literal, cast

UpdateSearchNotify = Literal["daily", "instant", "never", "weekly"]


def check_update_search_notify(value: str) -> UpdateSearchNotify:
    """As it came: a service that is newer than this client may know more values."""
    return cast(UpdateSearchNotify, value)
