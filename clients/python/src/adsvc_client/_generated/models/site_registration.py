from typing import Literal

SiteRegistration = Literal["closed", "invitation", "open"] | str


def check_site_registration(value: str) -> SiteRegistration:
    """As it came: a service that is newer than this client may know more values."""
    return value
