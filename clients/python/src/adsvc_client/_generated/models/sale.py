from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="Sale")


@_attrs_define
class Sale(Record):
    """How an ad was sold.

    Attributes:
        price (int | Unset): What was paid, in the smallest unit of the site. It becomes the ad's price, which stays as
            it is if this is left out. A string of digits is accepted too, as forms send it.
        buyer (int | Unset): The id of the account that has bought it: one that has talked about this ad. It gets a
            notice in the conversation.
    """

    price: int | Unset = UNSET
    buyer: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        price = self.price

        buyer = self.buyer

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if price is not UNSET:
            field_dict["price"] = price
        if buyer is not UNSET:
            field_dict["buyer"] = buyer

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        price = d.pop("price", UNSET)

        buyer = d.pop("buyer", UNSET)

        sale = cls(
            price=price,
            buyer=buyer,
        )

        sale.additional_properties = d
        return sale

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
