from typing import Literal

CreateImportMode = Literal["full", "partial"] | str


def check_create_import_mode(value: str) -> CreateImportMode:
    """As it came: a service that is newer than this client may know more values."""
    return value
