from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="TokenPair")


@_attrs_define
class TokenPair(Record):
    """The tokens of a session, with the member names of RFC 6749 §5.1.

    Attributes:
        access_token (str): Send it as `Authorization: Bearer <access_token>`.
        token_type (Literal['Bearer']): The scheme of the access token.
        refresh_token (str): Renews the tokens once, at `POST /token`. A second use within ten seconds gets the same
            pair; a later one ends the session.
        expires_in (int): Seconds until the access token expires.
    """

    access_token: str
    token_type: Literal["Bearer"]
    refresh_token: str
    expires_in: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        access_token = self.access_token

        token_type = self.token_type

        refresh_token = self.refresh_token

        expires_in = self.expires_in

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "access_token": access_token,
                "token_type": token_type,
                "refresh_token": refresh_token,
                "expires_in": expires_in,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        access_token = d.pop("access_token")

        token_type = cast(Literal["Bearer"], d.pop("token_type"))
        if token_type != "Bearer":
            raise ValueError(f"token_type must match const 'Bearer', got '{token_type}'")

        refresh_token = d.pop("refresh_token")

        expires_in = d.pop("expires_in")

        token_pair = cls(
            access_token=access_token,
            token_type=token_type,
            refresh_token=refresh_token,
            expires_in=expires_in,
        )

        token_pair.additional_properties = d
        return token_pair

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
