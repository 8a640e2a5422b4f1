from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="FaultDetail")


@_attrs_define
class FaultDetail(Record):
    """One thing wrong with the request: exactly one of `pointer` and `parameter` says where.

    Attributes:
        detail (str):
        pointer (str | Unset): JSON Pointer (RFC 6901) into the JSON sent.
        parameter (str | Unset): The query or path parameter, or the form part.
    """

    detail: str
    pointer: str | Unset = UNSET
    parameter: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        detail = self.detail

        pointer = self.pointer

        parameter = self.parameter

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "detail": detail,
            }
        )
        if pointer is not UNSET:
            field_dict["pointer"] = pointer
        if parameter is not UNSET:
            field_dict["parameter"] = parameter

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        detail = d.pop("detail")

        pointer = d.pop("pointer", UNSET)

        parameter = d.pop("parameter", UNSET)

        fault_detail = cls(
            detail=detail,
            pointer=pointer,
            parameter=parameter,
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
