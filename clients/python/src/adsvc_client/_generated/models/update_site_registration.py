from typing import Literal

UpdateSiteRegistration = Literal["closed", "invitation", "open"] | str


def check_update_site_registration(value: str) -> UpdateSiteRegistration:
    """As it came: a service that is newer than this client may know more values."""
    return value
