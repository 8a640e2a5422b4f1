from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.create_search_notify import CreateSearchNotify, check_create_search_notify
from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="CreateSearch")


@_attrs_define
class CreateSearch(Record):
    """A search to be saved.

    Attributes:
        query (str): The query of `GET /ads`, without `?`. `limit`, `cursor` and `sort` do not count.
        name (str): What the account calls it.
        notify (CreateSearchNotify | Unset): When new matches are notified of: at once (but at most once in 15 minutes),
            once a day, once a week, or never.
    """

    query: str
    name: str
    notify: CreateSearchNotify | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        query = self.query

        name = self.name

        notify: str | Unset = UNSET
        if not isinstance(self.notify, Unset):
            notify = self.notify

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "query": query,
                "name": name,
            }
        )
        if notify is not UNSET:
            field_dict["notify"] = notify

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        query = d.pop("query")

        name = d.pop("name")

        _notify = d.pop("notify", UNSET)
        notify: CreateSearchNotify | Unset
        if isinstance(_notify, Unset):
            notify = UNSET
        else:
            notify = check_create_search_notify(_notify)

        create_search = cls(
            query=query,
            name=name,
            notify=notify,
        )

        create_search.additional_properties = d
        return create_search

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
