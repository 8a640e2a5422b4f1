from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

if TYPE_CHECKING:
    from ..models.similar_price import SimilarPrice
    from ..models.views_of_day import ViewsOfDay


T = TypeVar("T", bound="AdStats")


@_attrs_define
class AdStats(Record):
    """What the author of an ad sees of its success.

    Attributes:
        views (int): How often it was seen since it was posted: once for each visitor and day.
        saves (int): How many accounts keep it as a favorite.
        conversations (int): How many have written to the author about it.
        days (list[ViewsOfDay]): The last 30 days, the oldest first.
        similar_price (None | SimilarPrice): Of other ads of the category with a word of the title in common, active or
            sold within 90 days, with a fixed or negotiable price. Null below five.
    """

    views: int
    saves: int
    conversations: int
    days: list[ViewsOfDay]
    similar_price: None | SimilarPrice
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.similar_price import SimilarPrice  # noqa: PLC0415

        views = self.views

        saves = self.saves

        conversations = self.conversations

        days = []
        for days_item_data in self.days:
            days_item = days_item_data.to_dict()
            days.append(days_item)

        similar_price: dict[str, Any] | None
        if isinstance(self.similar_price, SimilarPrice):
            similar_price = self.similar_price.to_dict()
        else:
            similar_price = self.similar_price

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "views": views,
                "saves": saves,
                "conversations": conversations,
                "days": days,
                "similarPrice": similar_price,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.similar_price import SimilarPrice  # noqa: PLC0415
        from ..models.views_of_day import ViewsOfDay  # noqa: PLC0415

        d = dict(src_dict)
        views = d.pop("views")

        saves = d.pop("saves")

        conversations = d.pop("conversations")

        days = []
        _days = d.pop("days")
        for days_item_data in _days:
            days_item = ViewsOfDay.from_dict(days_item_data)

            days.append(days_item)

        def _parse_similar_price(data: object) -> None | SimilarPrice:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                similar_price_type_0 = SimilarPrice.from_dict(data)

                return similar_price_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SimilarPrice, data)

        similar_price = _parse_similar_price(d.pop("similarPrice"))

        ad_stats = cls(
            views=views,
            saves=saves,
            conversations=conversations,
            days=days,
            similar_price=similar_price,
        )

        ad_stats.additional_properties = d
        return ad_stats

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
