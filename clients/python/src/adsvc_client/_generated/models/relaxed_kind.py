from typing import Literal

RelaxedKind = Literal["category", "dropped", "place", "spelling"] | str


def check_relaxed_kind(value: str) -> RelaxedKind:
    """As it came: a service that is newer than this client may know more values."""
    return value
