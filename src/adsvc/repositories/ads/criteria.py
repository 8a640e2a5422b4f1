"""Filters and orders of listings: the exact conditions of filters, and sort keys."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from adsvc.enums import AdStatus, PriceType
from adsvc.invalidation import AdAspect
from adsvc.models.ads import PRICE_OR_HIGHEST, PRICE_OR_LOWEST
from adsvc.repositories.ads.places import Box, Circle
from adsvc.repositories.ads.search_words import Parameters, Terms

# Values of attributes, as in JSON. A date is a text, YYYY-MM-DD.
Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Branch:
    """A category with all below it."""

    # Its slug.
    root: str
    # May change from page to page, so a cursor depends on the root only.
    ids: tuple[int, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Numbers:
    """A range with both ends included; None means no end."""

    low: float | None
    high: float | None

    @property
    def empty(self) -> bool:
        return self.low is not None and self.high is not None and self.low > self.high


@dataclass(frozen=True, slots=True)
class Dates:
    """A range of dates (YYYY-MM-DD) with both ends included; None means no end."""

    low: str | None
    high: str | None

    @property
    def empty(self) -> bool:
        return self.low is not None and self.high is not None and self.low > self.high


@dataclass(frozen=True, slots=True)
class AttributeFilter:
    """Ads whose attribute has one of the values or lies in one of the ranges."""

    name: str
    values: tuple[Value, ...] = ()
    ranges: tuple[Numbers | Dates, ...] = ()

    @property
    def impossible(self) -> bool:
        return not self.values and all(limits.empty for limits in self.ranges)


def branch_sql(branch: Branch, parameters: Parameters) -> str:
    return f"category_id = ANY({parameters.add(list(branch.ids))}::bigint[])"


def attribute_sql(wanted: AttributeFilter, parameters: Parameters) -> str:
    value = f"attributes -> {parameters.add(wanted.name)}::text"
    alternatives = []
    if wanted.values:
        values = parameters.add([json.dumps(value) for value in wanted.values])
        # Compared as JSON: 3 equals 3.0, and neither equals "3".
        alternatives.append(f"({value}) = ANY({values}::jsonb[])")
    for limits in wanted.ranges:
        if isinstance(limits, Numbers):
            alternatives.append(_numbers_sql(value, limits, parameters))
        else:
            alternatives.append(_dates_sql(value, limits, parameters))
    return f"({' OR '.join(alternatives)})"


def _numbers_sql(value: str, limits: Numbers, parameters: Parameters) -> str:
    # JSON values of different types have an order too, so the type is checked.
    conditions = [f"jsonb_typeof({value}) = 'number'"]
    for comparison, end in ((">=", limits.low), ("<=", limits.high)):
        if end is not None:
            conditions.append(f"{value} {comparison} {parameters.add(json.dumps(end))}::jsonb")
    return f"({' AND '.join(conditions)})"


def _dates_sql(value: str, limits: Dates, parameters: Parameters) -> str:
    conditions = [f"jsonb_typeof({value}) = 'string'"]
    for comparison, end in ((">=", limits.low), ("<=", limits.high)):
        if end is not None:
            text = f"({value} #>> '{{}}') COLLATE \"C\""
            conditions.append(f"{text} {comparison} {parameters.add(end)}::text")
    return f"({' AND '.join(conditions)})"


ALL_STATUSES = tuple(AdStatus)


@dataclass(frozen=True, slots=True)
class AdFilter:
    terms: Terms | None = None
    min_price: int | None = None
    max_price: int | None = None
    author: int | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    near: Circle | None = None
    box: Box | None = None
    category: Branch | None = None
    # Ads have to match all of them. Several may have the same name.
    attributes: tuple[AttributeFilter, ...] | None = None
    price_type: PriceType | None = None
    # Only with `author`.
    external_id: str | None = None
    # None for the statuses that everyone sees.
    statuses: tuple[AdStatus, ...] | None = None
    # True for lists of administrators, which have what only they see.
    is_administered: bool | None = None

    @property
    def is_search(self) -> bool:
        """Whether to find the ads by the index of words and attributes, or by place."""
        needs = (
            self.terms,
            self.category,
            self.attributes,
            self.price_type,
            self.near,
            self.box,
        )
        return any(value is not None for value in needs)

    @property
    def only_place(self) -> bool:
        return self == AdFilter(near=self.near, box=self.box)

    @property
    def given(self) -> dict[str, Any]:
        """The filters that are set, by name, in the order of their names."""
        names = sorted(field.name for field in fields(self))
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value not in {None, ALL_STATUSES}}

    @property
    def impossible(self) -> bool:
        """Whether nothing can match: PostgreSQL would read everything to find that out."""
        if self.min_price is not None and self.max_price is not None:
            impossible = self.min_price > self.max_price
        else:
            impossible = False
        if self.created_after is not None and self.created_before is not None:
            impossible |= self.created_after >= self.created_before
        return impossible or any(wanted.impossible for wanted in self.attributes or ())

    @property
    def has_price(self) -> bool:
        """Whether the price is a filter."""
        return self.min_price is not None or self.max_price is not None

    @property
    def only_author(self) -> bool:
        """Whether it selects all ads, or all of one author: these are counted beforehand."""
        return self.statuses in {None, ALL_STATUSES} and self == AdFilter(
            author=self.author, statuses=self.statuses
        )

    @property
    def is_everything(self) -> bool:
        """Whether it selects all ads that everyone sees."""
        return self == _EVERYTHING


_EVERYTHING = AdFilter()


class Sort(StrEnum):
    """The order of a list of ads: by creation, price, relevance or distance; `-` is descending."""

    NEWEST = "-created"
    OLDEST = "created"
    CHEAPEST = "price"
    DEAREST = "-price"
    RELEVANCE = "relevance"
    DISTANCE = "distance"


# Floating point cannot express every millisecond.
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

MILLISECOND = timedelta(milliseconds=1)

# The types of values in a cursor. A moment is in milliseconds since `EPOCH`.
KeyValue = int | float | str

Key = Sequence[KeyValue]


class SortColumn(NamedTuple):
    """A column of a sort key. It is never NULL."""

    name: str
    descending: bool = False
    is_moment: bool = False
    # The SQL of a value that is no column, with `{0}` before the names of columns.
    made: str = ""

    def of(self, row: str = "") -> str:
        """The SQL of its value; `row` is empty, or ends with a dot."""
        return self.made.format(row) if self.made else f"{row}{self.name}"

    @property
    def value(self) -> str:
        return self.of()

    @property
    def by(self) -> str:
        return f"{self.value} DESC" if self.descending else self.value

    @property
    def comparison(self) -> str:
        return "<" if self.descending else ">"

    @property
    def as_json(self) -> str:
        """The SQL of its value as it is in a cursor."""
        return (
            f"(extract(epoch FROM {self.value}) * 1000)::bigint" if self.is_moment else self.value
        )

    def to_parameter(self, value: KeyValue) -> KeyValue | datetime:
        if self.is_moment and isinstance(value, int):
            return EPOCH + timedelta(milliseconds=value)
        return value


@lru_cache
def aspects_of(ads: AdFilter, sort: Sort) -> frozenset[AdAspect]:
    """What of an ad decides whether it is in the list, how many are, and in what order."""
    by_price = sort in {Sort.CHEAPEST, Sort.DEAREST}
    prices = ads.min_price, ads.max_price, ads.price_type
    decides = {
        AdAspect.STATUS: True,
        AdAspect.WORDS: ads.terms is not None,
        AdAspect.PRICE: by_price or any(value is not None for value in prices),
        # Categories and attributes have words, too.
        AdAspect.CLASSIFICATION: any((ads.category, ads.attributes, ads.terms is not None)),
        AdAspect.LOCATION: ads.near is not None or ads.box is not None,
    }
    return frozenset(aspect for aspect, is_so in decides.items() if is_so)


class Order(NamedTuple):
    """The columns of the sort key, with types and directions. The last column is unique."""

    columns: tuple[SortColumn, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(column.value for column in self.columns)

    @property
    def of_page(self) -> tuple[str, ...]:
        """The key to select from the row `page`."""
        return tuple(f"{column.of('page.')} AS {column.name}" for column in self.columns)

    @property
    def by(self) -> str:
        return ", ".join(column.by for column in self.columns)

    def beyond(self, key: Key, parameters: Parameters) -> str:
        """The condition that a row comes after the row with that key."""
        values = [parameters.add(value) for value in self.values_of(key)]
        comparisons = {column.comparison for column in self.columns}
        if len(comparisons) == 1:
            return f"({', '.join(self.values)}) {comparisons.pop()} ({', '.join(values)})"
        first = self.columns[0]
        alternatives = [
            " AND ".join(
                [
                    *(f"{self.values[at]} = {values[at]}" for at in range(position)),
                    f"{column.value} {column.comparison} {values[position]}",
                ]
            )
            for position, column in enumerate(self.columns)
        ]
        # The other conditions imply this one, but only this one gives the index a bound.
        bound = f"{first.value} {first.comparison}= {values[0]}"
        return f"({bound} AND ({' OR '.join(alternatives)}))"

    def values_of(self, key: Key) -> list[object]:
        """The parameters for a key."""
        return [column.to_parameter(value) for column, value in zip(self.columns, key, strict=True)]

    def key_of(self, values: Sequence[KeyValue | datetime]) -> list[KeyValue]:
        """A row's sort key, as in a cursor."""
        return [
            (value - EPOCH) // MILLISECOND if isinstance(value, datetime) else value
            for value in values
        ]


def order_of(ads: AdFilter, sort: Sort) -> Order:
    """Ids are in the order of creation, so the time is the key only where it is a filter."""
    by_time = ads.created_after is not None or ads.created_before is not None
    return _order(sort, by_time=by_time, within_prices=ads.has_price)


@lru_cache
def _order(sort: Sort, *, by_time: bool, within_prices: bool) -> Order:
    if sort in {Sort.CHEAPEST, Sort.DEAREST}:
        descending = sort is Sort.DEAREST
        # A filter by price has an index, and leaves out ads on request.
        lowest = descending and not within_prices
        made = PRICE_OR_LOWEST if lowest else PRICE_OR_HIGHEST
        by_price = SortColumn("sort_price", descending, made=made)
        return Order((by_price, SortColumn("id", descending)))
    if sort is Sort.DISTANCE:
        # Many ads have the same public point: the newest come first.
        return Order((SortColumn("distance"), SortColumn("id", descending=True)))
    descending = sort is not Sort.OLDEST
    by_id = SortColumn("id", descending)
    if not by_time:
        return Order((by_id,))
    return Order((SortColumn("created_at", descending, is_moment=True), by_id))
