from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.saved_search_notify import SavedSearchNotify, check_saved_search_notify
from ..types import Record

T = TypeVar("T", bound="SavedSearch")


@_attrs_define
class SavedSearch(Record):
    """A saved search of the caller.

    Attributes:
        id (int): The search's id.
        name (str): What the account calls it.
        query (str): The query of `GET /ads` in its canonical spelling.
        notify (SavedSearchNotify): When new matches are notified of: at once (but at most once in 15 minutes), once a
            day, once a week, or never.
        created_at (int): When it was created, in milliseconds since 1970-01-01T00:00Z.
        new_count (int): How many ads have come to match since the search was saved or last seen, up to 100: without the
            caller's own, and those that are no longer shown.
    """

    id: int
    name: str
    query: str
    notify: SavedSearchNotify
    created_at: int
    new_count: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        name = self.name

        query = self.query

        notify: str = self.notify

        created_at = self.created_at

        new_count = self.new_count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "name": name,
                "query": query,
                "notify": notify,
                "createdAt": created_at,
                "newCount": new_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        name = d.pop("name")

        query = d.pop("query")

        notify = check_saved_search_notify(d.pop("notify"))

        created_at = d.pop("createdAt")

        new_count = d.pop("newCount")

        saved_search = cls(
            id=id,
            name=name,
            query=query,
            notify=notify,
            created_at=created_at,
            new_count=new_count,
        )

        saved_search.additional_properties = d
        return saved_search

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
