from typing import Literal, cast

UserRole = Literal["ADMIN", "USER"]


def check_user_role(value: str) -> UserRole:
    """As it came: a service that is newer than this client may know more values."""
    return cast(UserRole, value)
