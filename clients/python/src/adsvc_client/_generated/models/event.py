from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.event_type import EventType, check_event_type
from ..types import Record

if TYPE_CHECKING:
    from ..models.event_data import EventData


T = TypeVar("T", bound="Event")


@_attrs_define
class Event(Record):
    """Something that happened. What it is about is read by the ids; it has no text of anybody.

    Attributes:
        id (int): Ascending in the order of commits, without gaps.
        type_ (EventType): What happened. Known values: `ad.created`, `ad.published`, `ad.updated`, `ad.priceChanged`,
            `ad.reserved`, `ad.released`, `ad.sold`, `ad.withdrawn`, `ad.expired`, `ad.renewed`, `ad.hidden`, `ad.shown`,
            `ad.deleted`, `comment.created`, `comment.deleted`, `user.registered`, `user.verified`, `user.suspended`,
            `user.restored`, `user.deleted`, `report.created`, `decision.made`, `message.sent`, `offer.made`,
            `offer.accepted`, `rating.created`, `rating.shown`, `searchMatched`. Later versions may add more.
        at (int): When it happened, in milliseconds since 1970-01-01T00:00Z.
        ad (int | None): The ad that it is about.
        user (int | None): Whose thing it is: the author of the ad or comment, or the account.
        data (EventData): `from` and `to` of a status or price (`to` is null if the price is on request), `status` of a
            new ad, `externalId` of an ad that has one, the ids `comment`, `case`, `decision`, `rating` and `deal`, the
            `action` of a decision, and the ids of the account's `searches` that an ad has come to match.
    """

    id: int
    type_: EventType
    at: int
    ad: int | None
    user: int | None
    data: EventData
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        type_: str = self.type_

        at = self.at

        ad: int | None
        ad = self.ad

        user: int | None
        user = self.user

        data = self.data.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "type": type_,
                "at": at,
                "ad": ad,
                "user": user,
                "data": data,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.event_data import EventData  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        type_ = check_event_type(d.pop("type"))

        at = d.pop("at")

        def _parse_ad(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        ad = _parse_ad(d.pop("ad"))

        def _parse_user(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        user = _parse_user(d.pop("user"))

        data = EventData.from_dict(d.pop("data"))

        event = cls(
            id=id,
            type_=type_,
            at=at,
            ad=ad,
            user=user,
            data=data,
        )

        event.additional_properties = d
        return event

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
