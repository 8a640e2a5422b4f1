"""Pages by keys: one row more than a page shows says whether another page follows."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

# Above every id: where a list that goes down begins.
BEYOND_ALL = 2**63 - 1


def paged(rows: Sequence[T], limit: int) -> tuple[Sequence[T], T | None]:
    """The page, and its last row if more follow. There are up to `limit` + 1 rows."""
    return rows[:limit], rows[limit - 1] if len(rows) > limit else None
