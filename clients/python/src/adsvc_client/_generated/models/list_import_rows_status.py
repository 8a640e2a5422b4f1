from typing import Literal

ListImportRowsStatus = Literal["created", "failed", "pending", "updated", "withdrawn"] | str


def check_list_import_rows_status(value: str) -> ListImportRowsStatus:
    """As it came: a service that is newer than this client may know more values."""
    return value
