from typing import Literal

ImportStatus = Literal["done", "replaced", "running", "waiting"] | str


def check_import_status(value: str) -> ImportStatus:
    """As it came: a service that is newer than this client may know more values."""
    return value
