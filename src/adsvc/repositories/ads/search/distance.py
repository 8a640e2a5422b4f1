"""Pages in the order of distance, read from rings that grow outward."""

import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from math import isqrt
from typing import NamedTuple

from adsvc.kit.db.statements import Row
from adsvc.repositories.ads.criteria import AdFilter, Key
from adsvc.repositories.ads.facets import CellRequest
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
from adsvc.repositories.ads.search_words import Parameters

# The most entries of the index of places in a ring, which have to be sorted.
MOST_IN_RING = 8000

# The number of entries that the guess of a ring aims at.
AIM = 1500

# If a ring has too many, the next one ends within the distance of this part of its ads.
DENSE = 0.1

# The most ads of a ring that are read: they lie anywhere in the table.
LOOKED_AT = 1500

# The most entries of the index of places that are read to find those with the highest ids.
MOST_PLACED = 100_000

# The most entries of it that are read for a map.
MOST_MAPPED = 20_000

# The first guess without any information, in metres.
FIRST_RING = 1000


class Start(NamedTuple):
    """Where the search for ads begins: at that distance only with ids below `below`, if given."""

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
        """The key of the ad before it, or of an ad that might be there."""
        if self.below is None:
            return [self.distance - 1, 0]
        return [self.distance, self.below]


def ring_sql(search: Search, start: Start, outer: int, rows: int) -> Query:
    """The next matches from `start`, not farther away than `outer`, nearest first.

    Also the number of ads in the ring (`entries`), and the key of the last one read if more follow
    (`edge`). A ring with more than `MOST_IN_RING` gives only a distance (`dense`) within which
    there are many of them already.
    """
    parameters = Parameters()
    circle = centre(search)
    inner = start.distance
    reach = Circle(circle.latitude, circle.longitude, outer)
    strips = cover(reach, search.ads.box, beyond=inner)
    distance = distance_sql(circle, parameters)
    box = within_box(search.ads.box, parameters) if search.ads.box else "TRUE"
    beyond = f"distance BETWEEN {inner} AND {outer}"
    if start.below is not None:
        beyond += f" AND (distance > {inner} OR id < {parameters.add(start.below)})"
    ring = f"""
        SELECT id, distance FROM (
            SELECT ads.id, {distance} AS distance
            FROM {shown_in_strips(strips, parameters, reach.latitudes)} WHERE {box} OFFSET 0
        ) AS measured
        WHERE {beyond} LIMIT {MOST_IN_RING + 1}
    """
    return _looked_at(search, ring, rows, parameters)


def circle_sql(search: Search, start: Start, rows: int) -> Query:
    """The same for a single distance, however many ads there are.

    They are at few points. The index finds these one after the other, with the ads of each by id.
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
            SELECT band, west, east, longitude
            FROM strip, LATERAL ({first.format(">= strip.west")}) AS first
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
    """The next ads by id of all in circle or box, if these are not too many (`complete`).

    There is no other condition, so the index of places suffices to find them.
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
        FROM ({record_sql(page, search.key.of_page, search.record)}) AS page
        """,
        parameters.values,
    )


def count_sql(ads: AdFilter, most: int) -> Query:
    """How many ads are in circle and box, up to `most`."""
    parameters = Parameters()
    placed = placed_sql(ads.near, ads.box, most, parameters)
    return Query(f"SELECT count(*) AS total FROM ({placed}) AS placed", parameters.values)


def cells_sql(ads: AdFilter, cells: CellRequest) -> Query:
    """The ads in circle and box by cells, by the index alone, and how many they are.

    If they are more than `MOST_MAPPED`, the cells are only those of a corner.
    """
    parameters = Parameters()
    columns = ", ads.id, public_latitude, public_longitude"
    placed = placed_sql(ads.near, ads.box, MOST_MAPPED + 1, parameters, columns)
    return Query(
        f"""
        WITH placed AS MATERIALIZED ({placed})
        SELECT {cells.sql("placed", parameters)} AS counts, count(*) AS total FROM placed
        """,
        parameters.values,
    )


def _looked_at(search: Search, ring: str, rows: int, parameters: Parameters) -> Query:
    columns = ", ".join(name for name in search.columns.split(", ") if name != "distance")
    near = f"""(
        SELECT id AS placed, distance FROM ring
        WHERE (SELECT entries FROM known) <= {MOST_IN_RING}
        ORDER BY distance, id DESC LIMIT {LOOKED_AT}
    ) AS near"""
    ads = f"(SELECT * FROM ads WHERE {fits_sql(search, parameters)}) AS ads"
    # Reads one after the other, until there are enough.
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
        FROM ({record_sql(page, search.key.of_page, search.record)}) AS page
        """,
        parameters.values,
    )


def centre(search: Search) -> Circle:
    if search.ads.near is None:
        raise AssertionError
    return search.ads.near


def first_ring(start: Start, before: int) -> int:
    """A guess of where the first ring ends: as dense as what lies before it."""
    if not before:
        return start.distance + FIRST_RING
    return isqrt(start.distance**2 * (before + AIM) // before) + 1


def next_ring(inner: int, outer: int, entries: int) -> int:
    """A guess of where the next ring ends."""
    if not entries:
        return 8 * outer + FIRST_RING
    area = (outer**2 - inner**2) * AIM // entries
    return min(isqrt(outer**2 + area) + 1, 8 * outer + FIRST_RING)


# The most queries. A wrong guess costs one; a page takes two or three.
MAX_QUERIES = 12

# The most ads of the rings that are read for a page.
MAX_SCANNED = 2500

Fetch = Callable[[Query], Awaitable[Sequence[Row]]]


async def scan(
    fetch: Fetch, search: Search, page: ResultPage, key: Key | None, before: int, *, all_ads: float
) -> Key | None:
    """Fills the page. Returns where it ended, if the page is not full and there may be more.

    `before` is the number of matches before the key, `all_ads` roughly the number of all ads.
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
        # So many ads have the same distance that no ring is narrow enough.
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
