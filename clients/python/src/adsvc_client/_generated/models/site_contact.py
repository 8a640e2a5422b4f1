from typing import Literal

SiteContact = Literal["hidden", "open"] | str


def check_site_contact(value: str) -> SiteContact:
    """As it came: a service that is newer than this client may know more values."""
    return value
