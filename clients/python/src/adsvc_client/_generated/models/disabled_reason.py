from typing import Literal

DisabledReason = Literal["failing", "gone", "requested"] | str


def check_disabled_reason(value: str) -> DisabledReason:
    """As it came: a service that is newer than this client may know more values."""
    return value
