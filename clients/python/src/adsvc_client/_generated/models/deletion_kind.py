from typing import Literal

DeletionKind = Literal["account", "ad"] | str


def check_deletion_kind(value: str) -> DeletionKind:
    """As it came: a service that is newer than this client may know more values."""
    return value
