from typing import Literal

OutboxEntryStatus = Literal["dead", "waiting"] | str


def check_outbox_entry_status(value: str) -> OutboxEntryStatus:
    """As it came: a service that is newer than this client may know more values."""
    return value
