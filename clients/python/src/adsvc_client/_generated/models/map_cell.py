from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="MapCell")


@_attrs_define
class MapCell(Record):
    """How many matching ads are in a cell of a map.

    Attributes:
        latitude (float): Degrees north of the middle of the ads in the cell: of their public locations.
        longitude (float): Degrees east of the same.
        count (int): How many matching ads.
        pk (int | Unset): The ad's id. Only where `count` is 1.
    """

    latitude: float
    longitude: float
    count: int
    pk: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        latitude = self.latitude

        longitude = self.longitude

        count = self.count

        pk = self.pk

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "latitude": latitude,
                "longitude": longitude,
                "count": count,
            }
        )
        if pk is not UNSET:
            field_dict["pk"] = pk

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        latitude = d.pop("latitude")

        longitude = d.pop("longitude")

        count = d.pop("count")

        pk = d.pop("pk", UNSET)

        map_cell = cls(
            latitude=latitude,
            longitude=longitude,
            count=count,
            pk=pk,
        )

        map_cell.additional_properties = d
        return map_cell

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
