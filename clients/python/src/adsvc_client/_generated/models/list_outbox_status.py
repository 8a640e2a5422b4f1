from typing import Literal

ListOutboxStatus = Literal["dead", "waiting"] | str


def check_list_outbox_status(value: str) -> ListOutboxStatus:
    """As it came: a service that is newer than this client may know more values."""
    return value
