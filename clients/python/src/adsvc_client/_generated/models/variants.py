from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.variant import Variant


T = TypeVar("T", bound="Variants")


@_attrs_define
class Variants(Record):
    """The smaller copies of a picture. An old picture may lack some or all of them.

    Attributes:
        thumb (Variant | Unset): A smaller copy of a picture, in WebP or JPEG.
        card (Variant | Unset): A smaller copy of a picture, in WebP or JPEG.
        share (Variant | Unset): A smaller copy of a picture, in WebP or JPEG.
    """

    thumb: Variant | Unset = UNSET
    card: Variant | Unset = UNSET
    share: Variant | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        thumb: dict[str, Any] | Unset = UNSET
        if not isinstance(self.thumb, Unset):
            thumb = self.thumb.to_dict()

        card: dict[str, Any] | Unset = UNSET
        if not isinstance(self.card, Unset):
            card = self.card.to_dict()

        share: dict[str, Any] | Unset = UNSET
        if not isinstance(self.share, Unset):
            share = self.share.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if thumb is not UNSET:
            field_dict["thumb"] = thumb
        if card is not UNSET:
            field_dict["card"] = card
        if share is not UNSET:
            field_dict["share"] = share

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.variant import Variant  # noqa: PLC0415

        d = dict(src_dict)
        _thumb = d.pop("thumb", UNSET)
        thumb: Variant | Unset
        if isinstance(_thumb, Unset):
            thumb = UNSET
        else:
            thumb = Variant.from_dict(_thumb)

        _card = d.pop("card", UNSET)
        card: Variant | Unset
        if isinstance(_card, Unset):
            card = UNSET
        else:
            card = Variant.from_dict(_card)

        _share = d.pop("share", UNSET)
        share: Variant | Unset
        if isinstance(_share, Unset):
            share = UNSET
        else:
            share = Variant.from_dict(_share)

        variants = cls(
            thumb=thumb,
            card=card,
            share=share,
        )

        variants.additional_properties = d
        return variants

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
