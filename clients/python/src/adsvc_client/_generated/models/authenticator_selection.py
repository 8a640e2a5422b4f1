from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="AuthenticatorSelection")


@_attrs_define
class AuthenticatorSelection(Record):
    """What the authenticator must be able to do.

    Attributes:
        resident_key (str): Always `required`.
        require_resident_key (bool): Always true.
        user_verification (str): Always `required`.
    """

    resident_key: str
    require_resident_key: bool
    user_verification: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        resident_key = self.resident_key

        require_resident_key = self.require_resident_key

        user_verification = self.user_verification

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "residentKey": resident_key,
                "requireResidentKey": require_resident_key,
                "userVerification": user_verification,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        resident_key = d.pop("residentKey")

        require_resident_key = d.pop("requireResidentKey")

        user_verification = d.pop("userVerification")

        authenticator_selection = cls(
            resident_key=resident_key,
            require_resident_key=require_resident_key,
            user_verification=user_verification,
        )

        authenticator_selection.additional_properties = d
        return authenticator_selection

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
