from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="AttributeCount")


@_attrs_define
class AttributeCount(Record):
    """How many matching ads have a value of an attribute; for numbers, a value within a band.

    `attr=name:min..max` finds exactly the ads of a band.

        Attributes:
            count (int): How many matching ads.
            value (Any | Unset): The value. Absent for numbers.
            min_ (float | Unset): The lowest number in the band. Only for numbers.
            max_ (float | Unset): The highest number in the band. Only for numbers.
    """

    count: int
    value: Any | Unset = UNSET
    min_: float | Unset = UNSET
    max_: float | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        count = self.count

        value = self.value

        min_ = self.min_

        max_ = self.max_

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "count": count,
            }
        )
        if value is not UNSET:
            field_dict["value"] = value
        if min_ is not UNSET:
            field_dict["min"] = min_
        if max_ is not UNSET:
            field_dict["max"] = max_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        count = d.pop("count")

        value = d.pop("value", UNSET)

        min_ = d.pop("min", UNSET)

        max_ = d.pop("max", UNSET)

        attribute_count = cls(
            count=count,
            value=value,
            min_=min_,
            max_=max_,
        )

        attribute_count.additional_properties = d
        return attribute_count

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
