from typing import Literal

Party = Literal["buyer", "seller"] | str


def check_party(value: str) -> Party:
    """As it came: a service that is newer than this client may know more values."""
    return value
