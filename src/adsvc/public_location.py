"""The public point of an ad: where it is, to about a kilometre."""

from math import asin, cos, floor, radians, sin, sqrt
from typing import NamedTuple

# The globe is divided into cells, a hundredth of a degree of latitude high (1.1 km), and about as
# wide. The middle of a cell is less than a kilometre from everything in it.
CELLS_PER_DEGREE = 100
# Ten metres: the middle need not look more exact than it is.
DECIMALS = 4
POLE = 90.0


class Point(NamedTuple):
    """In degrees of WGS 84."""

    latitude: float
    longitude: float


def public_point(latitude: float, longitude: float) -> Point:
    """The middle of the cell that the point is in.

    It depends on the point alone, so repeated requests and averages reveal nothing more.
    """
    if abs(latitude) == POLE:
        # All meridians meet at a pole, so its longitude has no meaning.
        longitude = 0.0
    row = min(floor((latitude + POLE) * CELLS_PER_DEGREE), int(2 * POLE) * CELLS_PER_DEGREE - 1)
    middle = (row + 0.5) / CELLS_PER_DEGREE - POLE
    # Fewer cells towards the poles, where the parallels are short.
    cells = round(360 * CELLS_PER_DEGREE * cos(radians(middle)))
    # 180 degrees west and east are one meridian.
    cell = floor((longitude + 180) / 360 * cells) % cells
    return Point(round(middle, DECIMALS), round((cell + 0.5) * 360 / cells - 180, DECIMALS))


# The mean radius of WGS 84 (IUGG's R1), in metres.
EARTH_RADIUS = 6_371_008.7714
# Of a degree of latitude, in kilometres; too small rather than too large.
DEGREE_KM = 111.0


def distance_between(one: Point, other: Point) -> float:
    """In metres, along the sphere (haversine)."""
    chord = sin(radians(other.latitude - one.latitude) / 2) ** 2 + (
        cos(radians(one.latitude))
        * cos(radians(other.latitude))
        * sin(radians(other.longitude - one.longitude) / 2) ** 2
    )
    return 2 * EARTH_RADIUS * asin(sqrt(min(1.0, chord)))


def cell_of(latitude: float, longitude: float) -> int:
    """The number of the cell, a degree high and a degree wide, that the point is in."""
    return min(floor(latitude + POLE), 179) * 360 + floor(longitude + 180) % 360


def cells_within(point: Point, kilometres: float) -> list[int]:
    """The numbers of all cells that have a point within the distance."""
    reach = kilometres / DEGREE_KM
    rows = range(
        max(0, floor(point.latitude - reach + POLE)),
        min(179, floor(point.latitude + reach + POLE)) + 1,
    )
    # The parallel nearest to a pole is the shortest.
    furthest = min(abs(point.latitude) + reach, POLE)
    width = 180.0 if furthest == POLE else min(180.0, reach / cos(radians(furthest)))
    columns = {
        column % 360
        for column in range(
            floor(point.longitude - width + 180), floor(point.longitude + width + 180) + 1
        )
    }
    return [row * 360 + column for row in rows for column in sorted(columns)]
