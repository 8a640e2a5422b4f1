"""The SQL of places: how far ads are away, which of them lie in a circle or a box.

All of it is about the public point, which is less exact than the ad's own.
"""

from collections.abc import Sequence
from math import cos, radians

from adsvc.repositories.ads.places.shapes import EARTH_RADIUS, Box, Circle
from adsvc.repositories.ads.terms import Parameters


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
