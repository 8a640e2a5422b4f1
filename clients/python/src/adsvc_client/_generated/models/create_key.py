from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.key_scope import KeyScope, check_key_scope
from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="CreateKey")


@_attrs_define
class CreateKey(Record):
    """A new API key.

    Attributes:
        name (str): What the key is for.
        scopes (list[KeyScope]): What the key may be used for, as far as its account may. A `write` contains its `read`.
        expires_at (int | None | Unset): When the key stops working, in milliseconds since 1970-01-01T00:00Z. Null if it
            does not.
        current_password (str | Unset): The account's password, which confirms the change.
    """

    name: str
    scopes: list[KeyScope]
    expires_at: int | None | Unset = UNSET
    current_password: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        scopes = []
        for scopes_item_data in self.scopes:
            scopes_item: str = scopes_item_data
            scopes.append(scopes_item)

        expires_at: int | None | Unset
        if isinstance(self.expires_at, Unset):
            expires_at = UNSET
        else:
            expires_at = self.expires_at

        current_password = self.current_password

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "scopes": scopes,
            }
        )
        if expires_at is not UNSET:
            field_dict["expiresAt"] = expires_at
        if current_password is not UNSET:
            field_dict["currentPassword"] = current_password

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        scopes = []
        _scopes = d.pop("scopes")
        for scopes_item_data in _scopes:
            scopes_item = check_key_scope(scopes_item_data)

            scopes.append(scopes_item)

        def _parse_expires_at(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        expires_at = _parse_expires_at(d.pop("expiresAt", UNSET))

        current_password = d.pop("currentPassword", UNSET)

        create_key = cls(
            name=name,
            scopes=scopes,
            expires_at=expires_at,
            current_password=current_password,
        )

        create_key.additional_properties = d
        return create_key

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
