from typing import Literal

ImportMode = Literal["full", "partial"] | str


def check_import_mode(value: str) -> ImportMode:
    """As it came: a service that is newer than this client may know more values."""
    return value
