from typing import Literal

SiteSectionKind = Literal["categories", "collection", "near", "newest", "text"] | str


def check_site_section_kind(value: str) -> SiteSectionKind:
    """As it came: a service that is newer than this client may know more values."""
    return value
