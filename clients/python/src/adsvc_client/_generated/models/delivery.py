from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.delivery_status import DeliveryStatus, check_delivery_status
from ..types import Record

T = TypeVar("T", bound="Delivery")


@_attrs_define
class Delivery(Record):
    """An event that is sent to a webhook.

    Attributes:
        id (int): The delivery's id.
        event (int): The event's id; 0 for a test.
        type_ (str): The event's type, or `webhook.test`.
        status (DeliveryStatus): What has become of a delivery to a webhook.
        attempts (int): How many attempts have begun so far.
        next_at (int | None): When the next attempt may begin, or null if there is none, in milliseconds since
            1970-01-01T00:00Z.
        last_status (int | None): The HTTP status of the last answer; null if there was none.
        at (int | None): When the last attempt began, or null before the first, in milliseconds since 1970-01-01T00:00Z.
        milliseconds (int | None): How long the last attempt took; null during an attempt.
        answer (None | str): The beginning of the last answer's body, at most 1 kB; null during an attempt.
    """

    id: int
    event: int
    type_: str
    status: DeliveryStatus
    attempts: int
    next_at: int | None
    last_status: int | None
    at: int | None
    milliseconds: int | None
    answer: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        event = self.event

        type_ = self.type_

        status: str = self.status

        attempts = self.attempts

        next_at: int | None
        next_at = self.next_at

        last_status: int | None
        last_status = self.last_status

        at: int | None
        at = self.at

        milliseconds: int | None
        milliseconds = self.milliseconds

        answer: None | str
        answer = self.answer

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "event": event,
                "type": type_,
                "status": status,
                "attempts": attempts,
                "nextAt": next_at,
                "lastStatus": last_status,
                "at": at,
                "milliseconds": milliseconds,
                "answer": answer,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        event = d.pop("event")

        type_ = d.pop("type")

        status = check_delivery_status(d.pop("status"))

        attempts = d.pop("attempts")

        def _parse_next_at(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        next_at = _parse_next_at(d.pop("nextAt"))

        def _parse_last_status(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        last_status = _parse_last_status(d.pop("lastStatus"))

        def _parse_at(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        at = _parse_at(d.pop("at"))

        def _parse_milliseconds(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        milliseconds = _parse_milliseconds(d.pop("milliseconds"))

        def _parse_answer(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        answer = _parse_answer(d.pop("answer"))

        delivery = cls(
            id=id,
            event=event,
            type_=type_,
            status=status,
            attempts=attempts,
            next_at=next_at,
            last_status=last_status,
            at=at,
            milliseconds=milliseconds,
            answer=answer,
        )

        delivery.additional_properties = d
        return delivery

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
