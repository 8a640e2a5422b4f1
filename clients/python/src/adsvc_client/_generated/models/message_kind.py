from typing import Literal, cast

MessageKind = Literal["notice", "offer", "text"]


def check_message_kind(value: str) -> MessageKind:
    """As it came: a service that is newer than this client may know more values."""
    return cast(MessageKind, value)
