from typing import Literal

TokenErrorError = Literal["invalid_grant", "invalid_request", "unsupported_grant_type"] | str


def check_token_error_error(value: str) -> TokenErrorError:
    """As it came: a service that is newer than this client may know more values."""
    return value
