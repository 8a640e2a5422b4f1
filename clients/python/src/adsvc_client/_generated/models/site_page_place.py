from typing import Literal

SitePagePlace = Literal["footer", "menu", "none"] | str


def check_site_page_place(value: str) -> SitePagePlace:
    """As it came: a service that is newer than this client may know more values."""
    return value
