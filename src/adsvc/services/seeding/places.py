"""Cities, and points around them."""

import math
from random import Random
from typing import NamedTuple

KILOMETRES_PER_DEGREE = 111.2

# The spread of a city: two thirds of its ads lie within it.
KILOMETRES = 7.0


class City(NamedTuple):
    name: str
    latitude: float
    longitude: float
    # In thousands: how many ads come from there is in proportion.
    people: int


CITIES = (
    City("Berlin", 52.52, 13.405, 3700),
    City("Hamburg", 53.551, 9.994, 1900),
    City("München", 48.137, 11.575, 1500),
    City("Köln", 50.938, 6.96, 1090),
    City("Frankfurt am Main", 50.11, 8.682, 770),
    City("Stuttgart", 48.776, 9.183, 630),
    City("Leipzig", 51.34, 12.375, 620),
    City("Dresden", 51.05, 13.738, 560),
    City("Hannover", 52.374, 9.738, 540),
    City("Nürnberg", 49.454, 11.077, 520),
    City("Bremen", 53.079, 8.802, 570),
    City("Freiburg im Breisgau", 47.995, 7.85, 235),
    City("Rostock", 54.092, 12.141, 210),
    City("Erfurt", 50.978, 11.029, 215),
    City("Wien", 48.208, 16.373, 1980),
    City("Graz", 47.071, 15.439, 300),
    City("Salzburg", 47.8, 13.045, 155),
    City("Zürich", 47.377, 8.541, 430),
    City("Basel", 47.56, 7.588, 178),
    City("Luxembourg", 49.612, 6.13, 130),
    City("Amsterdam", 52.373, 4.893, 900),
    City("Bruxelles", 50.847, 4.352, 1200),
    City("Paris", 48.857, 2.352, 2100),
    City("Lyon", 45.764, 4.836, 520),
    City("London", 51.507, -0.128, 8900),
    City("Manchester", 53.48, -2.242, 560),
    City("Edinburgh", 55.953, -3.189, 510),
    City("Dublin", 53.35, -6.26, 590),
    City("København", 55.676, 12.568, 660),
    City("Stockholm", 59.329, 18.069, 980),
    City("Warszawa", 52.23, 21.012, 1860),
    City("Praha", 50.088, 14.421, 1300),
    City("Riga", 56.95, 24.105, 610),
    City("Tallinn", 59.437, 24.754, 450),
    City("Madrid", 40.417, -3.704, 3300),
    City("Milano", 45.464, 9.19, 1370),
)

PEOPLE = tuple(city.people for city in CITIES)


class Place(NamedTuple):
    name: str
    latitude: float
    longitude: float


def somewhere(random: Random) -> Place:
    """A point near one of the cities, the larger ones more often."""
    [city] = random.choices(CITIES, PEOPLE)
    north = random.gauss(0, KILOMETRES) / KILOMETRES_PER_DEGREE
    east = random.gauss(0, KILOMETRES) / KILOMETRES_PER_DEGREE
    longitude = city.longitude + east / math.cos(math.radians(city.latitude))
    return Place(city.name, round(city.latitude + north, 6), round(longitude, 6))
