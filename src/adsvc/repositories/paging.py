"""Pages by key: one more row than a page shows whether another page follows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

T = TypeVar("T")

# Above every id: where a descending list begins.
BEYOND_ALL = 2**63 - 1


# A page of records whose size depends on what people write ends before its limit at so many bytes.
PAGE_BYTES = 128 * 1024
# Of such records no more are made for one page.
MOST_LARGE_RECORDS = 100


def fitting(sizes: Iterable[int], limit: int) -> int:
    """How many records, given their sizes in bytes, are on a page: one at least."""
    number = total = 0
    for size in sizes:
        total += size
        if number == limit or (number and total > PAGE_BYTES):
            break
        number += 1
    return number


def fitting_records(records: Sequence[str], limit: int) -> int:
    """As `fitting`, of records in JSON."""
    return fitting((len(record.encode()) for record in records), limit)


def page_of_records(
    records: Sequence[str] | None, ids: Sequence[int] | None, limit: int
) -> tuple[Sequence[str], int | None]:
    """The records of a page in JSON, and the id of the last of them if more follow.

    There is at most one more than the page has, and none at all is NULL.
    """
    records, ids = records or (), ids or ()
    shown = fitting_records(records, limit)
    return records[:shown], ids[shown - 1] if len(ids) > shown else None


# The rows of a page, and the last of them if more follow.
Paged: TypeAlias = tuple[Sequence[T], T | None]


def paged(rows: Sequence[T], limit: int) -> Paged[T]:
    """`rows` are at most one more than the page has."""
    shown = fitting(map(_size, rows), limit)
    return rows[:shown], rows[shown - 1] if len(rows) > shown else None


def _size(row: object) -> int:
    """About as many bytes as its texts and its JSON have."""
    values = row.values() if isinstance(row, Mapping) else vars(row).values()
    return sum(len(str(value)) for value in values if isinstance(value, str | dict | list))
