"""Strips cover circles and boxes completely, and without overlap."""

from math import floor
from random import Random

import pytest

from adsvc.repositories.ads.places import (
    BANDS_PER_DEGREE,
    LARGEST_RADIUS,
    Box,
    Circle,
    Strip,
    cover,
)
from support.scene.places import HARD, Point, distance, scattered, towards

RADII = (1, 2, 500, 2000, 25_000, 60_000, 500_000)


def covering(strips: list[Strip], point: Point) -> int:
    """How many of them have the point."""
    band = floor(point[0] * BANDS_PER_DEGREE)
    return sum(strip.band == band and strip.west <= point[1] <= strip.east for strip in strips)


def around(circle: Circle, random: Random) -> list[Point]:
    """Points in a circle, at its edge and not far from it."""
    centre = circle.latitude, circle.longitude
    return [
        towards(centre, circle.radius * part, random.uniform(0, 360))
        for part in (0, 0.3, 0.7, 0.999, 0.999999, 1, 1.000001, 1.5)
        for _ in range(4)
    ]


@pytest.mark.parametrize("radius", RADII)
def test_every_point_of_a_circle_is_in_one_strip(radius: int) -> None:
    random = Random(radius)
    for latitude, longitude in (*HARD, *scattered(random, 40)):
        circle = Circle(latitude, longitude, radius)
        strips = circle.strips()
        for point in (*around(circle, random), *HARD):
            found = covering(strips, point)
            assert found <= 1, (circle, point)
            if round(distance((latitude, longitude), point)) <= radius:
                assert found == 1, (circle, point)


@pytest.mark.parametrize("radius", RADII)
def test_what_strips_have_for_certain_is_in_the_circle_and_most_of_a_large_one(radius: int) -> None:
    random = Random(radius)
    certain = inside = 0
    for latitude, longitude in (*HARD, *scattered(random, 40)):
        circle = Circle(latitude, longitude, radius)
        strips = circle.strips()
        for point in (*around(circle, random), *HARD):
            known = any(
                strip.band == floor(point[0] * BANDS_PER_DEGREE)
                and strip.inner_west < point[1] < strip.inner_east
                for strip in strips
            )
            here = round(distance((latitude, longitude), point)) <= radius
            assert here or not known, (circle, point)
            inside += here
            certain += known
    # A band is as high as a small circle, and points at the edge are never certain.
    assert radius < 25_000 or certain > inside / 3


@pytest.mark.parametrize("radius", RADII)
def test_every_point_of_a_ring_is_in_one_strip_and_what_is_nearer_hardly_is(radius: int) -> None:
    random = Random(radius)
    inside = covered = 0
    for latitude, longitude in (*HARD, *scattered(random, 40)):
        circle = Circle(latitude, longitude, radius)
        beyond = radius * 9 // 10
        strips = circle.strips(beyond)
        for point in (*around(circle, random), *around(circle, random)):
            found = covering(strips, point)
            assert found <= 1, (circle, point)
            away = round(distance((latitude, longitude), point))
            if beyond <= away <= radius:
                assert found == 1, (circle, beyond, point)
            elif away < beyond / 2:
                inside += 1
                covered += found
    # A band is as high as a small circle.
    assert radius < 25_000 or covered < inside / 20


def test_the_bounds_of_a_circle_have_all_of_it() -> None:
    random = Random(1)
    for latitude, longitude in (*HARD, *scattered(random, 100)):
        circle = Circle(latitude, longitude, random.choice(RADII))
        south, north = circle.latitudes
        for point in (*around(circle, random), *HARD):
            if round(distance((latitude, longitude), point)) <= circle.radius:
                assert south <= point[0] <= north, (circle, point)
                spans = [west <= point[1] <= east for west, east in circle.spans]
                assert spans.count(True) == 1, (circle, point)


def test_a_circle_around_a_pole_has_every_longitude() -> None:
    for latitude in (90, -90, 89.9, -89.9):
        strips = Circle(latitude, 77, 50_000).strips()
        for longitude in range(-180, 181, 30):
            assert covering(strips, (latitude, longitude)) == 1
            assert covering(strips, (90.0 if latitude > 0 else -90.0, longitude)) == 1


def test_a_large_circle_has_few_strips() -> None:
    for latitude, longitude in HARD:
        strips = Circle(latitude, longitude, LARGEST_RADIUS).strips(LARGEST_RADIUS - 1000)
        assert len(strips) < 600


@pytest.mark.parametrize(
    ("box", "inside", "outside"),
    [
        (Box(13, 52, 14, 53), [(52, 13), (53, 14), (52.5, 13.5)], [(51.999, 13), (52, 14.001)]),
        (Box(170, -20, -170, -10), [(-15, 175), (-15, -175), (-10, 180), (-20, -180)],
         [(-15, 169), (-15, -169), (-15, 0)]),
        (Box(-180, -90, 180, 90), [(90, 0), (-90, 180), (0, -180), (0, 180)], []),
        (Box(179, 0, 180, 1), [(0, 180), (1, -180), (0, 179)], [(0, -179), (0, 178.9)]),
        (Box(-180, 0, -179, 1), [(0, 180), (1, -180)], [(0, 179)]),
        (Box(180, 0, -180, 1), [(0, 180), (0, -180)], [(0, 179), (0, -179)]),
        (Box(5, 5, 5, 5), [(5, 5)], [(5, 5.0001)]),
        (Box(-10, 89, 10, 90), [(90, 0), (89.5, -10)], [(90, 11)]),
    ],
)  # fmt: skip
def test_a_box_has_its_edges_and_may_cross_the_180th_meridian(
    box: Box, inside: list[Point], outside: list[Point]
) -> None:
    for point in inside:
        assert covering(box.strips(), point) == 1, point
    for point in outside:
        longitudes = [west <= point[1] <= east for west, east in box.spans]
        assert not (any(longitudes) and box.south <= point[0] <= box.north), point


@pytest.mark.heavy
def test_a_circle_and_a_box_cover_what_is_in_both() -> None:
    random = Random(2)
    for latitude, longitude in (*HARD, *scattered(random, 20)):
        circle = Circle(latitude, longitude, 60_000)
        west, east = (random.uniform(-180, 180) for _ in range(2))
        box = Box(west, -90, east, 90)
        both, boxed = cover(circle, box), box.strips()
        for point in around(circle, random):
            one, other = covering(circle.strips(), point), covering(boxed, point)
            assert covering(both, point) == one * other, (circle, box, point)
