"""Pages by key: one more row than a page shows whether another page follows."""

from collections.abc import Sequence
from typing import TypeAlias, TypeVar

T = TypeVar("T")

# Above every id: where a descending list begins.
BEYOND_ALL = 2**63 - 1


# The rows of a page, and the last of them if more follow.
Paged: TypeAlias = tuple[Sequence[T], T | None]


def paged(rows: Sequence[T], limit: int) -> Paged[T]:
    """`rows` are at most one more than the page has."""
    return rows[:limit], rows[limit - 1] if len(rows) > limit else None
