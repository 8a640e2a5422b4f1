"""The parameters of a listing in one order: what names its answer in the cache, and its cursors."""

from functools import lru_cache

from adsvc.api.input import places
from adsvc.api.input.filters import FilterQuery
from adsvc.api.input.paging import PageQuery, Pairs
from adsvc.repositories import AdFilter, Sort
from adsvc.repositories.ads.order import order_of
from adsvc.services.categories import filters as categories

# In the order of a `Link`, whose last parameters are those of the page.
FILTERS = tuple(field.alias or name for name, field in FilterQuery.model_fields.items())

KNOWN = (*FILTERS, "sort", "limit", "cursor")

# All of these hold, in any order.
REPEATABLE = "attr"


def values_of(pairs: Pairs) -> dict[str, str | list[str]]:
    """Of a parameter sent twice the last one counts, but for those of which there may be many."""
    values: dict[str, str | list[str]] = dict(pairs)
    several = [value for name, value in pairs if name == REPEATABLE]
    return values | {REPEATABLE: several} if several else values


def known_pairs(pairs: Pairs) -> Pairs:
    """The parameters that mean something, in one order; of one sent twice the last one counts.

    They are valid, and a place that can be written in several ways is written in one.
    """
    given = dict(pairs)
    attributes = {categories.usual_spelling(value) for name, value in pairs if name == REPEATABLE}
    known: Pairs = []
    for name in KNOWN:
        if name == REPEATABLE:
            known += [(name, value) for value in sorted(attributes)]
        elif name in given:
            known.append((name, given[name]))
    usual = ((name, places.usual_spelling(name, value)) for name, value in known)
    return [(name, value) for name, value in usual if value is not None]


def filters_among(known: Pairs) -> Pairs:
    """What a page shares with the next one."""
    return [pair for pair in known if pair[0] not in PageQuery.model_fields]


@lru_cache
def listing_name(ads: AdFilter, sort: Sort) -> str:
    """What a cursor belongs to: the filters that are set, the order, and the form of its key.

    A filter that is not set has no part in it, so that a new one voids no cursor. An order whose
    columns are other ones than before has its cursors refused, instead of misunderstood.
    """
    kind = "ads" if ads.terms is None else "search"
    return f"{kind} {ads.given} {sort} {order_of(ads, sort).by}"
