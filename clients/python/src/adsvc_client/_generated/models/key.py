from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.key_scope import KeyScope, check_key_scope
from ..types import Record

T = TypeVar("T", bound="Key")


@_attrs_define
class Key(Record):
    """An API key of the caller, without its secret.

    Attributes:
        id (int): The key's id.
        name (str): Its name.
        prefix (str): The first characters of the secret, to recognise it by.
        scopes (list[KeyScope]): What it may be used for.
        created_at (int): When it was created, in milliseconds since 1970-01-01T00:00Z.
        expires_at (int | None): When it stops working, in milliseconds since 1970-01-01T00:00Z. Null if it does not.
        last_used_at (int | None): When it was last used, in milliseconds since 1970-01-01T00:00Z, give or take five
            minutes. Null before its first use.
    """

    id: int
    name: str
    prefix: str
    scopes: list[KeyScope]
    created_at: int
    expires_at: int | None
    last_used_at: int | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        name = self.name

        prefix = self.prefix

        scopes = []
        for scopes_item_data in self.scopes:
            scopes_item: str = scopes_item_data
            scopes.append(scopes_item)

        created_at = self.created_at

        expires_at: int | None
        expires_at = self.expires_at

        last_used_at: int | None
        last_used_at = self.last_used_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "name": name,
                "prefix": prefix,
                "scopes": scopes,
                "createdAt": created_at,
                "expiresAt": expires_at,
                "lastUsedAt": last_used_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        name = d.pop("name")

        prefix = d.pop("prefix")

        scopes = []
        _scopes = d.pop("scopes")
        for scopes_item_data in _scopes:
            scopes_item = check_key_scope(scopes_item_data)

            scopes.append(scopes_item)

        created_at = d.pop("createdAt")

        def _parse_expires_at(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        expires_at = _parse_expires_at(d.pop("expiresAt"))

        def _parse_last_used_at(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        last_used_at = _parse_last_used_at(d.pop("lastUsedAt"))

        key = cls(
            id=id,
            name=name,
            prefix=prefix,
            scopes=scopes,
            created_at=created_at,
            expires_at=expires_at,
            last_used_at=last_used_at,
        )

        key.additional_properties = d
        return key

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
