from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="CreateTotp")


@_attrs_define
class CreateTotp(Record):
    """The confirmation that an authenticator app is to be set up.

    Attributes:
        current_password (str | Unset): The account's password, which confirms the change. Required of an account that
            has one; another one needs a login of the last five minutes.
        code (str | Unset): Replaces an app that is set up: one of its codes, or a recovery code.
    """

    current_password: str | Unset = UNSET
    code: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        current_password = self.current_password

        code = self.code

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if current_password is not UNSET:
            field_dict["currentPassword"] = current_password
        if code is not UNSET:
            field_dict["code"] = code

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        current_password = d.pop("currentPassword", UNSET)

        code = d.pop("code", UNSET)

        create_totp = cls(
            current_password=current_password,
            code=code,
        )

        create_totp.additional_properties = d
        return create_totp

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
