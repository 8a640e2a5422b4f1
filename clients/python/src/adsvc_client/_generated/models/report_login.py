from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="ReportLogin")


@_attrs_define
class ReportLogin(Record):
    """The token of a mail about a login.

    Attributes:
        token (str): The part of the mailed link after `#token=`. It works once, for a limited time.
        end_keys (bool | Unset): Whether all keys of the account are deleted, too, and its webhooks disabled. They
            outlive its sessions and passwords.
    """

    token: str
    end_keys: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        token = self.token

        end_keys = self.end_keys

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "token": token,
            }
        )
        if end_keys is not UNSET:
            field_dict["endKeys"] = end_keys

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        token = d.pop("token")

        end_keys = d.pop("endKeys", UNSET)

        report_login = cls(
            token=token,
            end_keys=end_keys,
        )

        report_login.additional_properties = d
        return report_login

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
