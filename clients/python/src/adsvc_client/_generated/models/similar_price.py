from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="SimilarPrice")


@_attrs_define
class SimilarPrice(Record):
    """What similar ads cost.

    Attributes:
        low (int): A quarter of them cost at most this.
        median (int): Half of them cost at most this.
        high (int): Three quarters of them cost at most this.
        count (int): How many there are.
    """

    low: int
    median: int
    high: int
    count: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        low = self.low

        median = self.median

        high = self.high

        count = self.count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "low": low,
                "median": median,
                "high": high,
                "count": count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        low = d.pop("low")

        median = d.pop("median")

        high = d.pop("high")

        count = d.pop("count")

        similar_price = cls(
            low=low,
            median=median,
            high=high,
            count=count,
        )

        similar_price.additional_properties = d
        return similar_price

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
