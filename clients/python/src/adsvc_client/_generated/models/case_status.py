from typing import Literal, cast

CaseStatus = Literal["appealed", "decided", "open"]


def check_case_status(value: str) -> CaseStatus:
    """As it came: a service that is newer than this client may know more values."""
    return cast(CaseStatus, value)
