from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

if TYPE_CHECKING:
    from ..models.attribute_count import AttributeCount


T = TypeVar("T", bound="AdFacetsAttributes")


@_attrs_define
class AdFacetsAttributes(Record):
    """Counts by attribute name, for the first 20 facetable attributes of the category in the filter. An attribute that is
    itself filtered by is counted without that filter. Values without ads are left out.

    """

    additional_properties: dict[str, list[AttributeCount]] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:

        field_dict: dict[str, Any] = {}
        for prop_name, prop in self.additional_properties.items():
            field_dict[prop_name] = []
            for additional_property_item_data in prop:
                additional_property_item = additional_property_item_data.to_dict()
                field_dict[prop_name].append(additional_property_item)

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.attribute_count import AttributeCount  # noqa: PLC0415

        d = dict(src_dict)
        ad_facets_attributes = cls()

        additional_properties = {}
        for prop_name, prop_dict in d.items():
            additional_property = []
            _additional_property = prop_dict
            for additional_property_item_data in _additional_property:
                additional_property_item = AttributeCount.from_dict(additional_property_item_data)

                additional_property.append(additional_property_item)

            additional_properties[prop_name] = additional_property

        ad_facets_attributes.additional_properties = additional_properties
        return ad_facets_attributes

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> list[AttributeCount]:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: list[AttributeCount]) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
