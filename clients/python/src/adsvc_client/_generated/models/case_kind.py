from typing import Literal

CaseKind = Literal["ad", "comment", "message", "rating"] | str


def check_case_kind(value: str) -> CaseKind:
    """As it came: a service that is newer than this client may know more values."""
    return value
