from typing import Literal, cast

RelaxedKind = Literal["category", "dropped", "place", "spelling"]


def check_relaxed_kind(value: str) -> RelaxedKind:
    """As it came: a service that is newer than this client may know more values."""
    return cast(RelaxedKind, value)
