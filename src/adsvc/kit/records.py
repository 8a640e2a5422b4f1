"""What records of an interface are made of: their base classes, and types of members."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from adsvc.kit import faults
from adsvc.kit.faults import Fault
from adsvc.kit.normalisation import as_line, as_paragraphs, trimmed

# Of a record that is answered: what has a default is always there.
ANSWERED = ConfigDict(
    json_schema_serialization_defaults_required=True, use_attribute_docstrings=True
)

NOTHING_TO_CHANGE = "must have at least one member to change"


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
        use_attribute_docstrings=True,
    )


def _not_null(value: object) -> object:
    if value is None:
        raise refused(faults.not_null())
    return value


# Marks a member that may be absent but not null; others take null if their type has None.
may_be_absent = BeforeValidator(_not_null)


def absent() -> Any:  # noqa: ANN401 - as pydantic's own Field
    return Field(default=None)


class MergePatch(Record):
    """A JSON merge patch (RFC 7396): members that are absent stay as they are.

    Null removes what may be missing (`name: Type | None = absent()`); any other member refuses it
    (`name: Annotated[Type, may_be_absent] = absent()`).
    """

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    @model_validator(mode="after")
    def _is_not_empty(self) -> Self:
        if not self.model_fields_set:
            raise refused(faults.wrong_count("members", 1, detail=NOTHING_TO_CHANGE))
        return self

    def changes(self) -> dict[str, Any]:
        """The members that were sent, by their Python names."""
        return self.model_dump(exclude_unset=True)


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


@dataclass(frozen=True)
class Typed:
    """Text that people type, in its one form (`normalisation`). Bounds are on that form.

    Text of which nothing is left is `blank`; the empty text has a length, which is for `Bounds`.
    """

    form: Callable[[str], str]

    def normalised(self, text: str) -> str:
        normal = self.form(text)
        if text and not normal:
            raise refused(faults.blank())
        return normal

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.normalised, handler(source))


# What is shown in one line, and in paragraphs.
LINE = Typed(as_line)
TEXT = Typed(as_paragraphs)

TRIMMED = AfterValidator(trimmed)
