from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

if TYPE_CHECKING:
    from ..models.site_plan import SitePlan


T = TypeVar("T", bound="SitePlans")


@_attrs_define
class SitePlans(Record):
    """The limits of each plan, by its name. Accounts have `standard` unless an administrator gave them another one; `GET
    /users/me/limits` says what is left.

    """

    additional_properties: dict[str, SitePlan] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:

        field_dict: dict[str, Any] = {}
        for prop_name, prop in self.additional_properties.items():
            field_dict[prop_name] = prop.to_dict()

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.site_plan import SitePlan  # noqa: PLC0415

        d = dict(src_dict)
        site_plans = cls()

        additional_properties = {}
        for prop_name, prop_dict in d.items():
            additional_property = SitePlan.from_dict(prop_dict)

            additional_properties[prop_name] = additional_property

        site_plans.additional_properties = additional_properties
        return site_plans

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> SitePlan:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: SitePlan) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
