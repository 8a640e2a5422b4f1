from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.page_link_place import PageLinkPlace, check_page_link_place
from ..types import Record

if TYPE_CHECKING:
    from ..models.page_link_title import PageLinkTitle


T = TypeVar("T", bound="PageLink")


@_attrs_define
class PageLink(Record):
    """A page of the site, such as the imprint, at `/pages/{slug}`.

    Attributes:
        slug (str): The page's name in addresses.
        title (PageLinkTitle): Its title, by language.
        place (PageLinkPlace): Where its links are: at the foot of every page, in the menu, or on no page.
    """

    slug: str
    title: PageLinkTitle
    place: PageLinkPlace
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        slug = self.slug

        title = self.title.to_dict()

        place: str = self.place

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "slug": slug,
                "title": title,
                "place": place,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.page_link_title import PageLinkTitle  # noqa: PLC0415

        d = dict(src_dict)
        slug = d.pop("slug")

        title = PageLinkTitle.from_dict(d.pop("title"))

        place = check_page_link_place(d.pop("place"))

        page_link = cls(
            slug=slug,
            title=title,
            place=place,
        )

        page_link.additional_properties = d
        return page_link

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
