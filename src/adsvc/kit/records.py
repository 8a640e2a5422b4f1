"""Base classes of records, their versions, and Pydantic's errors as faults."""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, Self

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
from adsvc.kit.errors import PreconditionFailedError
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


Found = Mapping[str, Any]

# How Pydantic's types of errors begin for a value of the wrong type, and that type in JSON.
TYPES = {
    "string": "string",
    "int": "integer",
    "float": "number",
    "finite": "number",
    "bool": "boolean",
    "dict": "object",
    "model": "object",
    "list": "array",
}

UNKNOWN_MEMBER = "extra_forbidden"
OPTION = re.compile(r"'([^']*)'")
NOT_TAKEN = "is not what may stand here"

# Faults by Pydantic's type of error. Each function gets the error's context.
FAULTS: Mapping[str, Callable[[Found], Fault]] = {
    UNKNOWN_MEMBER: lambda _: faults.unknown("is not a member that is known here"),
    "missing": lambda _: faults.missing(),
    "greater_than_equal": lambda of: faults.out_of_range(of["ge"], of_type=_kind(of["ge"])),
    "less_than_equal": lambda of: faults.out_of_range(None, of["le"], of_type=_kind(of["le"])),
    "string_too_short": lambda of: faults.wrong_length(of["min_length"], None),
    "string_too_long": lambda of: faults.wrong_length(None, of["max_length"]),
    "too_short": lambda of: faults.wrong_count("items", of["min_length"]),
    "too_long": lambda of: faults.wrong_count("items", None, of["max_length"]),
    "string_pattern_mismatch": lambda of: pattern_fault(of["pattern"]),
    "literal_error": lambda of: faults.not_an_option(OPTION.findall(of["expected"])),
    "enum": lambda of: faults.not_an_option(OPTION.findall(of["expected"])),
}


def fault_of(found: Found) -> Fault:
    """The fault for one of `ValidationError.errors()`, without its place or Pydantic's words."""
    kind, context = found["type"], found.get("ctx", {})
    fault = context.get("fault")
    if isinstance(fault, Fault):
        return fault
    if kind in FAULTS:
        return FAULTS[kind](context)
    expected = TYPES.get(kind.partition("_")[0])
    return faults.wrong_format(NOT_TAKEN) if expected is None else faults.wrong_type(expected)


def pattern_fault(pattern: str) -> Fault:
    return faults.wrong_format(f"must match {pattern}", pattern=pattern)


def _kind(bound: float) -> str:
    return "integer" if isinstance(bound, int) else "number"


def json_faults(found: Iterable[Found]) -> list[Fault]:
    """Faults with pointers into the JSON."""
    return [fault_of(error).at(pointer_to(error["loc"])) for error in found]


def pointer_to(location: Iterable[str | int]) -> str:
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in location)
    return "".join(f"/{part}" for part in parts)


def parameter_faults(found: Iterable[Found]) -> list[Fault]:
    """Faults with names of parameters, with which an error's location begins.

    The location goes on with the alternatives of a type, one of which may be "or None".
    """
    listed: list[Fault] = []
    for error in found:
        if error["type"] != "none_required":
            fault = fault_of(error).of(str(error["loc"][0]))
            if fault not in listed:
                listed.append(fault)
    return listed


DIGEST_BYTES = 15


def version_of(representation: bytes) -> str:
    """As `repositories.ads.projection.version_sql` makes it from the same text."""
    return hashlib.sha256(representation).hexdigest()[: 2 * DIGEST_BYTES]


class Expected(NamedTuple):
    """What a change expects of the thing that it changes."""

    # One of these versions; None means any.
    versions: tuple[str, ...] | None = None
    # Whether the thing has to exist.
    exists: bool = False

    @property
    def parameters(self) -> tuple[tuple[str, ...], ...]:
        """For a statement that checks the version itself: one, or none."""
        return () if self.versions is None else (self.versions,)

    def require(self, version: str | None) -> None:
        """`version` is that of the thing now, or None if there is none."""
        if version is None and self.exists:
            raise PreconditionFailedError(None)
        if version is not None and self.versions is not None and version not in self.versions:
            raise PreconditionFailedError(version)


ANYTHING = Expected()


class Written(NamedTuple):
    """A record after a change."""

    # The record as JSON.
    record: str
    # What a following change may expect.
    version: str
