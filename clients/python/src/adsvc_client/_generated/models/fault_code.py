from typing import Literal

FaultCode = (
    Literal[
        "blank",
        "duplicate",
        "inconsistent",
        "malformed",
        "missing",
        "not-an-option",
        "out-of-range",
        "refused",
        "too-broad",
        "unknown",
        "unusable-image",
        "weak-password",
        "wrong-count",
        "wrong-format",
        "wrong-length",
        "wrong-type",
    ]
    | str
)


def check_fault_code(value: str) -> FaultCode:
    """As it came: a service that is newer than this client may know more values."""
    return value
