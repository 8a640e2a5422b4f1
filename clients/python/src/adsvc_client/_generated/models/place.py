from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="Place")


@_attrs_define
class Place(Record):
    """A town, a village, or an area with a postcode. From GeoNames (CC BY 4.0).

    Attributes:
        id (int): The place's id, for `near=place:ID`.
        name (str): Its name, in the caller's language where it is known.
        region (None | str): The state or province that it is in; null if it is unknown.
        country (str): The country's code: two capital letters (ISO 3166-1).
        latitude (float): Degrees north of its centre (WGS 84).
        longitude (float): Degrees east of its centre (WGS 84).
        postcode (str | Unset): The postcode, if it was what matched. Absent otherwise.
    """

    id: int
    name: str
    region: None | str
    country: str
    latitude: float
    longitude: float
    postcode: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        name = self.name

        region: None | str
        region = self.region

        country = self.country

        latitude = self.latitude

        longitude = self.longitude

        postcode = self.postcode

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "name": name,
                "region": region,
                "country": country,
                "latitude": latitude,
                "longitude": longitude,
            }
        )
        if postcode is not UNSET:
            field_dict["postcode"] = postcode

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        name = d.pop("name")

        def _parse_region(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        region = _parse_region(d.pop("region"))

        country = d.pop("country")

        latitude = d.pop("latitude")

        longitude = d.pop("longitude")

        postcode = d.pop("postcode", UNSET)

        place = cls(
            id=id,
            name=name,
            region=region,
            country=country,
            latitude=latitude,
            longitude=longitude,
            postcode=postcode,
        )

        place.additional_properties = d
        return place

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
