from typing import Literal

PageLinkPlace = Literal["footer", "menu", "none"] | str


def check_page_link_place(value: str) -> PageLinkPlace:
    """As it came: a service that is newer than this client may know more values."""
    return value
