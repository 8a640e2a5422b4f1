from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.ad_location_kind import AdLocationKind, check_ad_location_kind
from ..models.ad_status import AdStatus, check_ad_status
from ..models.price_type import PriceType, check_price_type
from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.ad_attributes import AdAttributes
    from ..models.location import Location


T = TypeVar("T", bound="Ad")


@_attrs_define
class Ad(Record):
    """An ad as lists show it. `GET /ads/{id}` and `GET /ads/{id}/details` return all of it.

    Attributes:
        pk (int): The ad's id.
        author (int): The id of the author's account.
        image (str): Path of the picture on this server. It can be fetched without credentials.
        thumbnail (str): Path of the smallest copy of the first picture; of the picture itself if it has no copies yet.
        image_count (int): How many pictures the ad has.
        price (int): Price in the smallest unit of the site (`priceDecimals` of `GET /site`).
        title (str): Headline of the ad.
        status (AdStatus): Where an ad is in its life. Everyone sees `active` and `reserved` ads. A `draft` is not
            published yet. The author marked it `sold` or `withdrawn`; it `expired`; or moderators `suspended` or `removed`
            it.
        category (None | str): The slug of the ad's category. Null if it has none.
        attributes (AdAttributes): Values of the attributes that the ad's category defines, by their names. Empty
            without a category.
        price_type (PriceType): What the price of an ad means.
        place (None | str): Where the thing is, in the author's words. Null if not given.
        place_id (int | None): The id of the ad's place (`GET /places`). Null if not given.
        location (Location | None): Where the thing is, rounded to about a kilometre; always the same point for the same
            ad. Without a location the centre of its place. Null if neither is given. Only the author sees the exact point.
        location_kind (AdLocationKind): `exact`: the author gave a location. `place`: `location` is the centre of the
            ad's place. Null if there is neither.
        created_at (int): When it was created, in milliseconds since 1970-01-01T00:00Z.
        updated_at (int): When it was last changed, in milliseconds since 1970-01-01T00:00Z.
        distance (int | Unset): Metres from `near` to the ad's `location`. Absent without `near`.
        expires_at (int | None | Unset): Only in `GET /ads/me`: when the ad expires, in milliseconds since
            1970-01-01T00:00Z. Null if it does not expire.
        favorite_count (int | Unset): How many accounts keep the ad as a favorite. Only for its author, and in `GET
            /ads/{id}` for administrators. It is no part of the ad's `ETag`.
        phone_count (int | Unset): How many accounts have read its author's phone number by `POST /ads/{id}/phone`. Only
            for its author, and in `GET /ads/{id}` for administrators. It is no part of the ad's `ETag`.
        view_count (int | Unset): Only in `GET /ads/me`: how often the ad was seen, as `GET /ads/{id}/stats` counts.
        conversation_count (int | Unset): Only in `GET /ads/me`: how many have written to the author about the ad.
        author_name (str | Unset): Only in `GET /admin/ads`: the user name of the author.
        external_id (None | str | Unset): In `GET /ads/me`, `GET /admin/ads` and the responses to its author's changes:
            the ad's id in its author's own system. Null or absent if it has none.
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
    attributes: AdAttributes
    price_type: PriceType
    place: None | str
    place_id: int | None
    location: Location | None
    location_kind: AdLocationKind
    created_at: int
    updated_at: int
    distance: int | Unset = UNSET
    expires_at: int | None | Unset = UNSET
    favorite_count: int | Unset = UNSET
    phone_count: int | Unset = UNSET
    view_count: int | Unset = UNSET
    conversation_count: int | Unset = UNSET
    author_name: str | Unset = UNSET
    external_id: None | str | Unset = UNSET
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

        distance = self.distance

        expires_at: int | None | Unset
        if isinstance(self.expires_at, Unset):
            expires_at = UNSET
        else:
            expires_at = self.expires_at

        favorite_count = self.favorite_count

        phone_count = self.phone_count

        view_count = self.view_count

        conversation_count = self.conversation_count

        author_name = self.author_name

        external_id: None | str | Unset
        if isinstance(self.external_id, Unset):
            external_id = UNSET
        else:
            external_id = self.external_id

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
                "attributes": attributes,
                "priceType": price_type,
                "place": place,
                "placeId": place_id,
                "location": location,
                "locationKind": location_kind,
                "createdAt": created_at,
                "updatedAt": updated_at,
            }
        )
        if distance is not UNSET:
            field_dict["distance"] = distance
        if expires_at is not UNSET:
            field_dict["expiresAt"] = expires_at
        if favorite_count is not UNSET:
            field_dict["favoriteCount"] = favorite_count
        if phone_count is not UNSET:
            field_dict["phoneCount"] = phone_count
        if view_count is not UNSET:
            field_dict["viewCount"] = view_count
        if conversation_count is not UNSET:
            field_dict["conversationCount"] = conversation_count
        if author_name is not UNSET:
            field_dict["authorName"] = author_name
        if external_id is not UNSET:
            field_dict["externalId"] = external_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.ad_attributes import AdAttributes  # noqa: PLC0415
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

        attributes = AdAttributes.from_dict(d.pop("attributes"))

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

        location_kind = check_ad_location_kind(d.pop("locationKind"))

        created_at = d.pop("createdAt")

        updated_at = d.pop("updatedAt")

        distance = d.pop("distance", UNSET)

        def _parse_expires_at(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        expires_at = _parse_expires_at(d.pop("expiresAt", UNSET))

        favorite_count = d.pop("favoriteCount", UNSET)

        phone_count = d.pop("phoneCount", UNSET)

        view_count = d.pop("viewCount", UNSET)

        conversation_count = d.pop("conversationCount", UNSET)

        author_name = d.pop("authorName", UNSET)

        def _parse_external_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        external_id = _parse_external_id(d.pop("externalId", UNSET))

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
            attributes=attributes,
            price_type=price_type,
            place=place,
            place_id=place_id,
            location=location,
            location_kind=location_kind,
            created_at=created_at,
            updated_at=updated_at,
            distance=distance,
            expires_at=expires_at,
            favorite_count=favorite_count,
            phone_count=phone_count,
            view_count=view_count,
            conversation_count=conversation_count,
            author_name=author_name,
            external_id=external_id,
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
