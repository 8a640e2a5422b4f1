from typing import Literal

AdministeredSiteContact = Literal["hidden", "open"] | str


def check_administered_site_contact(value: str) -> AdministeredSiteContact:
    """As it came: a service that is newer than this client may know more values."""
    return value
