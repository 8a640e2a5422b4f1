"""Pages in the order of distance, taken from rings that grow outward."""

import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Protocol

from adsvc.db.read_pool import Record
from adsvc.repositories.ads.order import Key
from adsvc.repositories.ads.search.asked import Search, Statement
from adsvc.repositories.ads.search.rings import (
    LOOKED_AT,
    MOST_IN_RING,
    Start,
    circle_sql,
    first_ring,
    next_ring,
    ring_sql,
)

# A ring that has too much or too little costs one; a page takes two or three.
MOST_STATEMENTS = 12

# So many ads of the rings are looked at for a page.
MOST_LOOKED_AT = 2500

Fetch = Callable[[Statement], Awaitable[Sequence[Record]]]


class Page(Protocol):
    @property
    def missing(self) -> int: ...
    def add(self, row: Record, search: Search) -> None: ...


async def walk(
    fetch: Fetch, search: Search, page: Page, key: Key | None, before: int, *, all_ads: float
) -> Key | None:
    """Fills the page; where it ended if it is not full and there may be more.

    `before` is how many matches lie before the key, `all_ads` about how many there are anywhere.
    """
    circle = search.ads.near
    if circle is None:
        raise AssertionError
    start, crowd = Start.after(key), None
    outer = circle.radius
    if all_ads > MOST_IN_RING:
        outer = min(outer, first_ring(start, before))
    looked_at = 0
    for _ in range(MOST_STATEMENTS):
        # Where so many are equally far that no ring is thin enough.
        crowded = crowd == start.distance
        statement = circle_sql if crowded else partial(ring_sql, outer=outer)
        [row] = await fetch(statement(search, start, rows=page.missing))
        if row["entries"] > MOST_IN_RING:
            crowd = row["dense"]
            outer = max(start.distance, crowd - 1)
            continue
        page.add(row, search)
        looked_at += min(row["entries"], LOOKED_AT)
        outer = start.distance if crowded else outer
        if page.missing == 0 or (row["edge"] is None and outer == circle.radius):
            return None
        if row["edge"] is not None:
            start = Start.after(json.loads(row["edge"]))
        else:
            following = next_ring(start.distance, outer, row["entries"])
            start, outer = Start(outer + 1), min(circle.radius, following)
        if looked_at > MOST_LOOKED_AT:
            break
    return start.as_key
