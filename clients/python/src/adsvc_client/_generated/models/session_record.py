from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="SessionRecord")


@_attrs_define
class SessionRecord(Record):
    """A login of an account on one device.

    Attributes:
        id (int): The session's id.
        client (str): The beginning of the `User-Agent` that logged in.
        began_at (int): When the session began, in milliseconds since 1970-01-01T00:00Z.
        last_used_at (int): When it last received tokens, in milliseconds since 1970-01-01T00:00Z.
        expires_at (int): When it ends unless its tokens are renewed, in milliseconds since 1970-01-01T00:00Z.
    """

    id: int
    client: str
    began_at: int
    last_used_at: int
    expires_at: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        client = self.client

        began_at = self.began_at

        last_used_at = self.last_used_at

        expires_at = self.expires_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "client": client,
                "beganAt": began_at,
                "lastUsedAt": last_used_at,
                "expiresAt": expires_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        client = d.pop("client")

        began_at = d.pop("beganAt")

        last_used_at = d.pop("lastUsedAt")

        expires_at = d.pop("expiresAt")

        session_record = cls(
            id=id,
            client=client,
            began_at=began_at,
            last_used_at=last_used_at,
            expires_at=expires_at,
        )

        session_record.additional_properties = d
        return session_record

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
