from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

T = TypeVar("T", bound="ExportedTerms")


@_attrs_define
class ExportedTerms(Record):
    """A version of the site's terms that the account has accepted.

    Attributes:
        id (int): Its id.
        page (str): The slug of their page.
        version (int): The version.
        at (int): When the account accepted it, in milliseconds since 1970-01-01T00:00Z.
    """

    id: int
    page: str
    version: int
    at: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        page = self.page

        version = self.version

        at = self.at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "page": page,
                "version": version,
                "at": at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        page = d.pop("page")

        version = d.pop("version")

        at = d.pop("at")

        exported_terms = cls(
            id=id,
            page=page,
            version=version,
            at=at,
        )

        exported_terms.additional_properties = d
        return exported_terms

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
