from typing import Literal

KeyScope = (
    Literal[
        "account:read",
        "account:write",
        "admin",
        "ads:read",
        "ads:write",
        "events:read",
        "messages:read",
        "messages:write",
        "moderation",
    ]
    | str
)


def check_key_scope(value: str) -> KeyScope:
    """As it came: a service that is newer than this client may know more values."""
    return value
