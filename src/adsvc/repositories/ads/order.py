"""Sort orders of listings and their keys."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from adsvc.repositories.ads.filter import AdFilter
from adsvc.repositories.ads.terms import Parameters


class Sort(StrEnum):
    NEWEST = "-created"
    OLDEST = "created"
    CHEAPEST = "price"
    DEAREST = "-price"
    RELEVANCE = "relevance"


# Floating point does not hold every millisecond there is.
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

MILLISECOND = timedelta(milliseconds=1)


class Order(NamedTuple):
    """The columns of the sort key, the last of them unique, and the direction of all of them."""

    columns: tuple[str, ...]
    descending: bool

    @property
    def by(self) -> str:
        direction = " DESC" if self.descending else ""
        return ", ".join(f"{column}{direction}" for column in self.columns)

    def beyond(self, key: str) -> str:
        comparison = "<" if self.descending else ">"
        return f"({', '.join(self.columns)}) {comparison} ({key})"


def order_of(ads: AdFilter, sort: Sort) -> Order:
    """Ids follow the order of creation; the time itself is the key only where it is a filter."""
    if sort in {Sort.CHEAPEST, Sort.DEAREST}:
        return Order(("price", "id"), descending=sort is Sort.DEAREST)
    by_time = ads.created_after is not None or ads.created_before is not None
    columns = ("created_at", "id") if by_time else ("id",)
    return Order(columns, descending=sort is not Sort.OLDEST)


def key_of(values: Sequence[int | datetime]) -> list[int]:
    """A row's sort key in numbers that fit into a cursor."""
    return [
        (value - EPOCH) // MILLISECOND if isinstance(value, datetime) else value for value in values
    ]


def key_parameters(order: Order, values: Sequence[int], parameters: Parameters) -> str:
    pairs = zip(order.columns, values, strict=True)
    return ", ".join(
        parameters.add(EPOCH + timedelta(milliseconds=value) if column == "created_at" else value)
        for column, value in pairs
    )
