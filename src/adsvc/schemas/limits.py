"""The limits in force: as the site has them, and in the JSON Schema of the records."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue

from adsvc.kit.records import Record
from adsvc.limits import Limits
from adsvc.schemas.base import PLACEHOLDER, Bounds, UpTo


def publish_limits(schema: Any, limits: Limits) -> Any:  # noqa: ANN401 - any JSON value
    """The same JSON Schema document with every placeholder replaced by the limits in force."""
    if isinstance(schema, list):
        return [publish_limits(item, limits) for item in schema]
    if not isinstance(schema, dict):
        return schema
    published = {key: publish_limits(value, limits) for key, value in schema.items()}
    name = published.pop(PLACEHOLDER, None)
    if name is not None:
        published.update(_published(name, limits))
    return published


def _published(name: str, limits: Limits) -> Mapping[str, object]:
    if name == "page_size":
        return {"minimum": 1, "maximum": limits.page_size_max, "default": limits.page_size_default}
    if name == "ad_images":
        return {"minItems": 1, "maxItems": limits.ad_images_max}
    if name == "price":
        return {"type": "integer", "format": "int32", "minimum": 0, "maximum": limits.price_max}
    least, _, name = name.rpartition(" to ")
    lower, upper = (UpTo(name, int(least)) if least else Bounds(name)).of(limits)
    if name == "phone":
        return {
            "type": "string",
            "maxLength": upper,
            "description": f"Phone number. Empty, or {lower} to {upper} characters with "
            f"{limits.phone_min_digits} to {limits.phone_max_digits} digits, as people write and "
            "copy it: spaces, dots, slashes, dashes, brackets and a plus sign do not matter. The "
            "answer has it in a form whose digits, and the plus sign, can be dialled.",
        }
    return {"minLength": lower, "maxLength": upper}


def _without_bounds(schema: JsonSchemaValue) -> None:
    """Leaves out what an operator may set each limit to: that is after the first sentence."""
    for member in schema["properties"].values():
        member["examples"] = [member.pop("default")]
        member["minimum"] = 0
        member.pop("maximum", None)
        member["description"] = member["description"].partition(". ")[0].removesuffix(".") + "."


class SiteLimits(Limits):
    """The limits in force on what clients send. Lengths are in characters, sizes in bytes."""

    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_name=True, json_schema_extra=_without_bounds
    )


STANDARD_LIMITS = {"uploads": 200, "writes": 600, "ads": 500, "searches": 50, "streams": 4}


class SitePlan(Record):
    """The limits of accounts with a plan."""

    uploads: Annotated[int, Field(examples=[200])]
    """Pictures that one account sends in a window."""
    writes: Annotated[int, Field(examples=[600])]
    """Changes of one account in a window."""
    ads: Annotated[int | None, Field(examples=[None])]
    """Ads of one account that are shown at a time. Null if there is no limit."""
    searches: Annotated[int, Field(examples=[50])]
    """Searches that one account saves."""
    streams: Annotated[int, Field(examples=[4])]
    """Streams of one account that are open at a process."""
