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
    DISTANCE = "distance"


# Floating point does not hold every millisecond there is.
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

MILLISECOND = timedelta(milliseconds=1)

# What a cursor can hold. A moment is held as milliseconds since `EPOCH`.
KeyValue = int | float | str

Key = Sequence[KeyValue]


class SortColumn(NamedTuple):
    """A column of a sort key, which is never NULL."""

    name: str
    descending: bool = False
    is_moment: bool = False

    @property
    def by(self) -> str:
        return f"{self.name} DESC" if self.descending else self.name

    @property
    def comparison(self) -> str:
        return "<" if self.descending else ">"

    @property
    def as_json(self) -> str:
        """The SQL of its value as a cursor holds it."""
        return f"(extract(epoch FROM {self.name}) * 1000)::bigint" if self.is_moment else self.name

    def from_row(self, value: KeyValue | datetime) -> KeyValue:
        return (value - EPOCH) // MILLISECOND if isinstance(value, datetime) else value

    def to_parameter(self, value: KeyValue) -> KeyValue | datetime:
        if self.is_moment and isinstance(value, int):
            return EPOCH + timedelta(milliseconds=value)
        return value


class Order(NamedTuple):
    """The columns of the sort key, of any types and directions; the last of them is unique."""

    columns: tuple[SortColumn, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def by(self) -> str:
        return ", ".join(column.by for column in self.columns)

    def beyond(self, key: Key, parameters: Parameters) -> str:
        """The condition that a row comes after the one with that key."""
        values = [parameters.add(value) for value in self.values_of(key)]
        comparisons = {column.comparison for column in self.columns}
        if len(comparisons) == 1:
            return f"({', '.join(self.names)}) {comparisons.pop()} ({', '.join(values)})"
        first = self.columns[0]
        alternatives = [
            " AND ".join(
                [
                    *(f"{self.names[at]} = {values[at]}" for at in range(position)),
                    f"{column.name} {column.comparison} {values[position]}",
                ]
            )
            for position, column in enumerate(self.columns)
        ]
        # The others imply the first condition, but only this one gives the index a bound.
        bound = f"{first.name} {first.comparison}= {values[0]}"
        return f"({bound} AND ({' OR '.join(alternatives)}))"

    def values_of(self, key: Key) -> list[object]:
        """The parameters that a key stands for."""
        return [column.to_parameter(value) for column, value in zip(self.columns, key, strict=True)]

    def key_of(self, values: Sequence[KeyValue | datetime]) -> list[KeyValue]:
        """A row's sort key as a cursor holds it."""
        pairs = zip(self.columns, values, strict=True)
        return [column.from_row(value) for column, value in pairs]


def order_of(ads: AdFilter, sort: Sort) -> Order:
    """Ids follow the order of creation; the time itself is the key only where it is a filter."""
    if sort in {Sort.CHEAPEST, Sort.DEAREST}:
        descending = sort is Sort.DEAREST
        return Order((SortColumn("price", descending), SortColumn("id", descending)))
    if sort is Sort.DISTANCE:
        # Many ads have the same public point: the newest of them first.
        return Order((SortColumn("distance"), SortColumn("id", descending=True)))
    descending = sort is not Sort.OLDEST
    by_id = SortColumn("id", descending)
    if ads.created_after is None and ads.created_before is None:
        return Order((by_id,))
    return Order((SortColumn("created_at", descending, is_moment=True), by_id))
