from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

if TYPE_CHECKING:
    from ..models.message_ways import MessageWays
    from ..models.ways import Ways


T = TypeVar("T", bound="Preferences")


@_attrs_define
class Preferences(Record):
    """In which ways the caller wants each type of notifications.

    Attributes:
        search_matched (Ways): In which ways an account wants a type of notifications.
        price_dropped (Ways): In which ways an account wants a type of notifications.
        favorite_reserved (Ways): In which ways an account wants a type of notifications.
        favorite_sold (Ways): In which ways an account wants a type of notifications.
        favorite_back (Ways): In which ways an account wants a type of notifications.
        favorite_ending (Ways): In which ways an account wants a type of notifications.
        message (MessageWays): In which ways an account wants to hear of messages.
        offer (Ways): In which ways an account wants a type of notifications.
        decision (Ways): In which ways an account wants a type of notifications.
        comment (Ways): In which ways an account wants a type of notifications.
        ad_ending (Ways): In which ways an account wants a type of notifications.
        ad_ended (Ways): In which ways an account wants a type of notifications.
        rating (Ways): In which ways an account wants a type of notifications.
        rating_reminder (Ways): In which ways an account wants a type of notifications.
    """

    search_matched: Ways
    price_dropped: Ways
    favorite_reserved: Ways
    favorite_sold: Ways
    favorite_back: Ways
    favorite_ending: Ways
    message: MessageWays
    offer: Ways
    decision: Ways
    comment: Ways
    ad_ending: Ways
    ad_ended: Ways
    rating: Ways
    rating_reminder: Ways
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        search_matched = self.search_matched.to_dict()

        price_dropped = self.price_dropped.to_dict()

        favorite_reserved = self.favorite_reserved.to_dict()

        favorite_sold = self.favorite_sold.to_dict()

        favorite_back = self.favorite_back.to_dict()

        favorite_ending = self.favorite_ending.to_dict()

        message = self.message.to_dict()

        offer = self.offer.to_dict()

        decision = self.decision.to_dict()

        comment = self.comment.to_dict()

        ad_ending = self.ad_ending.to_dict()

        ad_ended = self.ad_ended.to_dict()

        rating = self.rating.to_dict()

        rating_reminder = self.rating_reminder.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "searchMatched": search_matched,
                "priceDropped": price_dropped,
                "favoriteReserved": favorite_reserved,
                "favoriteSold": favorite_sold,
                "favoriteBack": favorite_back,
                "favoriteEnding": favorite_ending,
                "message": message,
                "offer": offer,
                "decision": decision,
                "comment": comment,
                "adEnding": ad_ending,
                "adEnded": ad_ended,
                "rating": rating,
                "ratingReminder": rating_reminder,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.message_ways import MessageWays  # noqa: PLC0415
        from ..models.ways import Ways  # noqa: PLC0415

        d = dict(src_dict)
        search_matched = Ways.from_dict(d.pop("searchMatched"))

        price_dropped = Ways.from_dict(d.pop("priceDropped"))

        favorite_reserved = Ways.from_dict(d.pop("favoriteReserved"))

        favorite_sold = Ways.from_dict(d.pop("favoriteSold"))

        favorite_back = Ways.from_dict(d.pop("favoriteBack"))

        favorite_ending = Ways.from_dict(d.pop("favoriteEnding"))

        message = MessageWays.from_dict(d.pop("message"))

        offer = Ways.from_dict(d.pop("offer"))

        decision = Ways.from_dict(d.pop("decision"))

        comment = Ways.from_dict(d.pop("comment"))

        ad_ending = Ways.from_dict(d.pop("adEnding"))

        ad_ended = Ways.from_dict(d.pop("adEnded"))

        rating = Ways.from_dict(d.pop("rating"))

        rating_reminder = Ways.from_dict(d.pop("ratingReminder"))

        preferences = cls(
            search_matched=search_matched,
            price_dropped=price_dropped,
            favorite_reserved=favorite_reserved,
            favorite_sold=favorite_sold,
            favorite_back=favorite_back,
            favorite_ending=favorite_ending,
            message=message,
            offer=offer,
            decision=decision,
            comment=comment,
            ad_ending=ad_ending,
            ad_ended=ad_ended,
            rating=rating,
            rating_reminder=rating_reminder,
        )

        preferences.additional_properties = d
        return preferences

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
