from typing import Literal

UpdateSectionKind = Literal["categories", "collection", "near", "newest", "text"] | str


def check_update_section_kind(value: str) -> UpdateSectionKind:
    """As it came: a service that is newer than this client may know more values."""
    return value
