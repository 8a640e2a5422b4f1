"""The limits in force, as the JSON Schema of the records publishes them."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue

from adsvc import API_VERSION
from adsvc.enums import ContactVisibility
from adsvc.limits import Limits
from adsvc.schemas.base import PLACEHOLDER, Bounds, OneOf, Record, UpTo


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


class Site(Record):
    """The site's name, currency, languages and limits."""

    name: Annotated[str, Field(examples=["adsvc"])]
    """The site's name."""
    currency: Annotated[str, Field(examples=["EUR"])]
    """The currency of all prices (ISO 4217)."""
    languages: Annotated[list[str], Field(examples=[["en", "de"]])]
    """Languages of names in categories (BCP 47), the site's own first."""
    push_key: Annotated[
        str | None,
        Field(
            examples=[
                (
                    "BKsnn7b1A7Nc0wJ1o3rrqFVYZgVFhuLwRNCwgCtPJ6n1"
                    "Yb9lW0gjTzyyDRO0M9d2YDhcAbBgT7-8N8kBKtBXk2E"
                )
            ]
        ),
    ]
    """The site's public key for Web Push, in base64url: the `applicationServerKey` of a browser's
    subscription. Null while it is not known."""
    contact: Annotated[str, OneOf(*ContactVisibility), Field(examples=["open"])]
    """`open`: `GET /ads/{id}` has the contact of the ad's author. `hidden`: for other accounts it
    is empty; they write a message, or read the phone number by `POST /ads/{id}/phone`."""
    limits: SiteLimits
    """The limits on what clients send."""
    version: Annotated[str, Field(examples=[API_VERSION])]
    """The version of the interface, as in the header `Adsvc-Version`: `0.3.0`, or `0.3.0-dev`
    before that release."""
