from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.ad_status import AdStatus, check_ad_status
from ..models.exported_life_location_kind import (
    ExportedLifeLocationKind,
    check_exported_life_location_kind,
)
from ..models.price_type import PriceType, check_price_type
from ..types import Record

if TYPE_CHECKING:
    from ..models.ad_event import AdEvent
    from ..models.exported_life_attributes import ExportedLifeAttributes
    from ..models.image import Image
    from ..models.location import Location


T = TypeVar("T", bound="ExportedLife")


@_attrs_define
class ExportedLife(Record):
    """An ad of the account with its history.

    Attributes:
        id (int): The ad's id.
        external_id (None | str): The ad's id in its author's own system. Null if it has none, and for others than its
            author.
        title (str): Headline of the ad.
        price (int): Price in the smallest unit of the site (`priceDecimals` of `GET /site`).
        description (str): Text of the ad, with its line breaks.
        image (str): Path of the first picture.
        images (list[Image]): All pictures of the ad, in their order.
        status (AdStatus): Where an ad is in its life. Everyone sees `active` and `reserved` ads. A `draft` is not
            published yet. The author marked it `sold` or `withdrawn`; it `expired`; or moderators `suspended` or `removed`
            it.
        expires_at (int | None): When the ad expires, in milliseconds since 1970-01-01T00:00Z. Null if it does not
            expire.
        sold_at (int | None): When the ad was sold, in milliseconds since 1970-01-01T00:00Z. Null if it is not sold.
        category (None | str): The slug of the ad's category. Null if it has none.
        attributes (ExportedLifeAttributes): Values of the attributes that the ad's category defines, by their names.
            Empty without a category.
        price_type (PriceType): What the price of an ad means.
        place (None | str): Where the thing is, in the author's words. Null if not given.
        place_id (int | None): The id of the ad's place (`GET /places`). Null if not given.
        location (Location | None): The exact point where the thing is, or the centre of its place. Null if neither is
            given.
        location_kind (ExportedLifeLocationKind): `exact`: the author gave a location. `place`: `location` is the centre
            of the ad's place. Null if there is neither.
        created_at (int): When it was created, in milliseconds since 1970-01-01T00:00Z.
        updated_at (int): When it was last changed, in milliseconds since 1970-01-01T00:00Z.
        events (list[AdEvent]): The changes of the ad's status, the earliest first.
    """

    id: int
    external_id: None | str
    title: str
    price: int
    description: str
    image: str
    images: list[Image]
    status: AdStatus
    expires_at: int | None
    sold_at: int | None
    category: None | str
    attributes: ExportedLifeAttributes
    price_type: PriceType
    place: None | str
    place_id: int | None
    location: Location | None
    location_kind: ExportedLifeLocationKind
    created_at: int
    updated_at: int
    events: list[AdEvent]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.location import Location  # noqa: PLC0415

        id = self.id

        external_id: None | str
        external_id = self.external_id

        title = self.title

        price = self.price

        description = self.description

        image = self.image

        images = []
        for images_item_data in self.images:
            images_item = images_item_data.to_dict()
            images.append(images_item)

        status: str = self.status

        expires_at: int | None
        expires_at = self.expires_at

        sold_at: int | None
        sold_at = self.sold_at

        category: None | str
        category = self.category

        attributes = self.attributes.to_dict()

        price_type: str = self.price_type

        place: None | str
        place = self.place

        place_id: int | None
        place_id = self.place_id

        location: dict[str, Any] | None
        if isinstance(self.location, Location):
            location = self.location.to_dict()
        else:
            location = self.location

        location_kind: str = self.location_kind

        created_at = self.created_at

        updated_at = self.updated_at

        events = []
        for events_item_data in self.events:
            events_item = events_item_data.to_dict()
            events.append(events_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "externalId": external_id,
                "title": title,
                "price": price,
                "description": description,
                "image": image,
                "images": images,
                "status": status,
                "expiresAt": expires_at,
                "soldAt": sold_at,
                "category": category,
                "attributes": attributes,
                "priceType": price_type,
                "place": place,
                "placeId": place_id,
                "location": location,
                "locationKind": location_kind,
                "createdAt": created_at,
                "updatedAt": updated_at,
                "events": events,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.ad_event import AdEvent  # noqa: PLC0415
        from ..models.exported_life_attributes import ExportedLifeAttributes  # noqa: PLC0415
        from ..models.image import Image  # noqa: PLC0415
        from ..models.location import Location  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        def _parse_external_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        external_id = _parse_external_id(d.pop("externalId"))

        title = d.pop("title")

        price = d.pop("price")

        description = d.pop("description")

        image = d.pop("image")

        images = []
        _images = d.pop("images")
        for images_item_data in _images:
            images_item = Image.from_dict(images_item_data)

            images.append(images_item)

        status = check_ad_status(d.pop("status"))

        def _parse_expires_at(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        expires_at = _parse_expires_at(d.pop("expiresAt"))

        def _parse_sold_at(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        sold_at = _parse_sold_at(d.pop("soldAt"))

        def _parse_category(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        category = _parse_category(d.pop("category"))

        attributes = ExportedLifeAttributes.from_dict(d.pop("attributes"))

        price_type = check_price_type(d.pop("priceType"))

        def _parse_place(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        place = _parse_place(d.pop("place"))

        def _parse_place_id(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        place_id = _parse_place_id(d.pop("placeId"))

        def _parse_location(data: object) -> Location | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                location_type_0 = Location.from_dict(data)

                return location_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Location | None, data)

        location = _parse_location(d.pop("location"))

        location_kind = check_exported_life_location_kind(d.pop("locationKind"))

        created_at = d.pop("createdAt")

        updated_at = d.pop("updatedAt")

        events = []
        _events = d.pop("events")
        for events_item_data in _events:
            events_item = AdEvent.from_dict(events_item_data)

            events.append(events_item)

        exported_life = cls(
            id=id,
            external_id=external_id,
            title=title,
            price=price,
            description=description,
            image=image,
            images=images,
            status=status,
            expires_at=expires_at,
            sold_at=sold_at,
            category=category,
            attributes=attributes,
            price_type=price_type,
            place=place,
            place_id=place_id,
            location=location,
            location_kind=location_kind,
            created_at=created_at,
            updated_at=updated_at,
            events=events,
        )

        exported_life.additional_properties = d
        return exported_life

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
