from typing import Literal

FaultDetailType = Literal["array", "boolean", "integer", "number", "object", "string"] | str


def check_fault_detail_type(value: str) -> FaultDetailType:
    """As it came: a service that is newer than this client may know more values."""
    return value
