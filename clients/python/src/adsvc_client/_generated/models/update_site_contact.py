from typing import Literal

UpdateSiteContact = Literal["hidden", "open"] | str


def check_update_site_contact(value: str) -> UpdateSiteContact:
    """As it came: a service that is newer than this client may know more values."""
    return value
