from typing import Literal

SavePagePlace = Literal["footer", "menu", "none"] | str


def check_save_page_place(value: str) -> SavePagePlace:
    """As it came: a service that is newer than this client may know more values."""
    return value
