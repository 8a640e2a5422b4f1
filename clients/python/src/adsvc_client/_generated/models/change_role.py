from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.role import Role, check_role
from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="ChangeRole")


@_attrs_define
class ChangeRole(Record):
    """Another role of an account, confirmed by the administrator's own password, or another plan:
    at least one of them.

        Attributes:
            role (Role | Unset): What an account may do: `USER` manages its own things, `MODERATOR` also decides cases,
                `ADMIN` may do everything.
            plan (str | Unset): One of the plans of `GET /site`.
            current_password (str | Unset): The account's password, which confirms the change.
    """

    role: Role | Unset = UNSET
    plan: str | Unset = UNSET
    current_password: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        role: str | Unset = UNSET
        if not isinstance(self.role, Unset):
            role = self.role

        plan = self.plan

        current_password = self.current_password

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if role is not UNSET:
            field_dict["role"] = role
        if plan is not UNSET:
            field_dict["plan"] = plan
        if current_password is not UNSET:
            field_dict["currentPassword"] = current_password

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        _role = d.pop("role", UNSET)
        role: Role | Unset
        if isinstance(_role, Unset):
            role = UNSET
        else:
            role = check_role(_role)

        plan = d.pop("plan", UNSET)

        current_password = d.pop("currentPassword", UNSET)

        change_role = cls(
            role=role,
            plan=plan,
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
