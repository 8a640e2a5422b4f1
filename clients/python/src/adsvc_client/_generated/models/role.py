from typing import Literal

Role = Literal["ADMIN", "MODERATOR", "USER"] | str


def check_role(value: str) -> Role:
    """As it came: a service that is newer than this client may know more values."""
    return value
