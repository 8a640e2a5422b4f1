from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="Disk")


@_attrs_define
class Disk(Record):
    """The disk of a directory of the service.

    Attributes:
        name (str): What the directory is for.
        free (int): Free bytes.
        reserve (int): Below so many free bytes uploads are refused.
    """

    name: str
    free: int
    reserve: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        free = self.free

        reserve = self.reserve

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "free": free,
                "reserve": reserve,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        free = d.pop("free")

        reserve = d.pop("reserve")

        disk = cls(
            name=name,
            free=free,
            reserve=reserve,
        )

        disk.additional_properties = d
        return disk

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
