from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from adsvc.errors import Fault, faults

# Of a record that is answered: what has a default is always there.
ANSWERED = ConfigDict(json_schema_serialization_defaults_required=True)

NOTHING_TO_CHANGE = "must have at least one member to change"

# Where pictures are served; clients put the server's address in front.
IMAGE_PATH = "/images/"


class OneOf:
    """Marks a text that is one of these values of an enumeration."""

    def __init__(self, *values: StrEnum) -> None:
        self._values = [value.value for value in values]

    def __get_pydantic_core_schema__(self, _: object, __: object) -> CoreSchema:
        return core_schema.literal_schema(self._values)


def refused(fault: Fault) -> PydanticCustomError:
    """For validators to raise."""
    return PydanticCustomError(fault.code, "{detail}", {"detail": fault.detail, "fault": fault})


class Record(BaseModel):
    """Python's names inside, the interface's camelCase outside; made from rows or from JSON."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        from_attributes=True,
    )


def _not_null(value: object) -> object:
    if value is None:
        raise refused(faults.not_null())
    return value


def _as_patch(schema: JsonSchemaValue) -> None:
    schema["minProperties"] = 1


# Marks a member that may be absent but not null; others take null if their type has None.
may_be_absent = BeforeValidator(_not_null)


def absent() -> Any:  # noqa: ANN401 - as pydantic's own Field
    return Field(default=None)


class MergePatch(Record):
    """A JSON merge patch (RFC 7396): members that are absent stay as they are.

    Null removes what may be missing (`name: Type | None = absent()`); any other member refuses it
    (`name: Annotated[Type, may_be_absent] = absent()`).
    """

    model_config = ConfigDict(json_schema_extra=_as_patch)

    @model_validator(mode="after")
    def _is_not_empty(self) -> Self:
        if not self.model_fields_set:
            raise refused(faults.wrong_count("members", 1, detail=NOTHING_TO_CHANGE))
        return self

    def changes(self) -> dict[str, Any]:
        """The members that were sent, by their Python names."""
        return self.model_dump(exclude_unset=True)


def _image_path(name: object) -> object:
    return IMAGE_PATH + name if isinstance(name, str) else name


ImagePath = Annotated[
    str,
    BeforeValidator(_image_path),
    Field(
        description="Path of the picture on this server. It can be fetched without credentials.",
        examples=["/images/0f8fad5bd9cb469fa16570867728950e.jpg"],
    ),
]


def _milliseconds(value: object) -> object:
    return round(value.timestamp() * 1000) if isinstance(value, datetime) else value


Milliseconds = Annotated[int, BeforeValidator(_milliseconds), Field(examples=[1767225600000])]
"""Without a description: each member says which moment it is."""


def moment(what: str) -> Any:  # noqa: ANN401 - as pydantic's own Field
    """Describes a member of the type `Milliseconds`; `what` is the beginning of a sentence."""
    return Field(description=f"{what}, in milliseconds since 1970-01-01T00:00Z.")


CreatedAt = Annotated[Milliseconds, moment("When it was created")]

UpdatedAt = Annotated[Milliseconds, moment("When it was last changed")]

NextCursor = Annotated[
    str | None,
    Field(
        description="Send this as `cursor` to get the next page. Null on the last page.",
        examples=[None],
    ),
]
