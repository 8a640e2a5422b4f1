"""Circles and boxes on the globe, and the SQL that finds the ads in them.

Latitudes and longitudes are degrees of WGS 84. Distances are metres on its mean sphere, which
differ from those on the ellipsoid by at most 0.6 %. All SQL uses the public point, not the exact
one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import asin, cos, degrees, floor, inf, pi, radians, sin, sqrt
from typing import NamedTuple

from adsvc.public_location import EARTH_RADIUS
from adsvc.repositories.ads.projection import visible
from adsvc.repositories.ads.search_words import Parameters

# The index of places has ads by bands of latitude, a twentieth of a degree each (5.6 km), and in
# each band by longitude. A large circle has few bands, and in a small one they contain few other
# ads.
BANDS_PER_DEGREE = 20

# The error of rounding that a strip must allow for, in degrees: a tenth of a millimetre.
SLACK = 1e-9

# In metres. So no circle reaches around the globe.
LARGEST_RADIUS = 500_000
DEFAULT_RADIUS = 25_000


class Strip(NamedTuple):
    """A piece of a band, ends included: `west` is at most `east`.

    What is between `inner_west` and `inner_east`, ends excluded, is in the circle for certain, so
    its distance, which costs more than to read the entry, is not needed.
    """

    band: int
    west: float
    east: float
    inner_west: float = inf
    inner_east: float = -inf


@dataclass(frozen=True, slots=True)
class Circle:
    latitude: float
    longitude: float
    radius: int

    @property
    def scale(self) -> float:
        """How much shorter a degree of longitude is there than at the equator."""
        return cos(radians(self.latitude))

    @property
    def latitudes(self) -> tuple[float, float]:
        """The southern and northern bounds of the circle."""
        reach = degrees(self._angle) + SLACK
        return self.latitude - reach, self.latitude + reach

    @property
    def spans(self) -> list[tuple[float, float]]:
        """The ranges of longitude of the circle, each from west to east."""
        far = degrees(self._half_longitudes(self._angle, -pi / 2, pi / 2)) + SLACK
        return list(_spans(self.longitude, 0, far))

    @property
    def _angle(self) -> float:
        # A metre more, because distances are rounded.
        return (self.radius + 1) / EARTH_RADIUS

    def strips(self, beyond: int = 0) -> list[Strip]:
        """Strips that cover everything at least `beyond` and at most `radius` away, and some more.

        They do not overlap.
        """
        # A metre less, because distances are rounded.
        inner, sure = ((metres - 1) / EARTH_RADIUS for metres in (beyond, self.radius))
        outer = self._angle
        found: list[Strip] = []
        for band in bands(*self.latitudes):
            south, north = radians(_edge(band)), radians(_edge(band + 1))
            far = degrees(self._half_longitudes(outer, south, north)) + SLACK
            near = self._narrowest(inner, south, north)
            core = self._narrowest(sure, south, north)
            within = (self.longitude - core, self.longitude + core)
            found += (Strip(band, *piece, *within) for piece in _spans(self.longitude, near, far))
        return found

    def _narrowest(self, angle: float, south: float, north: float) -> float:
        """Half of the longitudes that the whole band has in a circle with that angle, in degrees.

        At most 0 if there are none.
        """
        if angle <= 0:
            return 0.0
        return degrees(min(self._half_width(at, angle) for at in (south, north))) - SLACK

    def _half_longitudes(self, angle: float, south: float, north: float) -> float:
        """Half of the longitudes of a circle with that angle in the band, in radians."""
        # A circle is widest where a meridian touches it, which is nearer to the pole than the
        # centre.
        touching = sin(radians(self.latitude)) / cos(angle)
        parallel = asin(max(-1.0, min(1.0, touching)))
        return self._half_width(max(south, min(north, parallel)), angle)

    def _half_width(self, latitude: float, angle: float) -> float:
        """The same on one parallel; 0 where the circle does not reach it."""
        here = radians(self.latitude)
        left = sin(angle / 2) ** 2 - sin((latitude - here) / 2) ** 2
        scale = cos(latitude) * cos(here)
        if left <= 0:
            return 0.0
        return 2 * asin(sqrt(left / scale)) if left < scale else pi


@dataclass(frozen=True, slots=True)
class Box:
    """A box between meridians and parallels; across the 180th meridian if west is above east."""

    west: float
    south: float
    east: float
    north: float

    @property
    def latitudes(self) -> tuple[float, float]:
        return self.south, self.north

    @property
    def spans(self) -> list[tuple[float, float]]:
        """The ranges of longitude, each from west to east."""
        if self.west <= self.east:
            # -180 and 180 are the same meridian.
            names = (at for at in (180.0, -180.0) if -at in {self.west, self.east})
            other = [(at, at) for at in names if not self.west <= at <= self.east]
            return [(self.west, self.east), *other]
        return [(self.west, 180.0), (-180.0, self.east)]

    def strips(self) -> list[Strip]:
        """Strips that cover the box and some more."""
        found = bands(self.south, self.north)
        return [Strip(band, west, east) for band in found for west, east in self.spans]


def cover(circle: Circle | None, box: Box | None, *, beyond: int = 0) -> list[Strip]:
    """Strips that cover what is in both, at least `beyond` away. One of the two may be None."""
    if circle is None:
        return box.strips() if box is not None else []
    strips = circle.strips(beyond)
    return strips if box is None else list(_clipped(strips, box))


def _clipped(strips: Iterable[Strip], box: Box) -> Iterator[Strip]:
    found, spans = bands(box.south, box.north), box.spans
    for strip in strips:
        if strip.band in found:
            for start, end in spans:
                if max(strip.west, start) <= min(strip.east, end):
                    yield strip._replace(west=max(strip.west, start), east=min(strip.east, end))


def bands(south: float, north: float) -> range:
    first, last = (floor(max(-90.0, min(90.0, at)) * BANDS_PER_DEGREE) for at in (south, north))
    return range(first, last + 1)


def _edge(band: int) -> float:
    """The band's southern latitude. The North Pole is the last band."""
    return max(-90.0, min(90.0, band / BANDS_PER_DEGREE))


def _spans(longitude: float, near: float, far: float) -> Iterator[tuple[float, float]]:
    """What is between two angles away to the east and west, cut at the 180th meridian."""
    if near <= SLACK and far >= 180 - SLACK:
        yield -180.0, 180.0
        return
    if near <= SLACK:
        spans = [(longitude - far, longitude + far)]
    elif far >= 180 - SLACK:
        spans = [(longitude + near, longitude + 360 - near)]
    else:
        spans = [(longitude - far, longitude - near), (longitude + near, longitude + far)]
    for west, east in spans:
        for turn in (-360.0, 0.0, 360.0):
            if (start := max(-180.0, west + turn)) <= (end := min(180.0, east + turn)):
                yield start, end


# As in the index.
BAND = "floor(ads.public_latitude * 20)::int"


def distance_sql(circle: Circle, parameters: Parameters) -> str:
    """Metres from the centre to the row's public point, by the haversine, rounded."""
    latitude, longitude, scale = (
        f"{parameters.add(value)}::float8"
        for value in (circle.latitude, circle.longitude, circle.scale)
    )
    return (
        f"round({2 * EARTH_RADIUS} * asin(sqrt(least(1,"
        f" power(sin(radians(public_latitude - {latitude}) / 2), 2)"
        f" + {scale} * cos(radians(public_latitude))"
        f" * power(sin(radians(public_longitude - {longitude}) / 2), 2)))))::int"
    )


def strips_sql(strips: Sequence[Strip], parameters: Parameters) -> str:
    """The strips as rows."""
    bands, *edges = (
        parameters.add([strip[at] for strip in strips]) for at in range(len(Strip._fields))
    )
    arrays = ", ".join(f"{edge}::float8[]" for edge in edges)
    return f"unnest({bands}::int[], {arrays}) AS strip ({', '.join(Strip._fields)})"


def shown_in_strips(
    strips: Sequence[Strip], parameters: Parameters, latitudes: tuple[float, float] | None = None
) -> str:
    """The ids and public points of the visible ads in the strips, from the index alone.

    `latitudes` are the bounds of what is wanted, where the strips are higher. OFFSET makes
    PostgreSQL read strip by strip. Its estimates for strips are poor, so it might read ad by ad.
    """
    between = "TRUE"
    if latitudes is not None:
        south, north = (parameters.add(at) for at in latitudes)
        between = f"public_latitude BETWEEN {south} AND {north}"
    return f"""
        {strips_sql(strips, parameters)} CROSS JOIN LATERAL (
            SELECT id, public_latitude, public_longitude FROM ads
            WHERE {BAND} = strip.band AND {between}
                AND public_longitude BETWEEN strip.west AND strip.east AND {visible()}
            OFFSET 0
        ) AS ads
    """


def placed_sql(
    circle: Circle | None, box: Box | None, most: int, parameters: Parameters, columns: str = ""
) -> str:
    """The ids of the visible ads in circle and box, at most `most`, as `placed`.

    More `columns` may be those of the index.
    """
    strips = cover(circle, box)
    if circle is not None:
        # From the middle, where they are longest and most of them is in the circle for certain.
        middle = floor(circle.latitude * BANDS_PER_DEGREE)
        strips.sort(key=lambda strip: abs(strip.band - middle))
    found = shown_in_strips(strips, parameters)
    conditions = []
    if circle is not None:
        distance = distance_sql(circle, parameters)
        conditions.append(
            "(public_longitude > strip.inner_west AND public_longitude < strip.inner_east"
            f" OR {distance} <= {parameters.add(circle.radius)})"
        )
    if box is not None:
        conditions.append(within_box(box, parameters))
    place = " AND ".join(conditions) or "TRUE"
    return f"SELECT ads.id AS placed{columns} FROM {found} WHERE {place} LIMIT {most}"


def each_of(rows: str, placed: str, table: str) -> str:
    """The ads of the rows, in their order.

    LIMIT keeps PostgreSQL from joining the rows with all ads.
    """
    return f"{rows} CROSS JOIN LATERAL (SELECT * FROM {table} WHERE id = {placed} LIMIT 1) AS ads"


def within_circle(circle: Circle, parameters: Parameters) -> str:
    """The condition for a circle. Cheap comparisons with statistics come before the distance."""
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
