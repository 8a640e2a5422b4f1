from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.event_type import EventType, check_event_type
from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="UpdateWebhook")


@_attrs_define
class UpdateWebhook(Record):
    """Changes of a webhook.

    Attributes:
        url (str | Unset): Where events are sent: `https://`, and public addresses only. The operator may have allowed
            other networks, where `http://` works too.
        types (list[EventType] | Unset): The types of events that are sent. To an account: those of its own ads, and
            those of conversations in which the other party has written. `searchMatched`: an ad has come to match a saved
            search. Only accounts are sent it.
        description (str | Unset): What the webhook is for.
        enabled (bool | Unset): Whether events are sent.
    """

    url: str | Unset = UNSET
    types: list[EventType] | Unset = UNSET
    description: str | Unset = UNSET
    enabled: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        url = self.url

        types: list[str] | Unset = UNSET
        if not isinstance(self.types, Unset):
            types = []
            for types_item_data in self.types:
                types_item: str = types_item_data
                types.append(types_item)

        description = self.description

        enabled = self.enabled

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if url is not UNSET:
            field_dict["url"] = url
        if types is not UNSET:
            field_dict["types"] = types
        if description is not UNSET:
            field_dict["description"] = description
        if enabled is not UNSET:
            field_dict["enabled"] = enabled

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        url = d.pop("url", UNSET)

        _types = d.pop("types", UNSET)
        types: list[EventType] | Unset = UNSET
        if _types is not UNSET:
            types = []
            for types_item_data in _types:
                types_item = check_event_type(types_item_data)

                types.append(types_item)

        description = d.pop("description", UNSET)

        enabled = d.pop("enabled", UNSET)

        update_webhook = cls(
            url=url,
            types=types,
            description=description,
            enabled=enabled,
        )

        update_webhook.additional_properties = d
        return update_webhook

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
