"""The SQL of places: how far ads are away, which of them lie in a circle or a box.

All of it is about the public point, which is less exact than the ad's own.
"""

from collections.abc import Sequence
from math import cos, radians

from adsvc.repositories.ads.places.shapes import EARTH_RADIUS, Box, Circle, Strip, cover
from adsvc.repositories.ads.terms import Parameters
from adsvc.repositories.ads.visibility import visible

# As the index has it.
BAND = "floor(ads.public_latitude * 20)::int"


def distance_sql(circle: Circle, parameters: Parameters) -> str:
    """Metres from its centre, rounded: the haversine of the row's public point."""
    latitude, longitude, scale = (
        f"{parameters.add(value)}::float8"
        for value in (circle.latitude, circle.longitude, cos(radians(circle.latitude)))
    )
    return (
        f"round({2 * EARTH_RADIUS} * asin(sqrt(least(1,"
        f" power(sin(radians(public_latitude - {latitude}) / 2), 2)"
        f" + {scale} * cos(radians(public_latitude))"
        f" * power(sin(radians(public_longitude - {longitude}) / 2), 2)))))::int"
    )


def strips_sql(strips: Sequence[Strip], parameters: Parameters) -> str:
    """Rows of the strips."""
    bands, wests, easts = (
        parameters.add([strip[at] for strip in strips]) for at in range(len(Strip._fields))
    )
    return (
        f"unnest({bands}::int[], {wests}::float8[], {easts}::float8[]) AS strip (band, west, east)"
    )


def shown_in_strips(strips: Sequence[Strip], parameters: Parameters) -> str:
    """The ids and public points of the visible ads there, which their index alone tells.

    With OFFSET PostgreSQL goes from strip to strip. It knows little of what it finds there, and
    might go from ad to ad.
    """
    return f"""
        {strips_sql(strips, parameters)} CROSS JOIN LATERAL (
            SELECT id, public_latitude, public_longitude FROM ads
            WHERE {BAND} = strip.band
                AND public_longitude BETWEEN strip.west AND strip.east AND {visible()}
            OFFSET 0
        ) AS ads
    """


def placed_sql(circle: Circle | None, box: Box | None, most: int, parameters: Parameters) -> str:
    """The ids of the visible ads in circle and box, at most so many, as `placed`."""
    found = shown_in_strips(cover(circle, box), parameters)
    conditions = []
    if circle is not None:
        distance = distance_sql(circle, parameters)
        conditions.append(f"{distance} <= {parameters.add(circle.radius)}")
    if box is not None:
        conditions.append(within_box(box, parameters))
    place = " AND ".join(conditions) or "TRUE"
    return f"SELECT ads.id AS placed FROM {found} WHERE {place} LIMIT {most}"


def each_of(rows: str, placed: str, table: str) -> str:
    """Those ads of the table, in the order of the rows.

    Without LIMIT PostgreSQL might join the rows with all ads there are.
    """
    return f"{rows} CROSS JOIN LATERAL (SELECT * FROM {table} WHERE id = {placed} LIMIT 1) AS ads"


def within_circle(circle: Circle, parameters: Parameters) -> str:
    """What is cheaper to compare comes first, and PostgreSQL has statistics for it."""
    south, north = (parameters.add(at) for at in circle.latitudes)
    distance = distance_sql(circle, parameters)
    return (
        f"(public_latitude BETWEEN {south} AND {north}"
        f" AND {_within_spans(circle.spans, parameters)}"
        f" AND {distance} <= {parameters.add(circle.radius)})"
    )


def within_box(box: Box, parameters: Parameters) -> str:
    south, north = parameters.add(box.south), parameters.add(box.north)
    spans = _within_spans(box.spans, parameters)
    return f"(public_latitude BETWEEN {south} AND {north} AND {spans})"


def _within_spans(spans: Sequence[tuple[float, float]], parameters: Parameters) -> str:
    pieces = (
        f"public_longitude BETWEEN {parameters.add(west)} AND {parameters.add(east)}"
        for west, east in spans
    )
    return f"({' OR '.join(pieces)})"
