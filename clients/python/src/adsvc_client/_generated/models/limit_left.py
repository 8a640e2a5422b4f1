from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.limit_left_name import LimitLeftName, check_limit_left_name
from ..types import Record

T = TypeVar("T", bound="LimitLeft")


@_attrs_define
class LimitLeft(Record):
    """A limit of the caller's account.

    Attributes:
        name (LimitLeftName): `uploads` are pictures that are sent, `writes` changes, each in a window; `ads` are shown,
            `searches` saved, `streams` open at the process that answers.
        limit (int | None): The most. Null if there is no limit.
        remaining (int | None): How many are left now. Null if there is no limit.
        window (int | None): The seconds in which all of `limit` are replenished, evenly. Null if the limit is on how
            many there are.
    """

    name: LimitLeftName
    limit: int | None
    remaining: int | None
    window: int | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name: str = self.name

        limit: int | None
        limit = self.limit

        remaining: int | None
        remaining = self.remaining

        window: int | None
        window = self.window

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "limit": limit,
                "remaining": remaining,
                "window": window,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = check_limit_left_name(d.pop("name"))

        def _parse_limit(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        limit = _parse_limit(d.pop("limit"))

        def _parse_remaining(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        remaining = _parse_remaining(d.pop("remaining"))

        def _parse_window(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        window = _parse_window(d.pop("window"))

        limit_left = cls(
            name=name,
            limit=limit,
            remaining=remaining,
            window=window,
        )

        limit_left.additional_properties = d
        return limit_left

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
