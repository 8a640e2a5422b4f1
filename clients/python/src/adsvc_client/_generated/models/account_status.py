from typing import Literal, cast

AccountStatus = Literal["active", "suspended"]


def check_account_status(value: str) -> AccountStatus:
    """As it came: a service that is newer than this client may know more values."""
    return cast(AccountStatus, value)
