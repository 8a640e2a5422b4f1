from typing import Literal

LimitLeftName = Literal["ads", "searches", "streams", "uploads", "writes"] | str


def check_limit_left_name(value: str) -> LimitLeftName:
    """As it came: a service that is newer than this client may know more values."""
    return value
