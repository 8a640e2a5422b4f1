from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.disabled_reason import DisabledReason, check_disabled_reason
from ..models.event_type import EventType, check_event_type
from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="Webhook")


@_attrs_define
class Webhook(Record):
    """An address that events are sent to.

    Attributes:
        id (int): The webhook's id.
        url (str): Where events are sent: `https://`, and public addresses only. The operator may have allowed other
            networks, where `http://` works too.
        types (list[EventType]): The types of events that are sent. To an account: those of its own ads, and those of
            conversations in which the other party has written. `searchMatched`: an ad has come to match a saved search.
            Only accounts are sent it.
        description (str): What the webhook is for.
        enabled (bool): Whether events are sent.
        created_at (int): When it was created, in milliseconds since 1970-01-01T00:00Z.
        disabled_at (int | None | Unset): When it was disabled, or null, in milliseconds since 1970-01-01T00:00Z.
        disabled_reason (DisabledReason | None | Unset): Why nothing is sent; null while it is enabled. `requested`: by
            `PATCH`. `gone`: the receiver has answered 410. `failing`: every attempt of five days has failed.
    """

    id: int
    url: str
    types: list[EventType]
    description: str
    enabled: bool
    created_at: int
    disabled_at: int | None | Unset = UNSET
    disabled_reason: DisabledReason | None | Unset = UNSET
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

        disabled_at: int | None | Unset
        if isinstance(self.disabled_at, Unset):
            disabled_at = UNSET
        else:
            disabled_at = self.disabled_at

        disabled_reason: None | str | Unset
        if isinstance(self.disabled_reason, Unset):
            disabled_reason = UNSET
        elif isinstance(self.disabled_reason, str):
            disabled_reason = self.disabled_reason
        else:
            disabled_reason = self.disabled_reason

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
        if disabled_at is not UNSET:
            field_dict["disabledAt"] = disabled_at
        if disabled_reason is not UNSET:
            field_dict["disabledReason"] = disabled_reason

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

        def _parse_disabled_at(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        disabled_at = _parse_disabled_at(d.pop("disabledAt", UNSET))

        def _parse_disabled_reason(data: object) -> DisabledReason | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                disabled_reason_type_0 = check_disabled_reason(data)

                return disabled_reason_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DisabledReason | None | Unset, data)

        disabled_reason = _parse_disabled_reason(d.pop("disabledReason", UNSET))

        webhook = cls(
            id=id,
            url=url,
            types=types,
            description=description,
            enabled=enabled,
            created_at=created_at,
            disabled_at=disabled_at,
            disabled_reason=disabled_reason,
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
