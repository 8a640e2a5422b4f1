from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.setting_source import SettingSource, check_setting_source
from ..types import Record

T = TypeVar("T", bound="Setting")


@_attrs_define
class Setting(Record):
    """A setting of the service, as text.

    Attributes:
        name (str): The name of its variable.
        value (None | str): The value in force. Null if there is none, and for secrets.
        default (None | str): The value without it. Null if there is none.
        source (SettingSource): `environment`: a variable. `file`: the file `.env`. `command`: an option of the command,
            or what it has made. `default`: it is not set.
    """

    name: str
    value: None | str
    default: None | str
    source: SettingSource
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        value: None | str
        value = self.value

        default: None | str
        default = self.default

        source: str = self.source

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "value": value,
                "default": default,
                "source": source,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        def _parse_value(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        value = _parse_value(d.pop("value"))

        def _parse_default(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        default = _parse_default(d.pop("default"))

        source = check_setting_source(d.pop("source"))

        setting = cls(
            name=name,
            value=value,
            default=default,
            source=source,
        )

        setting.additional_properties = d
        return setting

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
