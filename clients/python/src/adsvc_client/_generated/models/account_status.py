from typing import Literal

AccountStatus = Literal["active", "suspended"] | str


def check_account_status(value: str) -> AccountStatus:
    """As it came: a service that is newer than this client may know more values."""
    return value
