from typing import Literal

MessageKind = Literal["notice", "offer", "text"] | str


def check_message_kind(value: str) -> MessageKind:
    """As it came: a service that is newer than this client may know more values."""
    return value
