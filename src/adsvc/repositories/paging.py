"""Pages by keys: one row more than a page shows says whether another page follows."""

from collections.abc import Sequence
from typing import TypeAlias, TypeVar

T = TypeVar("T")

# Above every id: where a list that goes down begins.
BEYOND_ALL = 2**63 - 1


# The rows of a page, and the last of them if more follow.
Paged: TypeAlias = tuple[Sequence[T], T | None]


def paged(rows: Sequence[T], limit: int) -> Paged[T]:
    """`rows` are up to one more than the page has."""
    return rows[:limit], rows[limit - 1] if len(rows) > limit else None
