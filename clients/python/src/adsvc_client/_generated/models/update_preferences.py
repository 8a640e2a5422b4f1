from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.update_message_ways import UpdateMessageWays
    from ..models.update_ways import UpdateWays


T = TypeVar("T", bound="UpdatePreferences")


@_attrs_define
class UpdatePreferences(Record):
    """Changes of preferences.

    Attributes:
        search_matched (UpdateWays | Unset): Changes of the ways for a type.
        price_dropped (UpdateWays | Unset): Changes of the ways for a type.
        favorite_reserved (UpdateWays | Unset): Changes of the ways for a type.
        favorite_sold (UpdateWays | Unset): Changes of the ways for a type.
        favorite_back (UpdateWays | Unset): Changes of the ways for a type.
        favorite_ending (UpdateWays | Unset): Changes of the ways for a type.
        message (UpdateMessageWays | Unset): Changes of the ways for messages.
        offer (UpdateWays | Unset): Changes of the ways for a type.
        decision (UpdateWays | Unset): Changes of the ways for a type.
        comment (UpdateWays | Unset): Changes of the ways for a type.
        ad_ending (UpdateWays | Unset): Changes of the ways for a type.
        ad_ended (UpdateWays | Unset): Changes of the ways for a type.
        rating (UpdateWays | Unset): Changes of the ways for a type.
        rating_reminder (UpdateWays | Unset): Changes of the ways for a type.
    """

    search_matched: UpdateWays | Unset = UNSET
    price_dropped: UpdateWays | Unset = UNSET
    favorite_reserved: UpdateWays | Unset = UNSET
    favorite_sold: UpdateWays | Unset = UNSET
    favorite_back: UpdateWays | Unset = UNSET
    favorite_ending: UpdateWays | Unset = UNSET
    message: UpdateMessageWays | Unset = UNSET
    offer: UpdateWays | Unset = UNSET
    decision: UpdateWays | Unset = UNSET
    comment: UpdateWays | Unset = UNSET
    ad_ending: UpdateWays | Unset = UNSET
    ad_ended: UpdateWays | Unset = UNSET
    rating: UpdateWays | Unset = UNSET
    rating_reminder: UpdateWays | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        search_matched: dict[str, Any] | Unset = UNSET
        if not isinstance(self.search_matched, Unset):
            search_matched = self.search_matched.to_dict()

        price_dropped: dict[str, Any] | Unset = UNSET
        if not isinstance(self.price_dropped, Unset):
            price_dropped = self.price_dropped.to_dict()

        favorite_reserved: dict[str, Any] | Unset = UNSET
        if not isinstance(self.favorite_reserved, Unset):
            favorite_reserved = self.favorite_reserved.to_dict()

        favorite_sold: dict[str, Any] | Unset = UNSET
        if not isinstance(self.favorite_sold, Unset):
            favorite_sold = self.favorite_sold.to_dict()

        favorite_back: dict[str, Any] | Unset = UNSET
        if not isinstance(self.favorite_back, Unset):
            favorite_back = self.favorite_back.to_dict()

        favorite_ending: dict[str, Any] | Unset = UNSET
        if not isinstance(self.favorite_ending, Unset):
            favorite_ending = self.favorite_ending.to_dict()

        message: dict[str, Any] | Unset = UNSET
        if not isinstance(self.message, Unset):
            message = self.message.to_dict()

        offer: dict[str, Any] | Unset = UNSET
        if not isinstance(self.offer, Unset):
            offer = self.offer.to_dict()

        decision: dict[str, Any] | Unset = UNSET
        if not isinstance(self.decision, Unset):
            decision = self.decision.to_dict()

        comment: dict[str, Any] | Unset = UNSET
        if not isinstance(self.comment, Unset):
            comment = self.comment.to_dict()

        ad_ending: dict[str, Any] | Unset = UNSET
        if not isinstance(self.ad_ending, Unset):
            ad_ending = self.ad_ending.to_dict()

        ad_ended: dict[str, Any] | Unset = UNSET
        if not isinstance(self.ad_ended, Unset):
            ad_ended = self.ad_ended.to_dict()

        rating: dict[str, Any] | Unset = UNSET
        if not isinstance(self.rating, Unset):
            rating = self.rating.to_dict()

        rating_reminder: dict[str, Any] | Unset = UNSET
        if not isinstance(self.rating_reminder, Unset):
            rating_reminder = self.rating_reminder.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if search_matched is not UNSET:
            field_dict["searchMatched"] = search_matched
        if price_dropped is not UNSET:
            field_dict["priceDropped"] = price_dropped
        if favorite_reserved is not UNSET:
            field_dict["favoriteReserved"] = favorite_reserved
        if favorite_sold is not UNSET:
            field_dict["favoriteSold"] = favorite_sold
        if favorite_back is not UNSET:
            field_dict["favoriteBack"] = favorite_back
        if favorite_ending is not UNSET:
            field_dict["favoriteEnding"] = favorite_ending
        if message is not UNSET:
            field_dict["message"] = message
        if offer is not UNSET:
            field_dict["offer"] = offer
        if decision is not UNSET:
            field_dict["decision"] = decision
        if comment is not UNSET:
            field_dict["comment"] = comment
        if ad_ending is not UNSET:
            field_dict["adEnding"] = ad_ending
        if ad_ended is not UNSET:
            field_dict["adEnded"] = ad_ended
        if rating is not UNSET:
            field_dict["rating"] = rating
        if rating_reminder is not UNSET:
            field_dict["ratingReminder"] = rating_reminder

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.update_message_ways import UpdateMessageWays  # noqa: PLC0415
        from ..models.update_ways import UpdateWays  # noqa: PLC0415

        d = dict(src_dict)
        _search_matched = d.pop("searchMatched", UNSET)
        search_matched: UpdateWays | Unset
        if isinstance(_search_matched, Unset):
            search_matched = UNSET
        else:
            search_matched = UpdateWays.from_dict(_search_matched)

        _price_dropped = d.pop("priceDropped", UNSET)
        price_dropped: UpdateWays | Unset
        if isinstance(_price_dropped, Unset):
            price_dropped = UNSET
        else:
            price_dropped = UpdateWays.from_dict(_price_dropped)

        _favorite_reserved = d.pop("favoriteReserved", UNSET)
        favorite_reserved: UpdateWays | Unset
        if isinstance(_favorite_reserved, Unset):
            favorite_reserved = UNSET
        else:
            favorite_reserved = UpdateWays.from_dict(_favorite_reserved)

        _favorite_sold = d.pop("favoriteSold", UNSET)
        favorite_sold: UpdateWays | Unset
        if isinstance(_favorite_sold, Unset):
            favorite_sold = UNSET
        else:
            favorite_sold = UpdateWays.from_dict(_favorite_sold)

        _favorite_back = d.pop("favoriteBack", UNSET)
        favorite_back: UpdateWays | Unset
        if isinstance(_favorite_back, Unset):
            favorite_back = UNSET
        else:
            favorite_back = UpdateWays.from_dict(_favorite_back)

        _favorite_ending = d.pop("favoriteEnding", UNSET)
        favorite_ending: UpdateWays | Unset
        if isinstance(_favorite_ending, Unset):
            favorite_ending = UNSET
        else:
            favorite_ending = UpdateWays.from_dict(_favorite_ending)

        _message = d.pop("message", UNSET)
        message: UpdateMessageWays | Unset
        if isinstance(_message, Unset):
            message = UNSET
        else:
            message = UpdateMessageWays.from_dict(_message)

        _offer = d.pop("offer", UNSET)
        offer: UpdateWays | Unset
        if isinstance(_offer, Unset):
            offer = UNSET
        else:
            offer = UpdateWays.from_dict(_offer)

        _decision = d.pop("decision", UNSET)
        decision: UpdateWays | Unset
        if isinstance(_decision, Unset):
            decision = UNSET
        else:
            decision = UpdateWays.from_dict(_decision)

        _comment = d.pop("comment", UNSET)
        comment: UpdateWays | Unset
        if isinstance(_comment, Unset):
            comment = UNSET
        else:
            comment = UpdateWays.from_dict(_comment)

        _ad_ending = d.pop("adEnding", UNSET)
        ad_ending: UpdateWays | Unset
        if isinstance(_ad_ending, Unset):
            ad_ending = UNSET
        else:
            ad_ending = UpdateWays.from_dict(_ad_ending)

        _ad_ended = d.pop("adEnded", UNSET)
        ad_ended: UpdateWays | Unset
        if isinstance(_ad_ended, Unset):
            ad_ended = UNSET
        else:
            ad_ended = UpdateWays.from_dict(_ad_ended)

        _rating = d.pop("rating", UNSET)
        rating: UpdateWays | Unset
        if isinstance(_rating, Unset):
            rating = UNSET
        else:
            rating = UpdateWays.from_dict(_rating)

        _rating_reminder = d.pop("ratingReminder", UNSET)
        rating_reminder: UpdateWays | Unset
        if isinstance(_rating_reminder, Unset):
            rating_reminder = UNSET
        else:
            rating_reminder = UpdateWays.from_dict(_rating_reminder)

        update_preferences = cls(
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

        update_preferences.additional_properties = d
        return update_preferences

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
