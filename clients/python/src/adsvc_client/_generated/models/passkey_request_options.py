from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="PasskeyRequestOptions")


@_attrs_define
class PasskeyRequestOptions(Record):
    """For `PublicKeyCredential.parseRequestOptionsFromJSON()`.

    Attributes:
        challenge (str): What is to be signed, once, within five minutes, in base64url.
        timeout (int): Milliseconds.
        rp_id (str): The site's host.
        user_verification (str): Always `required`.
    """

    challenge: str
    timeout: int
    rp_id: str
    user_verification: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        challenge = self.challenge

        timeout = self.timeout

        rp_id = self.rp_id

        user_verification = self.user_verification

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "challenge": challenge,
                "timeout": timeout,
                "rpId": rp_id,
                "userVerification": user_verification,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        challenge = d.pop("challenge")

        timeout = d.pop("timeout")

        rp_id = d.pop("rpId")

        user_verification = d.pop("userVerification")

        passkey_request_options = cls(
            challenge=challenge,
            timeout=timeout,
            rp_id=rp_id,
            user_verification=user_verification,
        )

        passkey_request_options.additional_properties = d
        return passkey_request_options

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
