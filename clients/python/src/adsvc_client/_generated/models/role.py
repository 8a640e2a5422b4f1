from typing import Literal, cast

Role = Literal["ADMIN", "MODERATOR", "USER"]


def check_role(value: str) -> Role:
    """As it came: a service that is newer than this client may know more values."""
    return cast(Role, value)
