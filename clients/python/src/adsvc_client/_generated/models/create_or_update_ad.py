from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.price_type import PriceType, check_price_type
from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.create_or_update_ad_attributes import CreateOrUpdateAdAttributes
    from ..models.location import Location


T = TypeVar("T", bound="CreateOrUpdateAd")


@_attrs_define
class CreateOrUpdateAd(Record):
    """Changes of an ad, as a JSON merge patch (RFC 7396): at least one member.

    Members that are left out stay as they are.

        Attributes:
            title (str | Unset): Headline of the ad. That of a draft may be shorter.
            price (int | Unset): Price in the smallest unit of the site (`priceDecimals` of `GET /site`). A string of digits
                is accepted too, as forms send it.
            description (str | Unset): Text of the ad. Line breaks are kept. That of a draft may be shorter.
            category (None | str | Unset): The slug of a category; the ad's attributes must fit it. Null removes the
                category and all attributes.
            attributes (CreateOrUpdateAdAttributes | Unset): Attributes to change, by name, as `GET
                /categories/{slug}/schema` describes them. Null removes an attribute; attributes that are left out stay.
            price_type (PriceType | Unset): What the price of an ad means.
            place (None | str | Unset): Where the thing is, in words. Null removes it.
            place_id (int | None | Unset): The id of a place of `GET /places`. Its name becomes `place` unless that is sent
                too. Without a `location` the ad is found at the place's centre. Null removes it.
            location (Location | None | Unset): The exact point. Others see it rounded to about a kilometre. Null removes
                it.
            external_id (None | str | Unset): The ad's id in its author's own system, unique for the account. Null removes
                it.
    """

    title: str | Unset = UNSET
    price: int | Unset = UNSET
    description: str | Unset = UNSET
    category: None | str | Unset = UNSET
    attributes: CreateOrUpdateAdAttributes | Unset = UNSET
    price_type: PriceType | Unset = UNSET
    place: None | str | Unset = UNSET
    place_id: int | None | Unset = UNSET
    location: Location | None | Unset = UNSET
    external_id: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.location import Location  # noqa: PLC0415

        title = self.title

        price = self.price

        description = self.description

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

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if title is not UNSET:
            field_dict["title"] = title
        if price is not UNSET:
            field_dict["price"] = price
        if description is not UNSET:
            field_dict["description"] = description
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

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.create_or_update_ad_attributes import CreateOrUpdateAdAttributes  # noqa: PLC0415
        from ..models.location import Location  # noqa: PLC0415

        d = dict(src_dict)
        title = d.pop("title", UNSET)

        price = d.pop("price", UNSET)

        description = d.pop("description", UNSET)

        def _parse_category(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        category = _parse_category(d.pop("category", UNSET))

        _attributes = d.pop("attributes", UNSET)
        attributes: CreateOrUpdateAdAttributes | Unset
        if isinstance(_attributes, Unset):
            attributes = UNSET
        else:
            attributes = CreateOrUpdateAdAttributes.from_dict(_attributes)

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

        create_or_update_ad = cls(
            title=title,
            price=price,
            description=description,
            category=category,
            attributes=attributes,
            price_type=price_type,
            place=place,
            place_id=place_id,
            location=location,
            external_id=external_id,
        )

        create_or_update_ad.additional_properties = d
        return create_or_update_ad

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
