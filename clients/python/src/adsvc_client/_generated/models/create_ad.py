from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.create_ad_status import CreateAdStatus, check_create_ad_status
from ..models.price_type import PriceType, check_price_type
from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.create_ad_attributes import CreateAdAttributes
    from ..models.location import Location


T = TypeVar("T", bound="CreateAd")


@_attrs_define
class CreateAd(Record):
    """A new ad. Its `price` may be left out if its `priceType` is `free` or `onRequest`.

    Attributes:
        title (str): Headline of the ad.
        description (str): Text of the ad. Line breaks are kept.
        price (int | Unset): Price in the smallest unit of the site (`priceDecimals` of `GET /site`). A string of digits
            is accepted too, as forms send it.
        category (None | str | Unset): The slug of a category. Null means no category, which some sites refuse.
        attributes (CreateAdAttributes | Unset): Attributes by name, as `GET /categories/{slug}/schema` describes them.
            Only with a category.
        price_type (PriceType | Unset): What the price of an ad means.
        place (None | str | Unset): Where the thing is, in words. Null means not given.
        place_id (int | None | Unset): The id of a place of `GET /places`. Its name becomes `place` unless that is sent
            too. Without a `location` the ad is found at the place's centre. Null means not given.
        location (Location | None | Unset): The exact point. Others see it rounded to about a kilometre. Null means not
            given.
        external_id (None | str | Unset): The ad's id in its author's own system, unique for the account. Null means not
            given.
        status (CreateAdStatus | Unset): `active` (the default) shows the ad to everyone. Only the author and
            administrators see a `draft`, until it is published.
    """

    title: str
    description: str
    price: int | Unset = UNSET
    category: None | str | Unset = UNSET
    attributes: CreateAdAttributes | Unset = UNSET
    price_type: PriceType | Unset = UNSET
    place: None | str | Unset = UNSET
    place_id: int | None | Unset = UNSET
    location: Location | None | Unset = UNSET
    external_id: None | str | Unset = UNSET
    status: CreateAdStatus | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.location import Location  # noqa: PLC0415

        title = self.title

        description = self.description

        price = self.price

        category: None | str | Unset
        if isinstance(self.category, Unset):
            category = UNSET
        else:
            category = self.category

        attributes: dict[str, Any] | Unset = UNSET
        if not isinstance(self.attributes, Unset):
            attributes = self.attributes.to_dict()

        price_type: str | Unset = UNSET
        if not isinstance(self.price_type, Unset):
            price_type = self.price_type

        place: None | str | Unset
        if isinstance(self.place, Unset):
            place = UNSET
        else:
            place = self.place

        place_id: int | None | Unset
        if isinstance(self.place_id, Unset):
            place_id = UNSET
        else:
            place_id = self.place_id

        location: dict[str, Any] | None | Unset
        if isinstance(self.location, Unset):
            location = UNSET
        elif isinstance(self.location, Location):
            location = self.location.to_dict()
        else:
            location = self.location

        external_id: None | str | Unset
        if isinstance(self.external_id, Unset):
            external_id = UNSET
        else:
            external_id = self.external_id

        status: str | Unset = UNSET
        if not isinstance(self.status, Unset):
            status = self.status

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "title": title,
                "description": description,
            }
        )
        if price is not UNSET:
            field_dict["price"] = price
        if category is not UNSET:
            field_dict["category"] = category
        if attributes is not UNSET:
            field_dict["attributes"] = attributes
        if price_type is not UNSET:
            field_dict["priceType"] = price_type
        if place is not UNSET:
            field_dict["place"] = place
        if place_id is not UNSET:
            field_dict["placeId"] = place_id
        if location is not UNSET:
            field_dict["location"] = location
        if external_id is not UNSET:
            field_dict["externalId"] = external_id
        if status is not UNSET:
            field_dict["status"] = status

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.create_ad_attributes import CreateAdAttributes  # noqa: PLC0415
        from ..models.location import Location  # noqa: PLC0415

        d = dict(src_dict)
        title = d.pop("title")

        description = d.pop("description")

        price = d.pop("price", UNSET)

        def _parse_category(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        category = _parse_category(d.pop("category", UNSET))

        _attributes = d.pop("attributes", UNSET)
        attributes: CreateAdAttributes | Unset
        if isinstance(_attributes, Unset):
            attributes = UNSET
        else:
            attributes = CreateAdAttributes.from_dict(_attributes)

        _price_type = d.pop("priceType", UNSET)
        price_type: PriceType | Unset
        if isinstance(_price_type, Unset):
            price_type = UNSET
        else:
            price_type = check_price_type(_price_type)

        def _parse_place(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        place = _parse_place(d.pop("place", UNSET))

        def _parse_place_id(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        place_id = _parse_place_id(d.pop("placeId", UNSET))

        def _parse_location(data: object) -> Location | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                location_type_0 = Location.from_dict(data)

                return location_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Location | None | Unset, data)

        location = _parse_location(d.pop("location", UNSET))

        def _parse_external_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        external_id = _parse_external_id(d.pop("externalId", UNSET))

        _status = d.pop("status", UNSET)
        status: CreateAdStatus | Unset
        if isinstance(_status, Unset):
            status = UNSET
        else:
            status = check_create_ad_status(_status)

        create_ad = cls(
            title=title,
            description=description,
            price=price,
            category=category,
            attributes=attributes,
            price_type=price_type,
            place=place,
            place_id=place_id,
            location=location,
            external_id=external_id,
            status=status,
        )

        create_ad.additional_properties = d
        return create_ad

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
