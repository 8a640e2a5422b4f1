from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.fault_code import FaultCode, check_fault_code
from ..models.fault_detail_type import FaultDetailType, check_fault_detail_type
from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="FaultDetail")


@_attrs_define
class FaultDetail(Record):
    """One thing that is wrong with the request.

    Either `pointer` or `parameter` says where. The members after `detail` say what is allowed; they
    are named as in JSON Schema, and present where they apply to the `code`.

        Attributes:
            code (FaultCode): The kind of a fault, for programs. `detail` says the same in words.

                - `missing`: a required member, parameter or part of the form is missing.
                - `wrong-type`: the value has another JSON type than `type`, or is null where it must not be.
                - `out-of-range`: a number or a moment is below `minimum` or above `maximum`.
                - `wrong-length`: a text has fewer characters than `minLength` or more than `maxLength`.
                - `blank`: a text has no visible character.
                - `wrong-count`: there are fewer than `minItems` or more than `maxItems` items of a list,
                  members of an object, words, parameters or parts of one name.
                - `wrong-format`: a text is not written as `format`, `pattern` or `detail` says.
                - `not-an-option`: the value is none of `options`.
                - `unknown`: it names something that does not exist, or cannot be used here.
                - `duplicate`: two values are equal that must differ.
                - `inconsistent`: the value contradicts another one, or needs one that is missing.
                - `malformed`: the body, the form or the JSON cannot be read.
                - `weak-password`: the password is too easy to guess.
                - `too-broad`: the search to be saved would match almost any ad.
                - `unusable-image`: the picture has a format that is not accepted, or cannot be decoded or
                  fetched.
                - `refused`: the account may not do this now, for instance for a quota.
            detail (str): The fault in words, for the client's developer.
            pointer (str | Unset): Where in the JSON of the request, as a JSON Pointer (RFC 6901).
            parameter (str | Unset): The name of the query parameter, path parameter, header or form part.
            part (str | Unset): In a form: the part that is at fault, or whose JSON is.
            type_ (FaultDetailType | Unset): The JSON type that is expected.
            minimum (float | Unset): The lowest number allowed.
            maximum (float | Unset): The highest number allowed.
            min_length (int | Unset): The fewest characters allowed.
            max_length (int | Unset): The most characters allowed.
            min_items (int | Unset): The fewest items allowed.
            max_items (int | Unset): The most items allowed.
            pattern (str | Unset): The regular expression (ECMA-262) that the value must match.
            format_ (Literal['date'] | Unset): The format of JSON Schema that is expected.
            options (list[str] | Unset): The allowed values. Absent if there are more than 50.
            number (int | Unset): Which one of several parts or parameters of the same name, from 1.
    """

    code: FaultCode
    detail: str
    pointer: str | Unset = UNSET
    parameter: str | Unset = UNSET
    part: str | Unset = UNSET
    type_: FaultDetailType | Unset = UNSET
    minimum: float | Unset = UNSET
    maximum: float | Unset = UNSET
    min_length: int | Unset = UNSET
    max_length: int | Unset = UNSET
    min_items: int | Unset = UNSET
    max_items: int | Unset = UNSET
    pattern: str | Unset = UNSET
    format_: Literal["date"] | Unset = UNSET
    options: list[str] | Unset = UNSET
    number: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        code: str = self.code

        detail = self.detail

        pointer = self.pointer

        parameter = self.parameter

        part = self.part

        type_: str | Unset = UNSET
        if not isinstance(self.type_, Unset):
            type_ = self.type_

        minimum = self.minimum

        maximum = self.maximum

        min_length = self.min_length

        max_length = self.max_length

        min_items = self.min_items

        max_items = self.max_items

        pattern = self.pattern

        format_ = self.format_

        options: list[str] | Unset = UNSET
        if not isinstance(self.options, Unset):
            options = self.options

        number = self.number

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "code": code,
                "detail": detail,
            }
        )
        if pointer is not UNSET:
            field_dict["pointer"] = pointer
        if parameter is not UNSET:
            field_dict["parameter"] = parameter
        if part is not UNSET:
            field_dict["part"] = part
        if type_ is not UNSET:
            field_dict["type"] = type_
        if minimum is not UNSET:
            field_dict["minimum"] = minimum
        if maximum is not UNSET:
            field_dict["maximum"] = maximum
        if min_length is not UNSET:
            field_dict["minLength"] = min_length
        if max_length is not UNSET:
            field_dict["maxLength"] = max_length
        if min_items is not UNSET:
            field_dict["minItems"] = min_items
        if max_items is not UNSET:
            field_dict["maxItems"] = max_items
        if pattern is not UNSET:
            field_dict["pattern"] = pattern
        if format_ is not UNSET:
            field_dict["format"] = format_
        if options is not UNSET:
            field_dict["options"] = options
        if number is not UNSET:
            field_dict["number"] = number

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        code = check_fault_code(d.pop("code"))

        detail = d.pop("detail")

        pointer = d.pop("pointer", UNSET)

        parameter = d.pop("parameter", UNSET)

        part = d.pop("part", UNSET)

        _type_ = d.pop("type", UNSET)
        type_: FaultDetailType | Unset
        if isinstance(_type_, Unset):
            type_ = UNSET
        else:
            type_ = check_fault_detail_type(_type_)

        minimum = d.pop("minimum", UNSET)

        maximum = d.pop("maximum", UNSET)

        min_length = d.pop("minLength", UNSET)

        max_length = d.pop("maxLength", UNSET)

        min_items = d.pop("minItems", UNSET)

        max_items = d.pop("maxItems", UNSET)

        pattern = d.pop("pattern", UNSET)

        format_ = cast(Literal["date"] | Unset, d.pop("format", UNSET))
        if format_ != "date" and not isinstance(format_, Unset):
            raise ValueError(f"format must match const 'date', got '{format_}'")

        options = cast(list[str], d.pop("options", UNSET))

        number = d.pop("number", UNSET)

        fault_detail = cls(
            code=code,
            detail=detail,
            pointer=pointer,
            parameter=parameter,
            part=part,
            type_=type_,
            minimum=minimum,
            maximum=maximum,
            min_length=min_length,
            max_length=max_length,
            min_items=min_items,
            max_items=max_items,
            pattern=pattern,
            format_=format_,
            options=options,
            number=number,
        )

        fault_detail.additional_properties = d
        return fault_detail

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
