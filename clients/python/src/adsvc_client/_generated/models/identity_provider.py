from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="IdentityProvider")


@_attrs_define
class IdentityProvider(Record):
    """An OpenID provider, without the secret.

    Attributes:
        id (str): Its id.
        name (str): The provider's name, for the button.
        issuer (str): Its issuer, exactly as its metadata have it (OpenID Connect Discovery 1.0).
        client_id (str): The site's id at the provider.
        redirect_uri (str): What has to be registered at the provider: where people come back to.
    """

    id: str
    name: str
    issuer: str
    client_id: str
    redirect_uri: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        name = self.name

        issuer = self.issuer

        client_id = self.client_id

        redirect_uri = self.redirect_uri

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "name": name,
                "issuer": issuer,
                "clientId": client_id,
                "redirectUri": redirect_uri,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        name = d.pop("name")

        issuer = d.pop("issuer")

        client_id = d.pop("clientId")

        redirect_uri = d.pop("redirectUri")

        identity_provider = cls(
            id=id,
            name=name,
            issuer=issuer,
            client_id=client_id,
            redirect_uri=redirect_uri,
        )

        identity_provider.additional_properties = d
        return identity_provider

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
