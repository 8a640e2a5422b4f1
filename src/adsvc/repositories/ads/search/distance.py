"""Pages in the order of distance, taken from rings that grow outward."""

import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from math import isqrt
from typing import NamedTuple

from adsvc.db.pools import Row
from adsvc.repositories.ads.criteria import AdFilter, Key
from adsvc.repositories.ads.listing import table_sql
from adsvc.repositories.ads.places import (
    BAND,
    Circle,
    cover,
    distance_sql,
    each_of,
    placed_sql,
    shown_in_strips,
    strips_sql,
    within_box,
)
from adsvc.repositories.ads.projection import record_sql, visible
from adsvc.repositories.ads.search.statements import Query, ResultPage, Search, arrays_sql, fits_sql
from adsvc.repositories.ads.terms import Parameters

# So many entries of the index of places a ring may have to be sorted.
MOST_IN_RING = 8000

# As many are aimed at, since rings are guessed.
AIM = 1500

# Of one that has too many the part that may be taken next.
DENSE = 0.1

# Of a ring so many are looked at: they lie anywhere in the table.
LOOKED_AT = 1500

# So many entries of the index of places are read for those with the highest ids.
MOST_PLACED = 100_000

# The first guess where nothing is known, in metres.
FIRST_RING = 1000


class Start(NamedTuple):
    """From where on ads are looked for: of that distance only those with a lower id, if given."""

    distance: int
    below: int | None = None

    @classmethod
    def after(cls, key: Key | None) -> "Start":
        if key is None:
            return cls(0)
        distance, last_id = (int(part) for part in key)
        return cls(distance, last_id)

    @property
    def as_key(self) -> Key:
        """That of the last one before it, or of one that might be there."""
        if self.below is None:
            return [self.distance - 1, 0]
        return [self.distance, self.below]


def ring_sql(search: Search, start: Start, outer: int, rows: int) -> Query:
    """The next matches from there on, not farther away than `outer`, nearest first.

    Also how many ads the ring has (`entries`), and the key of the last one looked at if more follow
    (`edge`). One that has more than `MOST_IN_RING` gives nothing but a distance (`dense`) within
    which there are many of them already.
    """
    parameters = Parameters()
    circle = centre(search)
    inner = start.distance
    strips = cover(Circle(circle.latitude, circle.longitude, outer), search.ads.box, beyond=inner)
    distance = distance_sql(circle, parameters)
    box = within_box(search.ads.box, parameters) if search.ads.box else "TRUE"
    beyond = f"distance BETWEEN {inner} AND {outer}"
    if start.below is not None:
        beyond += f" AND (distance > {inner} OR id < {parameters.add(start.below)})"
    ring = f"""
        SELECT id, distance FROM (
            SELECT ads.id, {distance} AS distance
            FROM {shown_in_strips(strips, parameters)} WHERE {box} OFFSET 0
        ) AS measured
        WHERE {beyond} LIMIT {MOST_IN_RING + 1}
    """
    return _looked_at(search, ring, rows, parameters)


def circle_sql(search: Search, start: Start, rows: int) -> Query:
    """The same for all of one distance, however many there are.

    They are at few points. These are found one after the other in the index, which has the ads of
    each by their ids.
    """
    parameters = Parameters()
    circle = centre(search)
    away = start.distance
    below = "" if start.below is None else f"AND id < {parameters.add(start.below)}"
    strips = cover(Circle(circle.latitude, circle.longitude, away), search.ads.box, beyond=away)
    box = within_box(search.ads.box, parameters) if search.ads.box else "TRUE"
    first = f"""
        SELECT public_longitude AS longitude FROM ads
        WHERE {BAND} = strip.band AND public_longitude {{}} AND public_longitude <= strip.east
            AND {visible()}
        ORDER BY public_longitude LIMIT 1
    """
    ring = f"""
        WITH RECURSIVE strip AS MATERIALIZED (
            SELECT * FROM {strips_sql(strips, parameters)}
        ), point AS (
            SELECT strip.*, longitude FROM strip, LATERAL ({first.format(">= strip.west")}) AS first
            UNION ALL
            SELECT strip.band, strip.west, strip.east, next.longitude
            FROM point AS strip, LATERAL ({first.format("> strip.longitude")}) AS next
        )
        SELECT here.id, {away} AS distance FROM point, LATERAL (
            SELECT id FROM ads
            WHERE {BAND} = point.band AND public_longitude = point.longitude
                AND {visible()} AND {box}
                AND {distance_sql(circle, parameters)} = {away}
                {below}
            ORDER BY public_longitude DESC, id DESC LIMIT {LOOKED_AT + 1}
        ) AS here
        ORDER BY here.id DESC LIMIT {LOOKED_AT + 1}
    """
    return _looked_at(search, ring, rows, parameters)


def newest_sql(search: Search, key: Key | None, rows: int) -> Query:
    """The next ads by their ids of all in circle or box, if these are not too many (`complete`).

    There is no other condition, so the index of places is enough to find them.
    """
    parameters, order = Parameters(), search.order
    beyond = order.beyond(key, parameters) if key else "TRUE"
    placed = placed_sql(search.ads.near, search.ads.box, MOST_PLACED + 1, parameters)
    all_of_them = "(SELECT placed, placed AS id FROM placed WHERE (SELECT complete FROM known))"
    next_ones = f"""(
        SELECT placed FROM {all_of_them} AS placed WHERE {beyond} ORDER BY {order.by} LIMIT {rows}
    ) AS next"""
    table = each_of(next_ones, "placed", table_sql(search.ads, parameters))
    page = f"SELECT {search.columns} FROM {table} ORDER BY {order.by}"
    return Query(
        f"""
        WITH placed AS MATERIALIZED ({placed}),
        known AS MATERIALIZED (
            SELECT count(*) AS total, count(*) <= {MOST_PLACED} AS complete FROM placed
        )
        SELECT {arrays_sql(search)}, count(*) AS matches, (SELECT complete FROM known) AS complete,
            (SELECT total FROM known) AS total
        FROM ({record_sql(page, search.key.names, search.record)}) AS page
        """,
        parameters.values,
    )


def count_sql(ads: AdFilter, most: int) -> Query:
    """How many ads are in circle and box, as far as that."""
    parameters = Parameters()
    placed = placed_sql(ads.near, ads.box, most, parameters)
    return Query(f"SELECT count(*) AS total FROM ({placed}) AS placed", parameters.values)


def _looked_at(search: Search, ring: str, rows: int, parameters: Parameters) -> Query:
    columns = ", ".join(name for name in search.columns.split(", ") if name != "distance")
    near = f"""(
        SELECT id AS placed, distance FROM ring
        WHERE (SELECT entries FROM known) <= {MOST_IN_RING}
        ORDER BY distance, id DESC LIMIT {LOOKED_AT}
    ) AS near"""
    ads = f"(SELECT * FROM ads WHERE {fits_sql(search, parameters)}) AS ads"
    # One after the other, until there are enough.
    page = f"""
        SELECT distance, {columns} FROM {each_of(near, "placed", ads)}
        ORDER BY distance, placed DESC LIMIT {rows}
    """
    return Query(
        f"""
        WITH ring AS MATERIALIZED ({ring}), known AS MATERIALIZED (
            SELECT count(*) AS entries,
                percentile_disc({DENSE}) WITHIN GROUP (ORDER BY distance) AS dense
            FROM ring
        )
        SELECT {arrays_sql(search)}, count(*) AS matches, (SELECT entries FROM known) AS entries,
            (SELECT dense FROM known) AS dense,
            (
                SELECT json_build_array(distance, id)::text FROM ring
                WHERE (SELECT entries FROM known) BETWEEN {LOOKED_AT + 1} AND {MOST_IN_RING}
                ORDER BY distance, id DESC OFFSET {LOOKED_AT - 1} LIMIT 1
            ) AS edge
        FROM ({record_sql(page, search.key.names, search.record)}) AS page
        """,
        parameters.values,
    )


def centre(search: Search) -> Circle:
    if search.ads.near is None:
        raise AssertionError
    return search.ads.near


def first_ring(start: Start, before: int) -> int:
    """Where the first ring might end: as if it were as dense as what lies before it."""
    if not before:
        return start.distance + FIRST_RING
    return isqrt(start.distance**2 * (before + AIM) // before) + 1


def next_ring(inner: int, outer: int, entries: int) -> int:
    """Where the ring after that one might end."""
    if not entries:
        return 8 * outer + FIRST_RING
    area = (outer**2 - inner**2) * AIM // entries
    return min(isqrt(outer**2 + area) + 1, 8 * outer + FIRST_RING)


# A ring that has too much or too little costs one; a page takes two or three.
MAX_QUERIES = 12

# So many ads of the rings are looked at for a page.
MAX_SCANNED = 2500

Fetch = Callable[[Query], Awaitable[Sequence[Row]]]


async def scan(
    fetch: Fetch, search: Search, page: ResultPage, key: Key | None, before: int, *, all_ads: float
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
    for _ in range(MAX_QUERIES):
        # Where so many are equally far that no ring is thin enough.
        crowded = crowd == start.distance
        query = circle_sql if crowded else partial(ring_sql, outer=outer)
        [row] = await fetch(query(search, start, rows=page.missing))
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
        if looked_at > MAX_SCANNED:
            break
    return start.as_key
