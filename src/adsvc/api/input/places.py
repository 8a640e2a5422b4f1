"""Places in queries: `near` with its `radius`, and `bbox`."""

import re

from adsvc.errors import InvalidRequestError, faults
from adsvc.repositories.ads.places.shapes import Box, Circle

# Beyond this many decimals nothing on the ground is told apart: a tenth of a metre.
DECIMALS = 6

DEFAULT_RADIUS = 25_000

# Degrees in decimals, as many as a program writes: no exponents, signs or zeros without a meaning.
FRACTION = r"(?:\.[0-9]{1,15})?"
LATITUDE = rf"-?(?:90(?:\.0{{1,15}})?|[1-8]?[0-9]{FRACTION})"
LONGITUDE = rf"-?(?:180(?:\.0{{1,15}})?|(?:1[0-7]|[1-9])?[0-9]{FRACTION})"

POINT = rf"{LATITUDE},{LONGITUDE}"
BOX = rf"{LONGITUDE},{LATITUDE},{LONGITUDE},{LATITUDE}"


def circle(near: str | None, radius: int | None) -> Circle | None:
    if near is None:
        if radius is not None:
            raise InvalidRequestError(faults.inconsistent("needs near").of("radius"))
        return None
    latitude, longitude = _degrees(near, POINT, "near", "a latitude and a longitude in degrees")
    # One meridian has two names.
    longitude = -180.0 if longitude == 180 else longitude  # noqa: PLR2004
    return Circle(latitude, longitude, DEFAULT_RADIUS if radius is None else radius)


def box(bbox: str | None) -> Box | None:
    if bbox is None:
        return None
    found = Box(*_degrees(bbox, BOX, "bbox", "west, south, east and north in degrees"))
    if found.south > found.north:
        fault = faults.inconsistent("has its south above its north")
        raise InvalidRequestError(fault.of("bbox"))
    return found


def _degrees(value: str, pattern: str, name: str, meaning: str) -> list[float]:
    if not re.fullmatch(pattern, value):
        fault = faults.wrong_format(f"must be {meaning}, with commas", pattern=f"^{pattern}$")
        raise InvalidRequestError(fault.of(name))
    # No negative zero, which is another text for the same place.
    return [round(float(part), DECIMALS) + 0.0 for part in value.split(",")]


def usual_spelling(name: str, value: str) -> str | None:
    """The one text of a valid parameter among all that mean the same; None to leave it out."""
    if name == "radius":
        return None if int(value) == DEFAULT_RADIUS else value
    if (near := circle(value, None) if name == "near" else None) is not None:
        return _text(near.latitude, near.longitude)
    if (found := box(value) if name == "bbox" else None) is not None:
        return _text(found.west, found.south, found.east, found.north)
    return value


def _text(*degrees: float) -> str:
    return ",".join(f"{at:.{DECIMALS}f}".rstrip("0").rstrip(".") for at in degrees)
