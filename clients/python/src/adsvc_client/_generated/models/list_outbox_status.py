from typing import Literal, cast

ListOutboxStatus = Literal["dead", "waiting"]


def check_list_outbox_status(value: str) -> ListOutboxStatus:
    """As it came: a service that is newer than this client may know more values."""
    return cast(ListOutboxStatus, value)
