"""What is looked for, in which order, and where matches are taken from."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from adsvc.repositories.ads.facets import Counted
from adsvc.repositories.ads.filter import AdFilter
from adsvc.repositories.ads.listing_sql import record_of
from adsvc.repositories.ads.order import Order, Sort, SortColumn, order_of
from adsvc.repositories.ads.projection import In, columns_sql
from adsvc.repositories.ads.search.plan import IndexPlan
from adsvc.repositories.ads.terms import Terms


class Search(NamedTuple):
    """What is looked for, and in which order."""

    ads: AdFilter
    sort: Sort
    plan: IndexPlan
    # If the matches are to be counted, and not shown.
    counted: Counted | None = None

    @property
    def terms(self) -> Terms | None:
        return self.ads.terms

    @property
    def order(self) -> Order:
        return order_of(self.ads, self.sort)

    @property
    def key(self) -> Order:
        """The order of all matches, wherever they are found."""
        first = (SortColumn("rank"),) if self.by_relevance else ()
        return Order((*first, *self.order.columns))

    @property
    def record(self) -> In:
        return record_of(self.ads)

    @property
    def columns(self) -> str:
        shown = columns_sql(self.record)
        return shown if self.counted is None else f"id, {self.counted.columns}"

    @property
    def by_ids(self) -> bool:
        return self.order.names == ("id",)

    @property
    def by_relevance(self) -> bool:
        return self.sort is Sort.RELEVANCE


class Statement(NamedTuple):
    sql: str
    values: Sequence[object]


class Source(StrEnum):
    """Where matches are taken from."""

    # Prices, times and authors, which have indexes of their own.
    FILTER = "filter"
    # Words, and terms of attributes.
    INDEX = "index"
    TITLES = "titles"
    # A circle or a box.
    PLACE = "place"
    # The same, with more ads in it.
    WIDE_PLACE = "wide place"
