from typing import Literal, cast

TokenFormGrantType = Literal["password", "refresh_token"]


def check_token_form_grant_type(value: str) -> TokenFormGrantType:
    """As it came: a service that is newer than this client may know more values."""
    return cast(TokenFormGrantType, value)
