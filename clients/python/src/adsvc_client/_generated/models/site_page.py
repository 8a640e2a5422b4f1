from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.site_page_place import SitePagePlace, check_site_page_place
from ..types import Record

if TYPE_CHECKING:
    from ..models.site_page_text import SitePageText
    from ..models.site_page_title import SitePageTitle


T = TypeVar("T", bound="SitePage")


@_attrs_define
class SitePage(Record):
    """A page of the site as administrators write it.

    Attributes:
        slug (str): The page's name in addresses.
        title (SitePageTitle): Its title, by language.
        place (SitePagePlace): Where its links are: at the foot of every page, in the menu, or on no page.
        text (SitePageText): Its text in Markdown, by language. HTML in it is shown as text.
        position (int): Its place among the pages: lower ones come first.
        version (int): The version that was published last.
    """

    slug: str
    title: SitePageTitle
    place: SitePagePlace
    text: SitePageText
    position: int
    version: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        slug = self.slug

        title = self.title.to_dict()

        place: str = self.place

        text = self.text.to_dict()

        position = self.position

        version = self.version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "slug": slug,
                "title": title,
                "place": place,
                "text": text,
                "position": position,
                "version": version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.site_page_text import SitePageText  # noqa: PLC0415
        from ..models.site_page_title import SitePageTitle  # noqa: PLC0415

        d = dict(src_dict)
        slug = d.pop("slug")

        title = SitePageTitle.from_dict(d.pop("title"))

        place = check_site_page_place(d.pop("place"))

        text = SitePageText.from_dict(d.pop("text"))

        position = d.pop("position")

        version = d.pop("version")

        site_page = cls(
            slug=slug,
            title=title,
            place=place,
            text=text,
            position=position,
            version=version,
        )

        site_page.additional_properties = d
        return site_page

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
