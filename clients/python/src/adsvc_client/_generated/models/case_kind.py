from typing import Literal, cast

CaseKind = Literal["ad", "comment", "message"]


def check_case_kind(value: str) -> CaseKind:
    """As it came: a service that is newer than this client may know more values."""
    return cast(CaseKind, value)
