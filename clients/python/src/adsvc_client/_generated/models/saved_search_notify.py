from typing import Literal

SavedSearchNotify = Literal["daily", "instant", "never", "weekly"] | str


def check_saved_search_notify(value: str) -> SavedSearchNotify:
    """As it came: a service that is newer than this client may know more values."""
    return value
