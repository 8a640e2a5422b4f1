from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.relaxed_kind import RelaxedKind, check_relaxed_kind
from ..types import Record

T = TypeVar("T", bound="Relaxed")


@_attrs_define
class Relaxed(Record):
    """One change of a query.

    Attributes:
        kind (RelaxedKind): `spelling`: a known word in place of one that no ad has. `place`: the other words are
            searched for within 50 km of it. `category`: the other words are searched for in it. `dropped`: a word was left
            out. As few as possible are; of a query with more words than a site allows, the most common ones.
        from_ (str): What was typed.
        to (str): What it became: a word, the id of a place or the slug of a category; empty if it was left out.
    """

    kind: RelaxedKind
    from_: str
    to: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        kind: str = self.kind

        from_ = self.from_

        to = self.to

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "kind": kind,
                "from": from_,
                "to": to,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = check_relaxed_kind(d.pop("kind"))

        from_ = d.pop("from")

        to = d.pop("to")

        relaxed = cls(
            kind=kind,
            from_=from_,
            to=to,
        )

        relaxed.additional_properties = d
        return relaxed

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
