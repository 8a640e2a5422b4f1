from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="PutProvider")


@_attrs_define
class PutProvider(Record):
    """An OpenID provider, as the site is registered there.

    Attributes:
        name (str): The provider's name, for the button.
        issuer (str): Its issuer, exactly as its metadata have it (OpenID Connect Discovery 1.0).
        client_id (str): The site's id at the provider.
        client_secret (str | Unset): The site's secret at the provider. It is stored encrypted and never returned. Left
            out, the one before stays.
    """

    name: str
    issuer: str
    client_id: str
    client_secret: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        issuer = self.issuer

        client_id = self.client_id

        client_secret = self.client_secret

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "issuer": issuer,
                "clientId": client_id,
            }
        )
        if client_secret is not UNSET:
            field_dict["clientSecret"] = client_secret

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        issuer = d.pop("issuer")

        client_id = d.pop("clientId")

        client_secret = d.pop("clientSecret", UNSET)

        put_provider = cls(
            name=name,
            issuer=issuer,
            client_id=client_id,
            client_secret=client_secret,
        )

        put_provider.additional_properties = d
        return put_provider

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
