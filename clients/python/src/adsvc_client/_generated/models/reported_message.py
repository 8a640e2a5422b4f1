from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.message_kind import MessageKind, check_message_kind
from ..models.party import Party, check_party
from ..types import Record

T = TypeVar("T", bound="ReportedMessage")


@_attrs_define
class ReportedMessage(Record):
    """A message before the one that was reported.

    Attributes:
        id (int): The message's id.
        by (Party): A side of a conversation: who wrote about the ad, and the ad's author.
        kind (MessageKind): What a message is: `text` that a party wrote, an `offer`, or a `notice` of what has
            happened.
        text (str): Its text.
        at (int): When it was written, in milliseconds since 1970-01-01T00:00Z.
    """

    id: int
    by: Party
    kind: MessageKind
    text: str
    at: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        by: str = self.by

        kind: str = self.kind

        text = self.text

        at = self.at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "by": by,
                "kind": kind,
                "text": text,
                "at": at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        by = check_party(d.pop("by"))

        kind = check_message_kind(d.pop("kind"))

        text = d.pop("text")

        at = d.pop("at")

        reported_message = cls(
            id=id,
            by=by,
            kind=kind,
            text=text,
            at=at,
        )

        reported_message.additional_properties = d
        return reported_message

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
