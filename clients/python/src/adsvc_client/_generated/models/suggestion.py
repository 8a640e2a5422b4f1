from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.suggestion_kind import SuggestionKind, check_suggestion_kind
from ..types import Record

T = TypeVar("T", bound="Suggestion")


@_attrs_define
class Suggestion(Record):
    """Something to search for.

    Attributes:
        kind (SuggestionKind): `brand` is an option without translations, such as a make of cars.
        text (str): A phrase to search for, or the name of the category or place.
        category (None | str): The slug of a category, to list its ads. For the other kinds `text` is `q`: with a slug
            the words belong to that category (`golf` in Cars), and are searched for within it.
        count (int): How many ads the category has; of a place, how many of the newest ads are there; of the others, how
            many of the newest ads have it in their titles or attributes. Some minutes old.
    """

    kind: SuggestionKind
    text: str
    category: None | str
    count: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        kind: str = self.kind

        text = self.text

        category: None | str
        category = self.category

        count = self.count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "kind": kind,
                "text": text,
                "category": category,
                "count": count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = check_suggestion_kind(d.pop("kind"))

        text = d.pop("text")

        def _parse_category(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        category = _parse_category(d.pop("category"))

        count = d.pop("count")

        suggestion = cls(
            kind=kind,
            text=text,
            category=category,
            count=count,
        )

        suggestion.additional_properties = d
        return suggestion

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
