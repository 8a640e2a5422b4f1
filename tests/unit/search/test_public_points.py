"""The public point of an ad: near the exact one, and revealing no more."""

from math import asin, cos, degrees, radians, sin, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adsvc.public_location import CELLS_PER_DEGREE, Point, public_point

EARTH_RADIUS = 6_371_008.8
BERLIN = Point(52.51627, 13.377703)

latitudes = st.floats(-90, 90) | st.sampled_from((-90, 90, 0, 89.99, -89.999_999, 90 - 1e-12))
longitudes = st.floats(-180, 180) | st.sampled_from((-180, 180, 0, 179.999_999, -180 + 1e-12))
points = st.builds(Point, latitudes, longitudes)


def metres(a: Point, b: Point) -> float:
    """The haversine."""
    north, south = radians(a.latitude), radians(b.latitude)
    across = radians(a.longitude - b.longitude)
    chord = sin((north - south) / 2) ** 2 + cos(north) * cos(south) * sin(across / 2) ** 2
    return 2 * EARTH_RADIUS * asin(min(1.0, sqrt(chord)))


@pytest.mark.heavy
@given(points)
def test_the_public_point_is_near_everywhere_on_earth(exact: Point) -> None:
    public = public_point(*exact)
    assert metres(exact, public) < 1000
    assert -90 < public.latitude < 90
    assert -180 < public.longitude < 180


@pytest.mark.heavy
@given(points)
def test_the_public_point_reveals_nothing_more(exact: Point) -> None:
    """It is the same each time, and that of the public point itself is the public point."""
    public = public_point(*exact)
    assert public_point(*exact) == public
    assert public_point(*public) == public


@pytest.mark.heavy
@given(st.floats(-89.9, 89.9), longitudes, st.floats(0, 360))
def test_many_exact_points_have_one_public_point(
    latitude: float, longitude: float, bearing: float
) -> None:
    """Around the middle of a cell there are 400 m in every direction that belong to it."""
    public = public_point(latitude, longitude)
    north = 400 * cos(radians(bearing)) / EARTH_RADIUS
    east = 400 * sin(radians(bearing)) / EARTH_RADIUS / cos(radians(public.latitude))
    east = (public.longitude + degrees(east) + 180) % 360 - 180
    assert public_point(public.latitude + degrees(north), east) == public


@pytest.mark.heavy
@given(latitudes)
def test_one_meridian_with_two_names_has_one_public_point(latitude: float) -> None:
    assert public_point(latitude, 180) == public_point(latitude, -180)


@pytest.mark.parametrize("pole", [-90, 90])
def test_a_pole_is_one_point(pole: float) -> None:
    assert len({public_point(pole, longitude) for longitude in (-180, -1, 0, 77.7, 180)}) == 1


def test_the_public_point_of_a_place_in_a_city() -> None:
    """Written down, because it may not change: ads keep what was computed when they were posted."""
    assert public_point(*BERLIN) == Point(52.515, 13.3842)
    assert metres(BERLIN, public_point(*BERLIN)) > 400
    assert CELLS_PER_DEGREE == 100
