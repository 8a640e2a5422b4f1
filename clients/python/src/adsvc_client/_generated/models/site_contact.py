from typing import Literal, cast

SiteContact = Literal["hidden", "open"]


def check_site_contact(value: str) -> SiteContact:
    """As it came: a service that is newer than this client may know more values."""
    return cast(SiteContact, value)
