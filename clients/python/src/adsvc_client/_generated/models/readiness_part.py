from typing import Literal, cast

ReadinessPart = Literal["pictures", "text", "writes"]


def check_readiness_part(value: str) -> ReadinessPart:
    """As it came: a service that is newer than this client may know more values."""
    return cast(ReadinessPart, value)
