from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.ad_status import AdStatus, check_ad_status
from ..models.price_type import PriceType, check_price_type
from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.location import Location


T = TypeVar("T", bound="Ad")


@_attrs_define
class Ad(Record):
    """
    Attributes:
        pk (int): The ad's id.
        author (int): The author's user id.
        image (str): Server-relative path of the picture, fetched without credentials.
        thumbnail (str): The first picture as its smallest variant, or as it is while it has none.
        image_count (int): How many pictures it has.
        price (int):
        title (str):
        status (AdStatus):
        category (None | str): The slug of its category, if any.
        price_type (PriceType):
        place (None | str): Where it is, in words.
        location (Location | None): Where it is to about a kilometre, the same each time. The exact point is for the
            author alone.
        created_at (int): A moment, in milliseconds since 1970-01-01T00:00Z.
        updated_at (int): A moment, in milliseconds since 1970-01-01T00:00Z.
        distance (int | Unset): Metres from `near` to the ad's public location; only with `near`.
    """

    pk: int
    author: int
    image: str
    thumbnail: str
    image_count: int
    price: int
    title: str
    status: AdStatus
    category: None | str
    price_type: PriceType
    place: None | str
    location: Location | None
    created_at: int
    updated_at: int
    distance: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.location import Location  # noqa: PLC0415

        pk = self.pk

        author = self.author

        image = self.image

        thumbnail = self.thumbnail

        image_count = self.image_count

        price = self.price

        title = self.title

        status: str = self.status

        category: None | str
        category = self.category

        price_type: str = self.price_type

        place: None | str
        place = self.place

        location: dict[str, Any] | None
        if isinstance(self.location, Location):
            location = self.location.to_dict()
        else:
            location = self.location

        created_at = self.created_at

        updated_at = self.updated_at

        distance = self.distance

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "pk": pk,
                "author": author,
                "image": image,
                "thumbnail": thumbnail,
                "imageCount": image_count,
                "price": price,
                "title": title,
                "status": status,
                "category": category,
                "priceType": price_type,
                "place": place,
                "location": location,
                "createdAt": created_at,
                "updatedAt": updated_at,
            }
        )
        if distance is not UNSET:
            field_dict["distance"] = distance

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.location import Location  # noqa: PLC0415

        d = dict(src_dict)
        pk = d.pop("pk")

        author = d.pop("author")

        image = d.pop("image")

        thumbnail = d.pop("thumbnail")

        image_count = d.pop("imageCount")

        price = d.pop("price")

        title = d.pop("title")

        status = check_ad_status(d.pop("status"))

        def _parse_category(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        category = _parse_category(d.pop("category"))

        price_type = check_price_type(d.pop("priceType"))

        def _parse_place(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        place = _parse_place(d.pop("place"))

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

        created_at = d.pop("createdAt")

        updated_at = d.pop("updatedAt")

        distance = d.pop("distance", UNSET)

        ad = cls(
            pk=pk,
            author=author,
            image=image,
            thumbnail=thumbnail,
            image_count=image_count,
            price=price,
            title=title,
            status=status,
            category=category,
            price_type=price_type,
            place=place,
            location=location,
            created_at=created_at,
            updated_at=updated_at,
            distance=distance,
        )

        ad.additional_properties = d
        return ad

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
