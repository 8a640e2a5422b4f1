from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.notification_type import NotificationType, check_notification_type
from ..types import Record

if TYPE_CHECKING:
    from ..models.ad import Ad
    from ..models.named_search import NamedSearch
    from ..models.price_change import PriceChange


T = TypeVar("T", bound="Notification")


@_attrs_define
class Notification(Record):
    """What happened to something that the caller follows or takes part in.

    Attributes:
        id (int): The notification's id.
        type_ (NotificationType): What happened. `searchMatched`: new ads match a saved search. Of a favorite:
            `priceDropped`, `favoriteReserved`, `favoriteSold`, `favoriteBack` (released, published or renewed again),
            `favoriteEnding` (it expires within 24 hours). `message`, `offer`: somebody wrote. `decision`: a moderator has
            decided about the caller's account, ad or comment. Of an ad of the caller: `comment` (somebody has written one),
            `adEnding` (it expires within three days), `adEnded` (it has expired). Of a deal: `rating` (what the other party
            said is shown), `ratingReminder` (the caller can still rate the other party).
        at (int): When it happened, in milliseconds since 1970-01-01T00:00Z.
        read (bool): Whether the caller has read it.
        ad (Ad | None): The ad that it is about. Null if none, or if it is not to be seen.
        search (NamedSearch | None): The search that it is about; null if none.
        conversation (int | None): The id of the conversation that it is about.
        decision (int | None): The id of the decision that it is about.
        count (int | None): Of `searchMatched`: how many ads match. Null otherwise.
        ads (list[Ad] | None): Of `searchMatched`: up to 12 of the ads, as far as they are still to be seen. Null
            otherwise.
        price (None | PriceChange): Of `priceDropped`: the price before and after. Null otherwise.
    """

    id: int
    type_: NotificationType
    at: int
    read: bool
    ad: Ad | None
    search: NamedSearch | None
    conversation: int | None
    decision: int | None
    count: int | None
    ads: list[Ad] | None
    price: None | PriceChange
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.ad import Ad  # noqa: PLC0415
        from ..models.named_search import NamedSearch  # noqa: PLC0415
        from ..models.price_change import PriceChange  # noqa: PLC0415

        id = self.id

        type_: str = self.type_

        at = self.at

        read = self.read

        ad: dict[str, Any] | None
        if isinstance(self.ad, Ad):
            ad = self.ad.to_dict()
        else:
            ad = self.ad

        search: dict[str, Any] | None
        if isinstance(self.search, NamedSearch):
            search = self.search.to_dict()
        else:
            search = self.search

        conversation: int | None
        conversation = self.conversation

        decision: int | None
        decision = self.decision

        count: int | None
        count = self.count

        ads: list[dict[str, Any]] | None
        if isinstance(self.ads, list):
            ads = []
            for ads_type_0_item_data in self.ads:
                ads_type_0_item = ads_type_0_item_data.to_dict()
                ads.append(ads_type_0_item)

        else:
            ads = self.ads

        price: dict[str, Any] | None
        if isinstance(self.price, PriceChange):
            price = self.price.to_dict()
        else:
            price = self.price

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "type": type_,
                "at": at,
                "read": read,
                "ad": ad,
                "search": search,
                "conversation": conversation,
                "decision": decision,
                "count": count,
                "ads": ads,
                "price": price,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.ad import Ad  # noqa: PLC0415
        from ..models.named_search import NamedSearch  # noqa: PLC0415
        from ..models.price_change import PriceChange  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        type_ = check_notification_type(d.pop("type"))

        at = d.pop("at")

        read = d.pop("read")

        def _parse_ad(data: object) -> Ad | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                ad_type_0 = Ad.from_dict(data)

                return ad_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Ad | None, data)

        ad = _parse_ad(d.pop("ad"))

        def _parse_search(data: object) -> NamedSearch | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                search_type_0 = NamedSearch.from_dict(data)

                return search_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(NamedSearch | None, data)

        search = _parse_search(d.pop("search"))

        def _parse_conversation(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        conversation = _parse_conversation(d.pop("conversation"))

        def _parse_decision(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        decision = _parse_decision(d.pop("decision"))

        def _parse_count(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        count = _parse_count(d.pop("count"))

        def _parse_ads(data: object) -> list[Ad] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                ads_type_0 = []
                _ads_type_0 = data
                for ads_type_0_item_data in _ads_type_0:
                    ads_type_0_item = Ad.from_dict(ads_type_0_item_data)

                    ads_type_0.append(ads_type_0_item)

                return ads_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Ad] | None, data)

        ads = _parse_ads(d.pop("ads"))

        def _parse_price(data: object) -> None | PriceChange:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                price_type_0 = PriceChange.from_dict(data)

                return price_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PriceChange, data)

        price = _parse_price(d.pop("price"))

        notification = cls(
            id=id,
            type_=type_,
            at=at,
            read=read,
            ad=ad,
            search=search,
            conversation=conversation,
            decision=decision,
            count=count,
            ads=ads,
            price=price,
        )

        notification.additional_properties = d
        return notification

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
