from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.role import Role, check_role
from ..types import Record

T = TypeVar("T", bound="ChangeRole")


@_attrs_define
class ChangeRole(Record):
    """Another role of an account, confirmed by the administrator's own password.

    Attributes:
        role (Role): What an account may do: `USER` manages its own things, `MODERATOR` also decides cases, `ADMIN` may
            do everything.
        current_password (str): The account's password, which confirms the change.
    """

    role: Role
    current_password: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        role: str = self.role

        current_password = self.current_password

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "role": role,
                "currentPassword": current_password,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        role = check_role(d.pop("role"))

        current_password = d.pop("currentPassword")

        change_role = cls(
            role=role,
            current_password=current_password,
        )

        change_role.additional_properties = d
        return change_role

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
