"""Distances computed independently, and places where that is hard."""

from math import asin, atan2, cos, degrees, radians, sin, sqrt
from random import Random

RADIUS = 6_371_008.7714

Point = tuple[float, float]

# Poles, both names of the 180th meridian, and a city.
HARD: tuple[Point, ...] = (
    (90, 0), (-90, 0), (89.95, 120), (-89.999, -60), (0, 180), (0, -180), (10, 179.9),
    (-18.14, -179.95), (69.65, 18.96), (52.52, 13.405), (0, 0), (0.0001, -0.0001),
)  # fmt: skip


def distance(one: Point, other: Point) -> float:
    """The haversine of two points (latitude, longitude), in metres."""
    south, north = radians(one[0]), radians(other[0])
    across = sin(radians(other[1] - one[1]) / 2) ** 2
    half = sin((north - south) / 2) ** 2 + cos(south) * cos(north) * across
    return 2 * RADIUS * asin(sqrt(min(1.0, half)))


def towards(start: Point, metres: float, bearing: float) -> Point:
    """Where one is that many metres from there, in degrees from north."""
    latitude, turn, angle = radians(start[0]), radians(bearing), metres / RADIUS
    up = sin(latitude) * cos(angle) + cos(latitude) * sin(angle) * cos(turn)
    found = asin(max(-1.0, min(1.0, up)))
    east = sin(turn) * sin(angle) * cos(latitude)
    along = degrees(atan2(east, cos(angle) - sin(latitude) * sin(found)))
    return degrees(found), (start[1] + along + 540) % 360 - 180


def scattered(random: Random, count: int) -> list[Point]:
    """Around hard places, near and far, and anywhere."""
    found: list[Point] = []
    for number in range(count):
        if number % 4 == 0:
            found.append((degrees(asin(random.uniform(-1, 1))), random.uniform(-180, 180)))
        else:
            start, metres = random.choice(HARD), 10 ** random.uniform(0, 5.8)
            found.append(towards(start, metres, random.uniform(0, 360)))
    return found
