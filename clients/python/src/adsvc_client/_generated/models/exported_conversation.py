from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.party import Party, check_party
from ..types import Record

T = TypeVar("T", bound="ExportedConversation")


@_attrs_define
class ExportedConversation(Record):
    """A conversation of the account, without its messages.

    Attributes:
        id (int): The conversation's id.
        ad (int): The id of the ad.
        title (str): Headline of the ad when the conversation began.
        role (Party): A side of a conversation: who wrote about the ad, and the ad's author.
        created_at (int): When it began, in milliseconds since 1970-01-01T00:00Z.
    """

    id: int
    ad: int
    title: str
    role: Party
    created_at: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        ad = self.ad

        title = self.title

        role: str = self.role

        created_at = self.created_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "ad": ad,
                "title": title,
                "role": role,
                "createdAt": created_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        ad = d.pop("ad")

        title = d.pop("title")

        role = check_party(d.pop("role"))

        created_at = d.pop("createdAt")

        exported_conversation = cls(
            id=id,
            ad=ad,
            title=title,
            role=role,
            created_at=created_at,
        )

        exported_conversation.additional_properties = d
        return exported_conversation

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
