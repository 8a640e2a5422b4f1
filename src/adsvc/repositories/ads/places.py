"""Circles and boxes on the globe, and the SQL that finds the ads in them.

Latitudes and longitudes are degrees of WGS 84, distances metres on its mean sphere. That is within
0.6 % of the way over the ellipsoid. All SQL is about the public point, not the ad's exact one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import asin, cos, degrees, floor, pi, radians, sin, sqrt
from typing import NamedTuple

from adsvc.repositories.ads.projection import visible
from adsvc.repositories.ads.terms import Parameters

# The mean radius of WGS 84 (IUGG's R1), in metres.
EARTH_RADIUS = 6_371_008.7714

# The index of places has ads by twentieths of a degree of latitude (5.6 km), and in each of these
# by longitude: of a large circle these are few, and what they have beside a small one is little.
BANDS_PER_DEGREE = 20

# What rounding may take from a strip, in degrees: a tenth of a millimetre.
SLACK = 1e-9

# In metres. Circles are small beside the globe: none reaches around it.
LARGEST_RADIUS = 500_000


class Strip(NamedTuple):
    """A piece of a band, ends included: `west` is never beyond `east`."""

    band: int
    west: float
    east: float


@dataclass(frozen=True, slots=True)
class Circle:
    latitude: float
    longitude: float
    radius: int

    @property
    def latitudes(self) -> tuple[float, float]:
        """All of it lies between these."""
        reach = degrees(self._angle) + SLACK
        return self.latitude - reach, self.latitude + reach

    @property
    def spans(self) -> list[tuple[float, float]]:
        """All of it lies in these of longitude, the first of each never beyond the second."""
        far = degrees(self._widest(self._angle, -pi / 2, pi / 2)) + SLACK
        return list(_around(self.longitude, 0, far))

    @property
    def _angle(self) -> float:
        # A metre more, as distances are rounded.
        return (self.radius + 1) / EARTH_RADIUS

    def strips(self, beyond: int = 0) -> list[Strip]:
        """They cover all that is at least `beyond` and at most `radius` away, and some more.

        No two of them overlap.
        """
        inner = (beyond - 1) / EARTH_RADIUS
        outer = self._angle
        found: list[Strip] = []
        for band in bands(*self.latitudes):
            south, north = radians(_edge(band)), radians(_edge(band + 1))
            far = degrees(self._widest(outer, south, north)) + SLACK
            near = 0.0
            if inner > 0:
                near = degrees(min(self._half_width(at, inner) for at in (south, north))) - SLACK
            found += (Strip(band, *piece) for piece in _around(self.longitude, near, far))
        return found

    def _widest(self, angle: float, south: float, north: float) -> float:
        """Half of what a circle of that angle spans of longitude in the band, in radians."""
        # It is widest where a meridian touches it, which is nearer to the pole than the centre.
        touching = sin(radians(self.latitude)) / cos(angle)
        widest = asin(max(-1.0, min(1.0, touching)))
        return self._half_width(max(south, min(north, widest)), angle)

    def _half_width(self, latitude: float, angle: float) -> float:
        """The same on one parallel; nothing where it does not meet the circle."""
        here = radians(self.latitude)
        left = sin(angle / 2) ** 2 - sin((latitude - here) / 2) ** 2
        scale = cos(latitude) * cos(here)
        if left <= 0:
            return 0.0
        return 2 * asin(sqrt(left / scale)) if left < scale else pi


@dataclass(frozen=True, slots=True)
class Box:
    """Between two meridians and two parallels; across the 180th meridian if west is beyond east."""

    west: float
    south: float
    east: float
    north: float

    @property
    def spans(self) -> list[tuple[float, float]]:
        """Of longitude, the first never beyond the second."""
        if self.west <= self.east:
            # One meridian has two names.
            names = (at for at in (180.0, -180.0) if -at in {self.west, self.east})
            other = [(at, at) for at in names if not self.west <= at <= self.east]
            return [(self.west, self.east), *other]
        return [(self.west, 180.0), (-180.0, self.east)]

    def strips(self) -> list[Strip]:
        """They cover the box and some more."""
        found = bands(self.south, self.north)
        return [Strip(band, west, east) for band in found for west, east in self.spans]


def cover(circle: Circle | None, box: Box | None, *, beyond: int = 0) -> list[Strip]:
    """Strips that have all of what lies in both, at least `beyond` away; one of them is given."""
    if circle is None:
        return box.strips() if box is not None else []
    strips = circle.strips(beyond)
    return strips if box is None else list(_clipped(strips, box))


def _clipped(strips: Iterable[Strip], box: Box) -> Iterator[Strip]:
    found, spans = bands(box.south, box.north), box.spans
    for band, west, east in strips:
        if band in found:
            for start, end in spans:
                if max(west, start) <= min(east, end):
                    yield Strip(band, max(west, start), min(east, end))


def bands(south: float, north: float) -> range:
    first, last = (floor(max(-90.0, min(90.0, at)) * BANDS_PER_DEGREE) for at in (south, north))
    return range(first, last + 1)


def _edge(band: int) -> float:
    """Its southern latitude. The northern pole itself is the last band."""
    return max(-90.0, min(90.0, band / BANDS_PER_DEGREE))


def _around(longitude: float, near: float, far: float) -> Iterator[tuple[float, float]]:
    """What is between two angles away to the east and to the west, cut at the 180th meridian."""
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
    """The ids and public points of the visible ads there, from their index alone.

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
