from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="ExportedFavorite")


@_attrs_define
class ExportedFavorite(Record):
    """A favorite of the account.

    Attributes:
        pk (int): The ad's id.
        added_at (int): When it was added, in milliseconds since 1970-01-01T00:00Z.
        price_then (int): The ad's price when it was added.
    """

    pk: int
    added_at: int
    price_then: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        pk = self.pk

        added_at = self.added_at

        price_then = self.price_then

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "pk": pk,
                "addedAt": added_at,
                "priceThen": price_then,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        pk = d.pop("pk")

        added_at = d.pop("addedAt")

        price_then = d.pop("priceThen")

        exported_favorite = cls(
            pk=pk,
            added_at=added_at,
            price_then=price_then,
        )

        exported_favorite.additional_properties = d
        return exported_favorite

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
