from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="Colors")


@_attrs_define
class Colors(Record):
    """The colours of the storefront.

    Attributes:
        accent (None | str): The colour of the loudest buttons. Texts on it are dark or white, and links have a shade of
            it that can be read. Null for the one that comes with the storefront.
    """

    accent: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        accent: None | str
        accent = self.accent

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "accent": accent,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_accent(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        accent = _parse_accent(d.pop("accent"))

        colors = cls(
            accent=accent,
        )

        colors.additional_properties = d
        return colors

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
