from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.site_section_kind import SiteSectionKind, check_site_section_kind
from ..types import Record

if TYPE_CHECKING:
    from ..models.site_section_text import SiteSectionText
    from ..models.site_section_title import SiteSectionTitle


T = TypeVar("T", bound="SiteSection")


@_attrs_define
class SiteSection(Record):
    """A section of the home page.

    Attributes:
        kind (SiteSectionKind): `categories`; `near`: ads near the place that the reader has chosen; `newest`: the
            newest ads; `collection`: those that `query` finds; `text`: `text`.
        title (SiteSectionTitle): Its heading, by language. Empty for that of the storefront; a text may be without one.
        query (str): The query of `GET /ads` of a collection, without `?`.
        text (SiteSectionText): A text, by language, with its line breaks.
    """

    kind: SiteSectionKind
    title: SiteSectionTitle
    query: str
    text: SiteSectionText
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        kind: str = self.kind

        title = self.title.to_dict()

        query = self.query

        text = self.text.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "kind": kind,
                "title": title,
                "query": query,
                "text": text,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.site_section_text import SiteSectionText  # noqa: PLC0415
        from ..models.site_section_title import SiteSectionTitle  # noqa: PLC0415

        d = dict(src_dict)
        kind = check_site_section_kind(d.pop("kind"))

        title = SiteSectionTitle.from_dict(d.pop("title"))

        query = d.pop("query")

        text = SiteSectionText.from_dict(d.pop("text"))

        site_section = cls(
            kind=kind,
            title=title,
            query=query,
            text=text,
        )

        site_section.additional_properties = d
        return site_section

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
