from typing import Literal

CaseStatus = Literal["appealed", "decided", "open"] | str


def check_case_status(value: str) -> CaseStatus:
    """As it came: a service that is newer than this client may know more values."""
    return value
