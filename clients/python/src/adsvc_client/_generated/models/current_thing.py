from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.ad_status import AdStatus, check_ad_status
from ..types import Record

if TYPE_CHECKING:
    from ..models.current_thing_attributes_type_0 import CurrentThingAttributesType0
    from ..models.reported_message import ReportedMessage
    from ..models.reported_picture import ReportedPicture


T = TypeVar("T", bound="CurrentThing")


@_attrs_define
class CurrentThing(Record):
    """What a reported thing says now.

    Attributes:
        title (None | str): Headline of the ad. Null for a comment.
        description (None | str): Text of the ad. Null for a comment.
        price (int | None): Price in the smallest unit of the site. Null for a comment.
        price_type (None | str): What the price means, as in `Ad`. Null for a comment.
        category (None | str): The slug of the ad's category. Null if it has none, and for a comment.
        attributes (CurrentThingAttributesType0 | None): The ad's attributes by name. Null for a comment.
        place (None | str): Where the thing is, in words. Null if not given, and for a comment.
        images (list[ReportedPicture]): The ad's pictures, in their order. Empty for a comment.
        text (None | str): Text of the comment, of the message or of the rating. Null for an ad, and for a message in a
            list of cases.
        stars (int | None): Stars of the rating. Null for anything else.
        messages (list[ReportedMessage]): Up to ten messages before the reported one, the oldest first. Empty for ads
            and comments, and in a list of cases.
        status (AdStatus | None): The ad's status. Null for a comment.
    """

    title: None | str
    description: None | str
    price: int | None
    price_type: None | str
    category: None | str
    attributes: CurrentThingAttributesType0 | None
    place: None | str
    images: list[ReportedPicture]
    text: None | str
    stars: int | None
    messages: list[ReportedMessage]
    status: AdStatus | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.current_thing_attributes_type_0 import CurrentThingAttributesType0  # noqa: PLC0415

        title: None | str
        title = self.title

        description: None | str
        description = self.description

        price: int | None
        price = self.price

        price_type: None | str
        price_type = self.price_type

        category: None | str
        category = self.category

        attributes: dict[str, Any] | None
        if isinstance(self.attributes, CurrentThingAttributesType0):
            attributes = self.attributes.to_dict()
        else:
            attributes = self.attributes

        place: None | str
        place = self.place

        images = []
        for images_item_data in self.images:
            images_item = images_item_data.to_dict()
            images.append(images_item)

        text: None | str
        text = self.text

        stars: int | None
        stars = self.stars

        messages = []
        for messages_item_data in self.messages:
            messages_item = messages_item_data.to_dict()
            messages.append(messages_item)

        status: None | str
        if isinstance(self.status, str):
            status = self.status
        else:
            status = self.status

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "title": title,
                "description": description,
                "price": price,
                "priceType": price_type,
                "category": category,
                "attributes": attributes,
                "place": place,
                "images": images,
                "text": text,
                "stars": stars,
                "messages": messages,
                "status": status,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.current_thing_attributes_type_0 import CurrentThingAttributesType0  # noqa: PLC0415
        from ..models.reported_message import ReportedMessage  # noqa: PLC0415
        from ..models.reported_picture import ReportedPicture  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_title(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        title = _parse_title(d.pop("title"))

        def _parse_description(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        description = _parse_description(d.pop("description"))

        def _parse_price(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        price = _parse_price(d.pop("price"))

        def _parse_price_type(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        price_type = _parse_price_type(d.pop("priceType"))

        def _parse_category(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        category = _parse_category(d.pop("category"))

        def _parse_attributes(data: object) -> CurrentThingAttributesType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                attributes_type_0 = CurrentThingAttributesType0.from_dict(data)

                return attributes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CurrentThingAttributesType0 | None, data)

        attributes = _parse_attributes(d.pop("attributes"))

        def _parse_place(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        place = _parse_place(d.pop("place"))

        images = []
        _images = d.pop("images")
        for images_item_data in _images:
            images_item = ReportedPicture.from_dict(images_item_data)

            images.append(images_item)

        def _parse_text(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        text = _parse_text(d.pop("text"))

        def _parse_stars(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        stars = _parse_stars(d.pop("stars"))

        messages = []
        _messages = d.pop("messages")
        for messages_item_data in _messages:
            messages_item = ReportedMessage.from_dict(messages_item_data)

            messages.append(messages_item)

        def _parse_status(data: object) -> AdStatus | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                status_type_0 = check_ad_status(data)

                return status_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(AdStatus | None, data)

        status = _parse_status(d.pop("status"))

        current_thing = cls(
            title=title,
            description=description,
            price=price,
            price_type=price_type,
            category=category,
            attributes=attributes,
            place=place,
            images=images,
            text=text,
            stars=stars,
            messages=messages,
            status=status,
        )

        current_thing.additional_properties = d
        return current_thing

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
