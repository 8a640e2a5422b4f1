from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.event_type import EventType, check_event_type
from ..types import Record

T = TypeVar("T", bound="Webhook")


@_attrs_define
class Webhook(Record):
    """An address that events are sent to.

    Attributes:
        id (int): The webhook's id.
        url (str): Where events are sent: `https://`, and public addresses only. The operator may have allowed other
            networks, where `http://` works too.
        types (list[EventType]): The types of events that are sent.
        description (str): What the webhook is for.
        enabled (bool): Whether events are sent.
        created_at (int): When it was created, in milliseconds since 1970-01-01T00:00Z.
    """

    id: int
    url: str
    types: list[EventType]
    description: str
    enabled: bool
    created_at: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        url = self.url

        types = []
        for types_item_data in self.types:
            types_item: str = types_item_data
            types.append(types_item)

        description = self.description

        enabled = self.enabled

        created_at = self.created_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "url": url,
                "types": types,
                "description": description,
                "enabled": enabled,
                "createdAt": created_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        url = d.pop("url")

        types = []
        _types = d.pop("types")
        for types_item_data in _types:
            types_item = check_event_type(types_item_data)

            types.append(types_item)

        description = d.pop("description")

        enabled = d.pop("enabled")

        created_at = d.pop("createdAt")

        webhook = cls(
            id=id,
            url=url,
            types=types,
            description=description,
            enabled=enabled,
            created_at=created_at,
        )

        webhook.additional_properties = d
        return webhook

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
