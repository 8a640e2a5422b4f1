"""The rules for ads' attributes in one category: JSON Schema, validated by `jsonschema-rs`.

The validator finds the faults. Their texts are ours, because the validator's repeat what was sent.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from jsonschema_rs import Draft202012Validator, ValidationErrorKind

from adsvc.enums import AttributeType
from adsvc.kit import faults
from adsvc.kit.faults import Fault, FaultCode
from adsvc.kit.normalisation import as_line
from adsvc.schemas.categories import DEFAULT_TEXT_LENGTH, LARGEST_NUMBER, Attribute

DIALECT = "https://json-schema.org/draft/2020-12/schema"
# Years of four digits, so that dates sort as strings.
DATE = r"^[1-9][0-9]{3}-"
POINTER = "/attributes"


class Rules:
    def __init__(self, title: str, attributes: Sequence[Attribute]) -> None:
        self._title = title
        self._attributes = {attribute.name: attribute for attribute in attributes}

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the member `attributes`."""
        return {
            "$schema": DIALECT,
            "title": self._title,
            "type": "object",
            "properties": {name: _schema(of) for name, of in self._attributes.items()},
            "required": [name for name, of in self._attributes.items() if of.required],
            "additionalProperties": False,
        }

    @cached_property
    def text(self) -> str:
        return json.dumps(self.schema, ensure_ascii=False)

    @cached_property
    def _validator(self) -> Draft202012Validator:
        return Draft202012Validator(self.schema, validate_formats=True)

    def normalised(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes with their texts in the form in which they are validated and stored."""
        return {
            name: as_line(value) if isinstance(value, str) and self._is_text(name) else value
            for name, value in values.items()
        }

    def _is_text(self, name: str) -> bool:
        attribute = self._attributes.get(name)
        return attribute is not None and attribute.type is AttributeType.STRING

    def faults(self, values: Mapping[str, Any], stored: Collection[str] = ()) -> list[Fault]:
        """The faults of an ad's attributes, one for each.

        `stored` are the names of attributes that the ad has already, which were defined when it got
        them.
        """
        found: dict[str, Fault] = {}
        for error in self._validator.iter_errors(dict(values)):
            fault = self._fault(error.kind, error.instance_path, values, stored)
            # A value of the wrong type has no length, no range and no options.
            if fault.location not in found or fault.code is FaultCode.WRONG_TYPE:
                found[fault.location] = fault
        return list(found.values())

    def _fault(
        self,
        kind: ValidationErrorKind,
        path: Sequence[str | int],
        values: Mapping[str, Any],
        stored: Collection[str],
    ) -> Fault:
        if isinstance(kind, ValidationErrorKind.Required):
            return faults.missing().at(f"{POINTER}/{kind.property}")
        if path:
            name = str(path[0])
            return expected(self._attributes[name], _code(kind)).at(f"{POINTER}/{name}")
        unknown = values.keys() - self._attributes.keys()
        if unknown <= set(stored):
            names = ", ".join(sorted(unknown))
            detail = f"the category does not define {names} any more; send null for it"
        else:
            detail = "must have only what the category defines"
        return faults.unknown(detail).at(POINTER)

    def fitting(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Those of an ad from another category that this one defines and takes."""
        known = {name: values[name] for name in values if name in self._attributes}
        wrong = {fault.location for fault in self.faults(known)}
        return {name: value for name, value in known.items() if f"{POINTER}/{name}" not in wrong}

    def tidied(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Valid attributes as they are stored: an integer `5.0` becomes 5."""
        return {
            name: int(value) if self._attributes[name].type is AttributeType.INTEGER else value
            for name, value in values.items()
        }

    def words(self, values: Mapping[str, Any]) -> str:
        """The words of valid attributes for the search: texts, and all labels of options."""
        return " ".join(word for name in values for word in self._words(name, values[name]))

    def _words(self, name: str, value: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON value
        attribute = self._attributes[name]
        if attribute.type is AttributeType.STRING:
            yield value
        elif attribute.type is AttributeType.ENUM:
            option = next(option for option in attribute.options if option.value == value)
            yield from dict.fromkeys([option.label or value, *option.labels.values()])


def _schema(attribute: Attribute) -> dict[str, Any]:
    described: dict[str, Any] = {"title": attribute.label or attribute.name}
    if attribute.unit is not None:
        described["x-unit"] = attribute.unit
    match attribute.type:
        case AttributeType.ENUM:
            values = [option.value for option in attribute.options]
            return {**described, "type": "string", "enum": values}
        case AttributeType.DATE:
            return {**described, "type": "string", "format": "date", "pattern": DATE}
        case AttributeType.STRING:
            length = {"minLength": 1, "maxLength": _longest(attribute)}
            return {**described, "type": "string", **length}
        case AttributeType.BOOLEAN:
            return {**described, "type": "boolean"}
    lower, upper = _bounds(attribute)
    return {**described, "type": attribute.type.value, "minimum": lower, "maximum": upper}


def _bounds(attribute: Attribute) -> tuple[float, float]:
    lower, upper = attribute.minimum, attribute.maximum
    return (
        -LARGEST_NUMBER if lower is None else lower,
        LARGEST_NUMBER if upper is None else upper,
    )


def _code(kind: ValidationErrorKind) -> FaultCode:
    match kind:
        case ValidationErrorKind.Type():
            return FaultCode.WRONG_TYPE
        case ValidationErrorKind.Minimum() | ValidationErrorKind.Maximum():
            return FaultCode.OUT_OF_RANGE
        case ValidationErrorKind.MinLength():
            # At least one, of what is left of the text (`adsvc.kit.normalisation`).
            return FaultCode.BLANK
        case ValidationErrorKind.MaxLength():
            return FaultCode.WRONG_LENGTH
        case ValidationErrorKind.Enum():
            return FaultCode.NOT_AN_OPTION
    return FaultCode.WRONG_FORMAT


def expected(attribute: Attribute, code: FaultCode) -> Fault:
    """The fault for an attribute: one sentence with all its bounds, whichever of them it breaks."""
    match attribute.type:
        case AttributeType.ENUM:
            fault = faults.not_an_option([option.value for option in attribute.options])
            return _coded(fault, code, "string")
        case AttributeType.DATE:
            fault = faults.wrong_format("must be a date, such as 2026-11-30", format="date")
            return _coded(fault, code, "string")
        case AttributeType.STRING:
            longest = _longest(attribute)
            detail = f"must be text of 1 to {longest} characters, one of them visible"
            return Fault(code, detail, {"type": "string", "minLength": 1, "maxLength": longest})
        case AttributeType.BOOLEAN:
            return faults.wrong_type("boolean")
    kind = attribute.type.value
    lower, upper = attribute.minimum, attribute.maximum
    if code is FaultCode.OUT_OF_RANGE:
        lower, upper = _bounds(attribute)
    return _coded(faults.out_of_range(lower, upper, of_type=kind), code, kind)


def _coded(fault: Fault, code: FaultCode, kind: str) -> Fault:
    return replace(fault, code=code, figures={"type": kind, **fault.figures})


def _longest(attribute: Attribute) -> int:
    return attribute.max_length or DEFAULT_TEXT_LENGTH
