from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="ResetPassword")


@_attrs_define
class ResetPassword(Record):
    """A new password in the place of a forgotten one.

    Attributes:
        token (str): The part of the mailed link after `#token=`. It works once, for a limited time.
        new_password (str): The new password. Frequent passwords, sequences and passwords made of the account's names
            are refused (`weak-password`).
        end_keys (bool | Unset): Whether all keys of the account are deleted, too, and its webhooks disabled. They
            outlive its sessions and passwords.
        code (str | Unset): Required of an account with an authenticator app: a code of it, or a recovery code.
    """

    token: str
    new_password: str
    end_keys: bool | Unset = UNSET
    code: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        token = self.token

        new_password = self.new_password

        end_keys = self.end_keys

        code = self.code

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "token": token,
                "newPassword": new_password,
            }
        )
        if end_keys is not UNSET:
            field_dict["endKeys"] = end_keys
        if code is not UNSET:
            field_dict["code"] = code

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        token = d.pop("token")

        new_password = d.pop("newPassword")

        end_keys = d.pop("endKeys", UNSET)

        code = d.pop("code", UNSET)

        reset_password = cls(
            token=token,
            new_password=new_password,
            end_keys=end_keys,
            code=code,
        )

        reset_password.additional_properties = d
        return reset_password

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
