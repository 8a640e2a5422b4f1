from typing import Literal, cast

FaultDetailType = Literal["array", "boolean", "integer", "number", "object", "string"]


def check_fault_detail_type(value: str) -> FaultDetailType:
    """As it came: a service that is newer than this client may know more values."""
    return cast(FaultDetailType, value)
