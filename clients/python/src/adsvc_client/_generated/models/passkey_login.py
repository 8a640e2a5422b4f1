from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

if TYPE_CHECKING:
    from ..models.passkey_assertion import PasskeyAssertion


T = TypeVar("T", bound="PasskeyLogin")


@_attrs_define
class PasskeyLogin(Record):
    """`PublicKeyCredential.toJSON()` of a login. Other members are ignored.

    Attributes:
        id (str): The credential's id, in base64url.
        raw_id (str): The same, in base64url.
        type_ (Literal['public-key']): The kind of credential.
        response_ (PasskeyAssertion): What the authenticator signed.
    """

    id: str
    raw_id: str
    type_: Literal["public-key"]
    response_: PasskeyAssertion
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        raw_id = self.raw_id

        type_ = self.type_

        response_ = self.response_.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "rawId": raw_id,
                "type": type_,
                "response": response_,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.passkey_assertion import PasskeyAssertion  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        raw_id = d.pop("rawId")

        type_ = cast(Literal["public-key"], d.pop("type"))
        if type_ != "public-key":
            raise ValueError(f"type must match const 'public-key', got '{type_}'")

        response_ = PasskeyAssertion.from_dict(d.pop("response"))

        passkey_login = cls(
            id=id,
            raw_id=raw_id,
            type_=type_,
            response_=response_,
        )

        passkey_login.additional_properties = d
        return passkey_login

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
