from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

if TYPE_CHECKING:
    from ..models.map_cell import MapCell


T = TypeVar("T", bound="AdMap")


@_attrs_define
class AdMap(Record):
    """The matching ads of a map, by cells.

    Attributes:
        results (list[MapCell]): At most 400 cells, in no order. Cells without ads are left out.
        count_exact (bool): False if more ads match. Then only the newest ones were counted.
    """

    results: list[MapCell]
    count_exact: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        results = []
        for results_item_data in self.results:
            results_item = results_item_data.to_dict()
            results.append(results_item)

        count_exact = self.count_exact

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "results": results,
                "countExact": count_exact,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.map_cell import MapCell  # noqa: PLC0415

        d = dict(src_dict)
        results = []
        _results = d.pop("results")
        for results_item_data in _results:
            results_item = MapCell.from_dict(results_item_data)

            results.append(results_item)

        count_exact = d.pop("countExact")

        ad_map = cls(
            results=results,
            count_exact=count_exact,
        )

        ad_map.additional_properties = d
        return ad_map

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
