from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="ExportedSignIn")


@_attrs_define
class ExportedSignIn(Record):
    """A network and a device that the account has logged in from, kept for 90 days.

    Attributes:
        id (int): Its id.
        network (str): A /24 of IPv4, or a /48 of IPv6.
        device (str): The browser and the system.
        last_used_at (int): When the account last logged in from there, in milliseconds since 1970-01-01T00:00Z.
    """

    id: int
    network: str
    device: str
    last_used_at: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        network = self.network

        device = self.device

        last_used_at = self.last_used_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "network": network,
                "device": device,
                "lastUsedAt": last_used_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        network = d.pop("network")

        device = d.pop("device")

        last_used_at = d.pop("lastUsedAt")

        exported_sign_in = cls(
            id=id,
            network=network,
            device=device,
            last_used_at=last_used_at,
        )

        exported_sign_in.additional_properties = d
        return exported_sign_in

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
