from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

if TYPE_CHECKING:
    from ..models.ad import Ad


T = TypeVar("T", bound="Favorite")


@_attrs_define
class Favorite(Record):
    """An ad that the caller keeps.

    Attributes:
        pk (int): The ad's id.
        added_at (int): When it was added, in milliseconds since 1970-01-01T00:00Z.
        price_then (int): The ad's price when it was added.
        ad (Ad | None): The ad as it is now, also if it is sold or expired. Null if it is no longer to be seen.
    """

    pk: int
    added_at: int
    price_then: int
    ad: Ad | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.ad import Ad  # noqa: PLC0415

        pk = self.pk

        added_at = self.added_at

        price_then = self.price_then

        ad: dict[str, Any] | None
        if isinstance(self.ad, Ad):
            ad = self.ad.to_dict()
        else:
            ad = self.ad

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "pk": pk,
                "addedAt": added_at,
                "priceThen": price_then,
                "ad": ad,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.ad import Ad  # noqa: PLC0415

        d = dict(src_dict)
        pk = d.pop("pk")

        added_at = d.pop("addedAt")

        price_then = d.pop("priceThen")

        def _parse_ad(data: object) -> Ad | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                ad_type_0 = Ad.from_dict(data)

                return ad_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Ad | None, data)

        ad = _parse_ad(d.pop("ad"))

        favorite = cls(
            pk=pk,
            added_at=added_at,
            price_then=price_then,
            ad=ad,
        )

        favorite.additional_properties = d
        return favorite

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
