from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue

from adsvc import API_VERSION
from adsvc.limits import Limits
from adsvc.schemas.base import Record


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
