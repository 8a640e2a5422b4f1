from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.update_section_kind import UpdateSectionKind, check_update_section_kind
from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.update_section_text import UpdateSectionText
    from ..models.update_section_title import UpdateSectionTitle


T = TypeVar("T", bound="UpdateSection")


@_attrs_define
class UpdateSection(Record):
    """A section that the home page is to have.

    Attributes:
        kind (UpdateSectionKind): `categories`; `near`: ads near the place that the reader has chosen; `newest`: the
            newest ads; `collection`: those that `query` finds; `text`: `text`.
        title (UpdateSectionTitle | Unset): Its heading, by language. Empty for that of the storefront; a text may be
            without one.
        query (str | Unset): The query of `GET /ads` of a collection, without `?`.
        text (UpdateSectionText | Unset): A text, by language, with its line breaks.
    """

    kind: UpdateSectionKind
    title: UpdateSectionTitle | Unset = UNSET
    query: str | Unset = UNSET
    text: UpdateSectionText | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        kind: str = self.kind

        title: dict[str, Any] | Unset = UNSET
        if not isinstance(self.title, Unset):
            title = self.title.to_dict()

        query = self.query

        text: dict[str, Any] | Unset = UNSET
        if not isinstance(self.text, Unset):
            text = self.text.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "kind": kind,
            }
        )
        if title is not UNSET:
            field_dict["title"] = title
        if query is not UNSET:
            field_dict["query"] = query
        if text is not UNSET:
            field_dict["text"] = text

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.update_section_text import UpdateSectionText  # noqa: PLC0415
        from ..models.update_section_title import UpdateSectionTitle  # noqa: PLC0415

        d = dict(src_dict)
        kind = check_update_section_kind(d.pop("kind"))

        _title = d.pop("title", UNSET)
        title: UpdateSectionTitle | Unset
        if isinstance(_title, Unset):
            title = UNSET
        else:
            title = UpdateSectionTitle.from_dict(_title)

        query = d.pop("query", UNSET)

        _text = d.pop("text", UNSET)
        text: UpdateSectionText | Unset
        if isinstance(_text, Unset):
            text = UNSET
        else:
            text = UpdateSectionText.from_dict(_text)

        update_section = cls(
            kind=kind,
            title=title,
            query=query,
            text=text,
        )

        update_section.additional_properties = d
        return update_section

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
