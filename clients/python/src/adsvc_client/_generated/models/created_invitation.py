from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="CreatedInvitation")


@_attrs_define
class CreatedInvitation(Record):
    """A new invitation, with its code.

    Attributes:
        id (int): The invitation's id.
        created_at (int): When it was created, in milliseconds since 1970-01-01T00:00Z.
        uses (int): How many accounts it is good for.
        used (int): How many accounts were made with it.
        expires_at (int | None): When it ends, in milliseconds since 1970-01-01T00:00Z. Null if it does not.
        code (str): What `POST /register` takes as `invitation`. It cannot be read again.
    """

    id: int
    created_at: int
    uses: int
    used: int
    expires_at: int | None
    code: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        created_at = self.created_at

        uses = self.uses

        used = self.used

        expires_at: int | None
        expires_at = self.expires_at

        code = self.code

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "createdAt": created_at,
                "uses": uses,
                "used": used,
                "expiresAt": expires_at,
                "code": code,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        created_at = d.pop("createdAt")

        uses = d.pop("uses")

        used = d.pop("used")

        def _parse_expires_at(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        expires_at = _parse_expires_at(d.pop("expiresAt"))

        code = d.pop("code")

        created_invitation = cls(
            id=id,
            created_at=created_at,
            uses=uses,
            used=used,
            expires_at=expires_at,
            code=code,
        )

        created_invitation.additional_properties = d
        return created_invitation

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
