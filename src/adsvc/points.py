"""The public point of an ad: where it is, to about a kilometre."""

from math import cos, floor, radians
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
