from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.save_page_place import SavePagePlace, check_save_page_place
from ..types import UNSET, Record, Unset

if TYPE_CHECKING:
    from ..models.save_page_text import SavePageText
    from ..models.save_page_title import SavePageTitle


T = TypeVar("T", bound="SavePage")


@_attrs_define
class SavePage(Record):
    """A page of the site.

    Attributes:
        title (SavePageTitle): Its title, by language: at least one.
        text (SavePageText): Its text in Markdown, in the same languages.
        place (SavePagePlace | Unset): Where its links are: at the foot of every page, in the menu, or on no page.
        position (int | Unset): Its place among the pages: lower ones come first.
    """

    title: SavePageTitle
    text: SavePageText
    place: SavePagePlace | Unset = UNSET
    position: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        title = self.title.to_dict()

        text = self.text.to_dict()

        place: str | Unset = UNSET
        if not isinstance(self.place, Unset):
            place = self.place

        position = self.position

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "title": title,
                "text": text,
            }
        )
        if place is not UNSET:
            field_dict["place"] = place
        if position is not UNSET:
            field_dict["position"] = position

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.save_page_text import SavePageText  # noqa: PLC0415
        from ..models.save_page_title import SavePageTitle  # noqa: PLC0415

        d = dict(src_dict)
        title = SavePageTitle.from_dict(d.pop("title"))

        text = SavePageText.from_dict(d.pop("text"))

        _place = d.pop("place", UNSET)
        place: SavePagePlace | Unset
        if isinstance(_place, Unset):
            place = UNSET
        else:
            place = check_save_page_place(_place)

        position = d.pop("position", UNSET)

        save_page = cls(
            title=title,
            text=text,
            place=place,
            position=position,
        )

        save_page.additional_properties = d
        return save_page

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
