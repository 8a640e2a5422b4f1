from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="Identity")


@_attrs_define
class Identity(Record):
    """What the account signs in with at a provider.

    Attributes:
        id (int): The identity's id.
        provider (None | str): The provider's id. Null if the site has it no more: then nobody signs in with it.
        name (str): The provider's name, or else its issuer.
        created_at (int): When it was created, in milliseconds since 1970-01-01T00:00Z.
        last_used_at (int | None): When it last logged in, in milliseconds since 1970-01-01T00:00Z. Null before its
            first use.
    """

    id: int
    provider: None | str
    name: str
    created_at: int
    last_used_at: int | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        provider: None | str
        provider = self.provider

        name = self.name

        created_at = self.created_at

        last_used_at: int | None
        last_used_at = self.last_used_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "provider": provider,
                "name": name,
                "createdAt": created_at,
                "lastUsedAt": last_used_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        def _parse_provider(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        provider = _parse_provider(d.pop("provider"))

        name = d.pop("name")

        created_at = d.pop("createdAt")

        def _parse_last_used_at(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        last_used_at = _parse_last_used_at(d.pop("lastUsedAt"))

        identity = cls(
            id=id,
            provider=provider,
            name=name,
            created_at=created_at,
            last_used_at=last_used_at,
        )

        identity.additional_properties = d
        return identity

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
