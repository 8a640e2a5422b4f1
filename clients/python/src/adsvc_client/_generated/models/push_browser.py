from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="PushBrowser")


@_attrs_define
class PushBrowser(Record):
    """A browser that the caller gets notifications in.

    Attributes:
        id (int): The browser's id.
        host (str): The host of the browser's push service.
        at (int): When the browser was added, in milliseconds since 1970-01-01T00:00Z.
        session (int): The id of the session that added it, with which it ends.
        current (bool): Whether this request belongs to that session.
    """

    id: int
    host: str
    at: int
    session: int
    current: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        host = self.host

        at = self.at

        session = self.session

        current = self.current

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "host": host,
                "at": at,
                "session": session,
                "current": current,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        host = d.pop("host")

        at = d.pop("at")

        session = d.pop("session")

        current = d.pop("current")

        push_browser = cls(
            id=id,
            host=host,
            at=at,
            session=session,
            current=current,
        )

        push_browser.additional_properties = d
        return push_browser

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
