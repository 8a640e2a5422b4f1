from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.ad_event_by import AdEventBy, check_ad_event_by
from ..models.ad_status import AdStatus, check_ad_status
from ..types import Record

T = TypeVar("T", bound="AdEvent")


@_attrs_define
class AdEvent(Record):
    """A change of an ad's status.

    Attributes:
        id (int): The event's id.
        event (str): What happened: `created`, `published`, `reserved`, `released`, `sold`, `withdrawn`, `renewed`,
            `expired`, `suspended`, `removed` or `restored`.
        from_ (AdStatus | None): The status before. Null for the first event.
        to (AdStatus): Where an ad is in its life. Everyone sees `active` and `reserved` ads. A `draft` is not published
            yet. The author marked it `sold` or `withdrawn`; it `expired`; or moderators `suspended` or `removed` it.
        by (AdEventBy): Who changed it; `clock` if it happened by itself, as when an ad expires.
        at (int): When it happened, in milliseconds since 1970-01-01T00:00Z.
    """

    id: int
    event: str
    from_: AdStatus | None
    to: AdStatus
    by: AdEventBy
    at: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        event = self.event

        from_: None | str
        if isinstance(self.from_, str):
            from_ = self.from_
        else:
            from_ = self.from_

        to: str = self.to

        by: str = self.by

        at = self.at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "event": event,
                "from": from_,
                "to": to,
                "by": by,
                "at": at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        event = d.pop("event")

        def _parse_from_(data: object) -> AdStatus | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                from_type_0 = check_ad_status(data)

                return from_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(AdStatus | None, data)

        from_ = _parse_from_(d.pop("from"))

        to = check_ad_status(d.pop("to"))

        by = check_ad_event_by(d.pop("by"))

        at = d.pop("at")

        ad_event = cls(
            id=id,
            event=event,
            from_=from_,
            to=to,
            by=by,
            at=at,
        )

        ad_event.additional_properties = d
        return ad_event

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
