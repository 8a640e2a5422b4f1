from typing import Literal

AdministeredSiteRegistration = Literal["closed", "invitation", "open"] | str


def check_administered_site_registration(value: str) -> AdministeredSiteRegistration:
    """As it came: a service that is newer than this client may know more values."""
    return value
