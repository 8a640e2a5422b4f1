from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="LinkIdentity")


@_attrs_define
class LinkIdentity(Record):
    """The confirmation that a provider's person may use an account: its password with the
    `challenge`, or the `token` of the mail.

        Attributes:
            challenge (str | Unset): That of the refused login. It counts once, within an hour, in the browser that began
                the login.
            current_password (str | Unset): The account's password.
            token (str | Unset): The part of the mailed link after `#token=`. It works once, for a limited time.
            code (str | Unset): Required of an account with an authenticator app: a code of it, or a recovery code.
    """

    challenge: str | Unset = UNSET
    current_password: str | Unset = UNSET
    token: str | Unset = UNSET
    code: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        challenge = self.challenge

        current_password = self.current_password

        token = self.token

        code = self.code

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if challenge is not UNSET:
            field_dict["challenge"] = challenge
        if current_password is not UNSET:
            field_dict["currentPassword"] = current_password
        if token is not UNSET:
            field_dict["token"] = token
        if code is not UNSET:
            field_dict["code"] = code

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        challenge = d.pop("challenge", UNSET)

        current_password = d.pop("currentPassword", UNSET)

        token = d.pop("token", UNSET)

        code = d.pop("code", UNSET)

        link_identity = cls(
            challenge=challenge,
            current_password=current_password,
            token=token,
            code=code,
        )

        link_identity.additional_properties = d
        return link_identity

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
