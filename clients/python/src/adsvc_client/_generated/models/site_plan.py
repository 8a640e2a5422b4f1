from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="SitePlan")


@_attrs_define
class SitePlan(Record):
    """The limits of accounts with a plan.

    Attributes:
        uploads (int): Pictures that one account sends in a window.
        writes (int): Changes of one account in a window.
        ads (int | None): Ads of one account that are shown at a time. Null if there is no limit.
        searches (int): Searches that one account saves.
        streams (int): Streams of one account that are open at a process.
    """

    uploads: int
    writes: int
    ads: int | None
    searches: int
    streams: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        uploads = self.uploads

        writes = self.writes

        ads: int | None
        ads = self.ads

        searches = self.searches

        streams = self.streams

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "uploads": uploads,
                "writes": writes,
                "ads": ads,
                "searches": searches,
                "streams": streams,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        uploads = d.pop("uploads")

        writes = d.pop("writes")

        def _parse_ads(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        ads = _parse_ads(d.pop("ads"))

        searches = d.pop("searches")

        streams = d.pop("streams")

        site_plan = cls(
            uploads=uploads,
            writes=writes,
            ads=ads,
            searches=searches,
            streams=streams,
        )

        site_plan.additional_properties = d
        return site_plan

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
