"""Filters and words as queries of OpenSearch."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from adsvc.models.ads import PRICE_MAX, PRICE_OR_LOWEST
from adsvc.repositories.ads.criteria import (
    EPOCH,
    MILLISECOND,
    AdFilter,
    AttributeFilter,
    Key,
    Numbers,
    Order,
    Sort,
)
from adsvc.repositories.ads.opensearch.documents import is_number
from adsvc.repositories.ads.search.statements import RANKS
from adsvc.repositories.ads.search.words import Word, WordQuery, lexemes_of

Query = dict[str, object]
NOTHING: Query = {"match_none": {}}
# PostgreSQL rounds distances, in metres.
HALF_A_METRE = 0.5


def can_answer(ads: AdFilter, sort: Sort) -> bool:
    """Whether it has all that the filter and the order need, but for the words."""
    return ads.statuses is None and ads.external_id is None and sort is not Sort.DISTANCE


def can_find(words: WordQuery | None) -> bool:
    """Whether no words have to be adjacent: the index does not have their places."""
    every = () if words is None else (word for group in words.groups for word in group)
    return not any("<" in text for word in every for text in (*word.whole, *word.begun))


def filter_query(ads: AdFilter, without: Sequence[int]) -> Query:
    """The filter without its words, and without these ads."""
    return {"bool": {"filter": [*_conditions(ads)], "must_not": [{"terms": {"id": list(without)}}]}}


def _conditions(ads: AdFilter) -> Iterator[Query]:
    yield {"range": {"expires": {"gt": int(time.time() * 1000)}}}
    if ads.has_price:
        highest = PRICE_MAX if ads.max_price is None else ads.max_price
        yield _range("price", ads.min_price, highest)
    if ads.author is not None:
        yield {"term": {"author": ads.author}}
    # Ads have whole milliseconds.
    if ads.created_after is not None:
        yield {"range": {"created": {"gt": (ads.created_after - EPOCH) // MILLISECOND}}}
    if ads.created_before is not None:
        yield {"range": {"created": {"lt": -((EPOCH - ads.created_before) // MILLISECOND)}}}
    if ads.near is not None:
        centre = {"lat": ads.near.latitude, "lon": ads.near.longitude}
        yield {"geo_distance": {"distance": f"{ads.near.radius + HALF_A_METRE}m", "point": centre}}
    if ads.box is not None:
        yield _range("latitude", ads.box.south, ads.box.north)
        yield _any(_range("longitude", west, east) for west, east in ads.box.spans)
    if ads.price_type is not None:
        yield {"term": {"price_type": ads.price_type}}
    if ads.category is not None:
        yield {"terms": {"category": list(ads.category.ids)}}
    for wanted in ads.attributes or ():
        yield _any(_attribute(wanted))


def _attribute(wanted: AttributeFilter) -> Iterator[Query]:
    numbers, choices = f"numbers.{wanted.name}", f"choices.{wanted.name}"
    if found := [value for value in wanted.values if is_number(value)]:
        yield {"terms": {numbers: found}}
    if found := [value for value in wanted.values if not is_number(value)]:
        yield {"terms": {choices: [json.dumps(value) for value in found]}}
    for limits in wanted.ranges:
        if isinstance(limits, Numbers):
            yield _range(numbers, limits.low, limits.high)
        else:
            low, high = (end and json.dumps(end) for end in (limits.low, limits.high))
            yield _range(choices, low, high)


def _range(field: str, low: object, high: object) -> Query:
    ends = {"gte": low, "lte": high}
    return {"range": {field: {name: end for name, end in ends.items() if end is not None}}}


def _any(queries: Iterable[Query]) -> Query:
    return {"bool": {"should": [*queries], "minimum_should_match": 1}}


def _all(*queries: Query) -> Query:
    return {"bool": {"filter": [*queries]}}


class WordMatcher:
    """The words of a query as `Search.of_rank` and `Search.rank_sql` match them."""

    def __init__(self, words: WordQuery) -> None:
        self._words = words

    @property
    def matching(self) -> Query:
        return self._query("words", begun=True)

    @property
    def by_rank(self) -> Query:
        """The same, with a score that falls with the rank."""
        if not self._words.words:
            return {"constant_score": {"filter": self.matching, "boost": float(RANKS)}}
        whole = self._query("words")
        ranks = [
            _all(whole, self._exact()),
            _all(whole, self._query("title")),
            whole,
        ]
        if self._words.has_beginning:
            ranks += [_all(self.matching, self._query("title", begun=True)), self.matching]
        scored = [
            {"constant_score": {"filter": query, "boost": float(RANKS - rank)}}
            for rank, query in enumerate(ranks)
        ]
        return {"dis_max": {"queries": scored}}

    def _query(self, field: str, *, begun: bool = False) -> Query:
        return self._groups(lambda word: _alternatives(word, field, begun=begun))

    def _exact(self) -> Query:
        """What is excluded is so in every spelling."""
        return self._groups(
            lambda word: (
                _alternatives(word, "title")
                if word.excluded
                else {"term": {"spelling": lexemes_of(word.typed)[0]}}
            )
        )

    def _groups(self, query_of: Callable[[Word], Query]) -> Query:
        if not self._words.groups:
            return NOTHING
        return _any(
            {
                "bool": {
                    "filter": [query_of(word) for word in group if not word.excluded],
                    "must_not": [query_of(word) for word in group if word.excluded],
                }
            }
            for group in self._words.groups
        )


def _alternatives(word: Word, field: str, *, begun: bool = False) -> Query:
    whole: Query = {"terms": {field: [lexemes_of(text)[0] for text in word.whole]}}
    if not (begun and word.begun):
        return whole
    beginnings: list[Query] = [{"prefix": {field: begin}} for begin in word.beginnings]
    return _any([whole, *beginnings])


def sort_of(order: Order, *, by_rank: bool) -> list[dict[str, str]]:
    first = [{"_score": "desc"}] if by_rank else []
    columns = (
        (_field_of(column.name, column.made), "desc" if column.descending else "asc")
        for column in order.columns
    )
    return [*first, *({field: direction} for field, direction in columns)]


def _field_of(name: str, made: str) -> str:
    if name == "sort_price":
        return "lowest" if made == PRICE_OR_LOWEST else "price"
    return {"created_at": "created"}.get(name, name)


def search_after(rank: int | None, key: Key) -> list[float | int | str]:
    """Where a page begins: after a row of that rank with that key."""
    return [*key] if rank is None else [RANKS - rank, *key]


def key_of(values: Sequence[float | int | str], *, by_rank: bool) -> list[float | int | str]:
    """The key of a row, with its rank first, from what it was sorted by.

    `TypeError` if that is no number.
    """
    if not all(map(is_number, values)):
        raise TypeError
    return [RANKS - int(values[0]), *values[1:]] if by_rank else [*values]
