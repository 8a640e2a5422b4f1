from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.ad_details_location_kind import AdDetailsLocationKind, check_ad_details_location_kind
from ..models.ad_status import AdStatus, check_ad_status
from ..models.price_type import PriceType, check_price_type
from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.ad_author import AdAuthor
    from ..models.ad_details_attributes import AdDetailsAttributes
    from ..models.image import Image
    from ..models.location import Location


T = TypeVar("T", bound="AdDetails")


@_attrs_define
class AdDetails(Record):
    """An ad without its author's contact details, for a page that everyone may see.

    Attributes:
        pk (int): The ad's id.
        title (str): Headline of the ad.
        price (int): Price in the smallest unit of the site (`priceDecimals` of `GET /site`).
        price_type (PriceType): What the price of an ad means.
        description (str): Text of the ad, with its line breaks.
        image (str): Path of the picture on this server. It can be fetched without credentials.
        thumbnail (str): Path of the smallest copy of the first picture; of the picture itself if it has no copies yet.
        image_count (int): How many pictures the ad has.
        images (list[Image]): All pictures of the ad, in their order.
        place (None | str): Where the thing is, in the author's words. Null if not given.
        place_id (int | None): The id of the ad's place (`GET /places`). Null if not given.
        location (Location | None): Where the thing is, rounded to about a kilometre; always the same point for the same
            ad. Without a location the centre of its place. Null if neither is given. Only the author sees the exact point.
        location_kind (AdDetailsLocationKind): `exact`: the author gave a location. `place`: `location` is the centre of
            the ad's place. Null if there is neither.
        category (None | str): The slug of the ad's category. Null if it has none.
        attributes (AdDetailsAttributes): Values of the attributes that the ad's category defines, by their names. Empty
            without a category.
        status (AdStatus): Where an ad is in its life. Everyone sees `active` and `reserved` ads. A `draft` is not
            published yet. The author marked it `sold` or `withdrawn`; it `expired`; or moderators `suspended` or `removed`
            it.
        expires_at (int | None): When the ad expires, in milliseconds since 1970-01-01T00:00Z. Null if it does not
            expire.
        sold_at (int | None): When the ad was sold, in milliseconds since 1970-01-01T00:00Z. Null if it is not sold.
        created_at (int): When it was created, in milliseconds since 1970-01-01T00:00Z.
        updated_at (int): When it was last changed, in milliseconds since 1970-01-01T00:00Z.
        author (AdAuthor): What everyone sees of an author.
        price_before (int | Unset): What the ad cost before its price fell: the lowest price of the 30 days before.
            Absent if the price has not fallen in the last 30 days.
    """

    pk: int
    title: str
    price: int
    price_type: PriceType
    description: str
    image: str
    thumbnail: str
    image_count: int
    images: list[Image]
    place: None | str
    place_id: int | None
    location: Location | None
    location_kind: AdDetailsLocationKind
    category: None | str
    attributes: AdDetailsAttributes
    status: AdStatus
    expires_at: int | None
    sold_at: int | None
    created_at: int
    updated_at: int
    author: AdAuthor
    price_before: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.location import Location  # noqa: PLC0415

        pk = self.pk

        title = self.title

        price = self.price

        price_type: str = self.price_type

        description = self.description

        image = self.image

        thumbnail = self.thumbnail

        image_count = self.image_count

        images = []
        for images_item_data in self.images:
            images_item = images_item_data.to_dict()
            images.append(images_item)

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

        category: None | str
        category = self.category

        attributes = self.attributes.to_dict()

        status: str = self.status

        expires_at: int | None
        expires_at = self.expires_at

        sold_at: int | None
        sold_at = self.sold_at

        created_at = self.created_at

        updated_at = self.updated_at

        author = self.author.to_dict()

        price_before = self.price_before

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "pk": pk,
                "title": title,
                "price": price,
                "priceType": price_type,
                "description": description,
                "image": image,
                "thumbnail": thumbnail,
                "imageCount": image_count,
                "images": images,
                "place": place,
                "placeId": place_id,
                "location": location,
                "locationKind": location_kind,
                "category": category,
                "attributes": attributes,
                "status": status,
                "expiresAt": expires_at,
                "soldAt": sold_at,
                "createdAt": created_at,
                "updatedAt": updated_at,
                "author": author,
            }
        )
        if price_before is not UNSET:
            field_dict["priceBefore"] = price_before

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.ad_author import AdAuthor  # noqa: PLC0415
        from ..models.ad_details_attributes import AdDetailsAttributes  # noqa: PLC0415
        from ..models.image import Image  # noqa: PLC0415
        from ..models.location import Location  # noqa: PLC0415

        d = dict(src_dict)
        pk = d.pop("pk")

        title = d.pop("title")

        price = d.pop("price")

        price_type = check_price_type(d.pop("priceType"))

        description = d.pop("description")

        image = d.pop("image")

        thumbnail = d.pop("thumbnail")

        image_count = d.pop("imageCount")

        images = []
        _images = d.pop("images")
        for images_item_data in _images:
            images_item = Image.from_dict(images_item_data)

            images.append(images_item)

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

        location_kind = check_ad_details_location_kind(d.pop("locationKind"))

        def _parse_category(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        category = _parse_category(d.pop("category"))

        attributes = AdDetailsAttributes.from_dict(d.pop("attributes"))

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

        created_at = d.pop("createdAt")

        updated_at = d.pop("updatedAt")

        author = AdAuthor.from_dict(d.pop("author"))

        price_before = d.pop("priceBefore", UNSET)

        ad_details = cls(
            pk=pk,
            title=title,
            price=price,
            price_type=price_type,
            description=description,
            image=image,
            thumbnail=thumbnail,
            image_count=image_count,
            images=images,
            place=place,
            place_id=place_id,
            location=location,
            location_kind=location_kind,
            category=category,
            attributes=attributes,
            status=status,
            expires_at=expires_at,
            sold_at=sold_at,
            created_at=created_at,
            updated_at=updated_at,
            author=author,
            price_before=price_before,
        )

        ad_details.additional_properties = d
        return ad_details

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
