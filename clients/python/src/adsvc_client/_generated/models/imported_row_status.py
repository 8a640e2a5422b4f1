from typing import Literal

ImportedRowStatus = Literal["created", "failed", "pending", "updated", "withdrawn"] | str


def check_imported_row_status(value: str) -> ImportedRowStatus:
    """As it came: a service that is newer than this client may know more values."""
    return value
