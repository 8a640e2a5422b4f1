from typing import Literal

AttributeType = Literal["boolean", "date", "enum", "integer", "number", "string"] | str


def check_attribute_type(value: str) -> AttributeType:
    """As it came: a service that is newer than this client may know more values."""
    return value
