from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="UpdateUser")


@_attrs_define
class UpdateUser(Record):
    """Changes of the caller's account: at least one member. What is left out stays as it is.

    Attributes:
        first_name (str | Unset): First name; may be empty.
        last_name (str | Unset): Last name; may be empty.
        phone (str | Unset): Phone number. Empty, or 5 to 32 characters with 5 to 15 digits, as people write and copy
            it: spaces, dots, slashes, dashes, brackets and a plus sign do not matter. The answer has it in a form whose
            digits, and the plus sign, can be dialled.
        mail (str | Unset): The new mail address of the account. It receives a link and counts once the link was
            followed.
        current_password (str | Unset): The account's password. Required with `mail`; ignored without it.
    """

    first_name: str | Unset = UNSET
    last_name: str | Unset = UNSET
    phone: str | Unset = UNSET
    mail: str | Unset = UNSET
    current_password: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        first_name = self.first_name

        last_name = self.last_name

        phone = self.phone

        mail = self.mail

        current_password = self.current_password

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if first_name is not UNSET:
            field_dict["firstName"] = first_name
        if last_name is not UNSET:
            field_dict["lastName"] = last_name
        if phone is not UNSET:
            field_dict["phone"] = phone
        if mail is not UNSET:
            field_dict["mail"] = mail
        if current_password is not UNSET:
            field_dict["currentPassword"] = current_password

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        first_name = d.pop("firstName", UNSET)

        last_name = d.pop("lastName", UNSET)

        phone = d.pop("phone", UNSET)

        mail = d.pop("mail", UNSET)

        current_password = d.pop("currentPassword", UNSET)

        update_user = cls(
            first_name=first_name,
            last_name=last_name,
            phone=phone,
            mail=mail,
            current_password=current_password,
        )

        update_user.additional_properties = d
        return update_user

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
