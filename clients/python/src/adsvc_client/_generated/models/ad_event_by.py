from typing import Literal

AdEventBy = Literal["administrator", "author", "clock", "moderator"] | str


def check_ad_event_by(value: str) -> AdEventBy:
    """As it came: a service that is newer than this client may know more values."""
    return value
