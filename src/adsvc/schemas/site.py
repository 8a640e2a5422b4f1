"""The limits in force, as the JSON Schema of the records publishes them."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue

from adsvc import API_VERSION
from adsvc.limits import Limits
from adsvc.schemas.base import Record
from adsvc.schemas.fields import CREDENTIAL, LINE, PLACEHOLDER, Bounds, Credential

# What may stand between the digits of a phone number; the last three are spaces that do not break.
SIGNS = "[ \u00a0\u2007\u202f+()-]"


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
    bounds = Credential(name.removeprefix(CREDENTIAL)) if CREDENTIAL in name else Bounds(name)
    lower, upper = bounds.of(limits)
    if name == "phone":
        digits = f"{{{limits.phone_min_digits},{limits.phone_max_digits}}}"
        return {
            "type": "string",
            "maxLength": upper,
            "pattern": f"^(?:{SIGNS}*(?:[0-9]{SIGNS}*){digits})?$",
            "description": f"Empty, or {lower} to {upper} digits, spaces, +, -, ( and ) with"
            f" {limits.phone_min_digits} to {limits.phone_max_digits} digits.",
        }
    if name in {"title", "place"}:
        # Both bounds are of what is left after trimming, which `maxLength` cannot say.
        within, end = rf"[^{LINE.characters}]", rf"[^\s{LINE.characters}]"
        rest = f"{within}{{{max(lower - 2, 0)},{max(upper - 2, 0)}}}{end}"
        optional = "?" if lower == 1 else ""
        return {
            "minLength": lower,
            "pattern": rf"^\s*{end}(?:{rest}){optional}\s*$",
            "description": f"{lower} to {upper} characters, not counting spaces at its ends.",
        }
    return {"minLength": lower, "maxLength": upper}


def _as_told(schema: JsonSchemaValue) -> None:
    """What an operator may set each to is no part of the interface."""
    for name, member in schema["properties"].items():
        default = member.pop("default")
        schema["properties"][name] = {**member, "minimum": 0, "examples": [default]}
        schema["properties"][name].pop("maximum", None)


class SiteLimits(Limits):
    """Lengths are in characters, sizes in bytes."""

    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_name=True, json_schema_extra=_as_told
    )


class Site(Record):
    """What a client has to know of the installation before it knows anything else."""

    name: Annotated[str, Field(examples=["adsvc"])]
    currency: Annotated[
        str, Field(description="What prices are in, as ISO 4217 has it.", examples=["EUR"])
    ]
    languages: Annotated[
        list[str],
        Field(description="As BCP 47 has them, the site's own first.", examples=[["en", "de"]]),
    ]
    limits: SiteLimits
    version: Annotated[
        str,
        Field(
            description="The version of the interface, as `Adsvc-Version` has it: `0.3.0`, or "
            "`0.3.0-dev` for what comes before that release.",
            examples=[API_VERSION],
        ),
    ]
