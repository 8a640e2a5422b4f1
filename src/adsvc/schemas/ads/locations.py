"""Points on the globe, in degrees of WGS 84."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from adsvc.schemas.base import Record


def _degrees(most: int) -> Any:  # noqa: ANN401 - as pydantic's own Field
    return Field(strict=True, ge=-most, le=most, allow_inf_nan=False)


# There is one zero: `-0.0` is told as it.
_without_sign = AfterValidator(lambda degrees: degrees + 0.0)


class Location(Record):
    latitude: Annotated[float, _degrees(90), _without_sign, Field(examples=[52.5163])]
    longitude: Annotated[float, _degrees(180), _without_sign, Field(examples=[13.3777])]
