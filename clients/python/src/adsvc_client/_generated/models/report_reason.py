from typing import Literal

ReportReason = (
    Literal["category", "duplicate", "offensive", "other", "personalData", "prohibited", "scam"]
    | str
)


def check_report_reason(value: str) -> ReportReason:
    """As it came: a service that is newer than this client may know more values."""
    return value
