"""The limits in force, as the JSON Schema of the records publishes them."""

from collections.abc import Mapping
from typing import Any

from adsvc.limits import Limits
from adsvc.schemas.fields import CREDENTIAL, PLACEHOLDER, Bounds, Credential

# No text of the interface contains NUL, which PostgreSQL cannot store.
TEXT_PATTERN = r"^[^\u0000]*$"


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
        return {
            "anyOf": [
                {"type": "integer", "minimum": 0, "maximum": limits.price_max},
                {"type": "string", "pattern": f"^0*(?:{_digits_up_to(limits.price_max)})$"},
            ]
        }
    bounds = Credential(name.removeprefix(CREDENTIAL)) if CREDENTIAL in name else Bounds(name)
    lower, upper = bounds.of(limits)
    if name == "phone":
        signs = r"[ \u00a0\u2007\u202f+()-]"
        digits = f"{{{limits.phone_min_digits},{limits.phone_max_digits}}}"
        return {
            "anyOf": [
                {"type": "string", "const": ""},
                {
                    "type": "string",
                    "minLength": lower,
                    "maxLength": upper,
                    "pattern": rf"^{signs}*(?:[0-9]{signs}*){digits}$",
                },
            ]
        }
    if name in {"title", "place"}:
        # Both bounds are of what is left after trimming, which `maxLength` cannot say.
        rest = rf"[^\u0000]{{{max(lower - 2, 0)},{max(upper - 2, 0)}}}[^\s\u0000]"
        optional = "?" if lower == 1 else ""
        return {
            "minLength": lower,
            "pattern": rf"^\s*[^\s\u0000](?:{rest}){optional}\s*$",
            "description": f"{lower} to {upper} characters, not counting spaces at its ends.",
        }
    return {"minLength": lower, "maxLength": upper, "pattern": TEXT_PATTERN}


def _digits_up_to(maximum: int) -> str:
    """A regular expression for the decimal numbers from 0 to `maximum`, without leading zeros."""
    digits = str(maximum)
    alternatives = ["0", f"[1-9][0-9]{{0,{len(digits) - 2}}}"] if len(digits) > 1 else []
    for index, digit in enumerate(digits):
        rest = len(digits) - index - 1
        first = 1 if index == 0 and rest else 0
        highest = int(digit) if rest == 0 else int(digit) - 1
        if highest >= first:
            alternatives.append(f"{digits[:index]}[{first}-{highest}][0-9]{{{rest}}}")
    return "|".join(alternatives)
