"""Facets: aggregations of the index, added to what is counted of the ads that it does not have."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import floor, log10
from typing import Any

from adsvc.enums import PriceType
from adsvc.kit.db.statements import Row
from adsvc.models.ads import PRICE_MAX
from adsvc.repositories.ads.facets import BANDS, MOST_VALUES, FacetRequest, Facets
from adsvc.repositories.ads.opensearch.documents import is_number

MOST_CATEGORIES = 10_000
COLUMNS = """
    price, price_type, category_id, attributes::text AS attributes,
    to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month
"""

Aggregations = Mapping[str, Any]
# By attribute and number of the band: the lowest and highest number, and how many there are.
Bands = dict[str, dict[int, tuple[float, float, int]]]


def aggregations(counted: FacetRequest) -> dict[str, object]:
    """Of all but the bands of numbers, which need the least and the greatest number first."""
    # Ads on request have a price above the last step.
    ends = [0, *counted.price_steps, PRICE_MAX + 1]
    steps = [
        {"key": str(band), "from": low, "to": high}
        for band, (low, high) in enumerate(pairwise(ends))
    ]
    months = {"field": "created", "calendar_interval": "month", "format": "yyyy-MM"}
    found: dict[str, object] = {
        "prices": {"range": {"field": "price", "ranges": steps}},
        "months": {"date_histogram": {**months, "min_doc_count": 1}},
        "categories": {"terms": {"field": "category", "size": MOST_CATEGORIES}},
    }
    for name in counted.choices:
        found[f"choices.{name}"] = {"terms": {"field": f"choices.{name}", "size": MOST_VALUES}}
    for name in counted.numbers:
        found[f"numbers.{name}"] = {"stats": {"field": f"numbers.{name}"}}
    return found


class FacetCounts:
    """Counts of the index and of rows, together."""

    def __init__(
        self, counted: FacetRequest, aggregated: Aggregations, rows: Iterable[Row]
    ) -> None:
        self._counted = counted
        self._prices = Counter(
            {int(one["key"]): one["doc_count"] for one in aggregated["prices"]["buckets"]}
        )
        self._months = _counter(aggregated["months"], "key_as_string")
        self._categories = _counter(aggregated["categories"], "key")
        self._choices = {
            name: _counter(aggregated[f"choices.{name}"], "key") for name in counted.choices
        }
        self._numbers: dict[str, list[float]] = defaultdict(list)
        for row in rows:
            self._add(row)
        self._steps: dict[str, float] = {}
        for name in counted.numbers:
            found = aggregated[f"numbers.{name}"]
            ends = [found[end] for end in ("min", "max") if found["count"]]
            if ends := [*ends, *self._numbers[name]]:
                self._steps[name] = _step(max(ends) - min(ends))

    def _add(self, row: Row) -> None:
        if row["price_type"] != PriceType.ON_REQUEST:
            self._prices[sum(step <= row["price"] for step in self._counted.price_steps)] += 1
        self._months[row["month"]] += 1
        if row["category_id"] is not None:
            self._categories[row["category_id"]] += 1
        for name, value in json.loads(row["attributes"]).items():
            if is_number(value):
                self._numbers[name].append(value)
            elif name in self._choices:
                self._choices[name][json.dumps(value)] += 1

    @property
    def aggregations_of_bands(self) -> dict[str, object]:
        """The second request; empty if there is nothing more to count."""
        return {
            name: {
                "histogram": {"field": f"numbers.{name}", "interval": step, "min_doc_count": 1},
                "aggs": {end: {end: {"field": f"numbers.{name}"}} for end in ("min", "max")},
            }
            for name, step in self._steps.items()
        }

    def facets(self, bands: Aggregations) -> Facets:
        return Facets(
            exact=True,
            prices=sorted((band, n) for band, n in self._prices.items() if n),
            months=sorted(self._months.items()),
            categories=self._categories,
            choices={name: _most(counts) for name, counts in self._choices.items() if counts},
            numbers={name: self._bands(name, bands[name]) for name in self._steps},
        )

    def _bands(self, name: str, aggregated: Aggregations) -> Sequence[tuple[float, float, int]]:
        step = self._steps[name]
        found = {
            round(one["key"] / step): (one["min"]["value"], one["max"]["value"], one["doc_count"])
            for one in aggregated["buckets"]
        }
        for number in self._numbers[name]:
            band = floor(number / step)
            low, high, count = found.get(band, (number, number, 0))
            found[band] = min(low, number), max(high, number), count + 1
        return [found[band] for band in sorted(found)]


def _counter(aggregated: Aggregations, key: str) -> Counter[Any]:
    return Counter({one[key]: one["doc_count"] for one in aggregated["buckets"]})


def _most(counts: Counter[str]) -> Sequence[tuple[Any, int]]:
    return [(json.loads(value), n) for value, n in counts.most_common(MOST_VALUES)]


def _step(width: float) -> float:
    """A band's width: 1, 2 or 5 times a power of ten, as `facets_sql` has it."""
    span = width / BANDS
    if span <= 0:
        return 1.0
    power: float = 10.0 ** floor(log10(span))
    return power * next((factor for factor in (1, 2, 5) if span <= factor * power), 10)
